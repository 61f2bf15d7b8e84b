// SPDX-License-Identifier: BSD-3-Clause
// A comparison of runs (doc/API.md, doc/JSON.md): its document, and its tree in the form that tree tables show.
import { Tree, type TreeSlice } from './tree';

export interface ScaleRun {
    profile: string;
    program: string;
    ranks: number;
    complete: boolean;
    time_s: number;
    speedup: number;
    mpi_fraction: number;
    lacks_cores: boolean;
    running_fraction: number;
    to_first: { efficiency: number; error: number };
    to_previous: { efficiency: number; error: number } | null;
    factors: Record<string, number | null>;
    costs: { name: string; time_s: number; fraction: number }[];
}

export interface Verdict {
    text: string;
    cause: string;
    name: string;
    x: number;
    x_error: number;
    lines: { file: string | null; line: number | null; path: string | null; x: number }[];
}

type ScaleTree = Omit<TreeSlice, 'nodes_in_tree'> & {
    runs: { inclusive_ns: number[]; exclusive_ns: number[] }[];
    x_inclusive: number[];
    x_exclusive: number[];
    x_inclusive_error: number[];
    x_exclusive_error: number[];
    trend: { forms: string[]; form: number[] } | null;
};

/** A node of the document of the command line, whose tree is nested. */
interface Nested {
    kind: string;
    name: string;
    file: string | null;
    path: string | null;
    line: number | null;
    module?: string | null;
    approximate_line?: boolean;
    inlined?: boolean;
    by_name?: boolean;
    x_inclusive: number;
    x_exclusive: number;
    x_inclusive_error: number;
    x_exclusive_error: number;
    trend: { form: string } | null;
    costs: ({ inclusive_s: number; exclusive_s: number } | null)[];
    children: Nested[];
}

export interface Scale {
    mode: 'strong' | 'weak' | 'same';
    view: string;
    base: number;
    other: number;
    headline?: string;
    advice?: string | null;
    notes: string[];
    runs: ScaleRun[];
    where_to_run: { threshold: number; ranks: number; mpi_jumps_after: number | null } | null;
    projection: { ranks: number; efficiency: number; low: number; high: number; trend: string } | null;
    verdicts: Verdict[];
    gains: Verdict[];
    startup: { fraction: number; x: number; x_error: number } | null;
    tree?: ScaleTree;
    root?: Nested;
}

export interface ScaleDocument {
    scale: Scale;
}

/** The names of runs in sentences and headings: "16 ranks"; of two versions "A", "B". */
export function runName(scale: Scale, run: number): string {
    if (scale.mode === 'same') return run === 0 ? 'A' : 'B';
    const { ranks } = scale.runs[run];
    return `${ranks} rank${ranks === 1 ? '' : 's'}`;
}

/** How the cost of a run, over all processes, is expected to grow from another one: weakly scaled programs and versions are compared per process. */
function expectedGrowth(scale: Scale, from: number, to: number): number {
    return scale.mode === 'strong' ? 1 : scale.runs[to].ranks / scale.runs[from].ranks;
}

/** Columns of a nested tree, depth first. */
function columnsOf(scale: Scale, root: Nested): ScaleTree {
    const kinds: string[] = [];
    const strings: string[] = [];
    const numbers = new Map<string, number>();
    const number = (list: string[], text: string | null | undefined): number => {
        if (!text) return -1;
        const key = `${list === kinds} ${text}`;
        let found = numbers.get(key);
        if (found === undefined) numbers.set(key, (found = list.push(text) - 1));
        return found;
    };
    const forms: string[] = [];
    const made: ScaleTree = {
        kinds, strings, id: [], parent: [], children: [], descendants: [], kind: [], name: [], file: [], path: [], line: [], module: [],
        defined: [], flags: [], inclusive_ns: [], exclusive_ns: [],
        runs: scale.runs.map(() => ({ inclusive_ns: [], exclusive_ns: [] })),
        x_inclusive: [], x_exclusive: [], x_inclusive_error: [], x_exclusive_error: [], trend: root.trend ? { forms, form: [] } : null,
    };
    const stack: { node: Nested; parent: number }[] = [{ node: root, parent: -1 }];
    while (stack.length) {
        const { node, parent } = stack.pop()!;
        const id = made.id.push(made.id.length) - 1;
        made.parent.push(parent);
        made.children.push(node.children.length);
        made.descendants.push(0);
        made.kind.push(number(kinds, node.kind));
        made.name.push(number(strings, node.name || 'all'));
        made.file.push(number(strings, node.file));
        made.path.push(number(strings, node.path));
        made.line.push(node.line ?? 0);
        made.module.push(number(strings, node.module));
        made.defined.push(-1);
        made.flags.push((node.approximate_line ? 1 : 0) | (node.inlined ? 2 : 0) | (node.by_name ? 64 : 0));
        scale.runs.forEach((_, run) => {
            const cost = node.costs[run];
            made.runs[run].inclusive_ns.push(cost ? cost.inclusive_s * 1e9 : -1);
            made.runs[run].exclusive_ns.push(cost ? cost.exclusive_s * 1e9 : -1);
        });
        made.inclusive_ns.push(Math.max(0, made.runs[scale.other].inclusive_ns[id]));
        made.exclusive_ns.push(Math.max(0, made.runs[scale.other].exclusive_ns[id]));
        made.x_inclusive.push(node.x_inclusive);
        made.x_exclusive.push(node.x_exclusive);
        made.x_inclusive_error.push(node.x_inclusive_error);
        made.x_exclusive_error.push(node.x_exclusive_error);
        made.trend?.form.push(node.trend ? number(forms, node.trend.form) : -1);
        for (let i = node.children.length - 1; i >= 0; i--) stack.push({ node: node.children[i], parent: id });
    }
    for (let i = made.id.length - 1; i > 0; i--) made.descendants[made.parent[i]] += made.descendants[i] + 1;
    return made;
}

/** Figures of the tree: x_inclusive, x_exclusive and their errors, excess (in seconds, of the weight of the tree), trend (index), run0, run0_own, ..., and from three runs on x_0_1, x_1_2, ...: the excess of each step. */
export function scaleTree(scale: Scale): { tree: Tree; forms: string[] } {
    const columns = scale.tree ?? (scale.root ? columnsOf(scale, scale.root) : null);
    if (!columns) throw new Error('the comparison has no tree');
    const n = columns.id.length;
    const own = scale.view === 'callers' || scale.view === 'flat';
    const more: Record<string, (number | null)[]> = {
        x_inclusive: columns.x_inclusive,
        x_exclusive: columns.x_exclusive,
        x_inclusive_error: columns.x_inclusive_error,
        x_exclusive_error: columns.x_exclusive_error,
    };
    if (columns.trend) more.trend = columns.trend.form.map((form) => (form < 0 ? null : form));
    columns.runs.forEach((run, i) => {
        more[`run${i}`] = run.inclusive_ns.map((ns) => (ns < 0 ? null : ns / 1e9));
        more[`run${i}_own`] = run.exclusive_ns.map((ns) => (ns < 0 ? null : ns / 1e9));
    });
    const cost = (key: string, run: number, i: number) => Math.max(0, columns.runs[run][key as 'inclusive_ns'][i]);
    const excess = (key: string, from: number, to: number, i: number) => (cost(key, to, i) - cost(key, from, i) * expectedGrowth(scale, from, to)) / 1e9;
    more.excess = Array.from({ length: n }, (_, i) => excess(own && i > 0 ? 'exclusive_ns' : 'inclusive_ns', scale.base, scale.other, i));
    for (let to = 1; scale.runs.length > 2 && to < scale.runs.length; to++) {
        const whole = cost('inclusive_ns', to, 0) / 1e9;
        more[`x_${to - 1}_${to}`] = Array.from({ length: n }, (_, i) => excess('inclusive_ns', to - 1, to, i) / (whole || NaN));
    }
    const tree = new Tree(scale.view, { ...columns, nodes_in_tree: n, more }, null);
    return { tree, forms: columns.trend?.forms ?? [] };
}
