// SPDX-License-Identifier: BSD-3-Clause
// The columns that trees of call paths have, derived columns, and how nodes are named.
import { FLAG, type Tree } from '../data/tree';
import { parseFormula } from '../text/formula';
import { basename } from '../text/names';
import { percentFine, seconds, UNKNOWN } from '../text/units';
import type { TreeColumn } from './tree_table';

/** Names that formulas may use, in seconds, and what they are. */
export const FIGURES: Record<string, string> = {
    inclusive: 'Time with what is called, over all ranks',
    exclusive: 'Time without what is called, over all ranks',
    min: 'Least inclusive time of a rank',
    max: 'Largest inclusive time of a rank',
    avg: 'Mean inclusive time over all ranks',
    deviation: 'Standard deviation of the inclusive time over ranks',
    imbalance: 'Largest minus mean inclusive time of ranks',
};

/** For texts, which show what is unknown. */
export const known = (value: number) => (Number.isNaN(value) ? null : value);

export function placeOf(tree: Tree, node: number): string {
    const file = tree.text(tree.file[node]);
    if (!file || !tree.line[node]) return file;
    return `${file}:${tree.flags[node] & FLAG.approximateLine ? '~' : ''}${tree.line[node]}`;
}

/** What is not as on the stack, as the text reports mark it. */
export function marksOf(tree: Tree, node: number): string {
    const flags = tree.flags[node];
    if (flags & FLAG.callersMissing) return ' (?)';
    const marks = [flags & FLAG.inlined ? 'i' : '', flags & FLAG.inferred ? 't' : flags & FLAG.parallelBody ? 'p' : ''].filter(Boolean);
    return marks.length ? ` (${marks.join(',')})` : '';
}

export const MARKS = '(i): inlined; (p): in a parallel region; (t): inferred from a tail call; (?): callers unknown after tail calls; FILE:~LINE: approximate; ~ before a time: estimated.';

/** The name of a node in a row: lines are named by their place. */
export function labelOf(tree: Tree, node: number): string {
    const name = tree.nameOf(node);
    switch (tree.kindOf(node)) {
        case 'root':
            return 'all ranks';
        case 'call_site':
            if (tree.which === 'callers') return `← ${name}${marksOf(tree, node)}`;
            return placeOf(tree, node) || name;
        case 'statement':
            return placeOf(tree, node) || name;
        case 'module':
        case 'file':
            return basename(name);
        default:
            return `${name}${marksOf(tree, node)}`;
    }
}

export function titleOf(tree: Tree, node: number): string {
    const path = tree.text(tree.path[node]);
    const place = path ? `, ${path.slice(0, 300)}${tree.line[node] ? `:${tree.line[node]}` : ''}` : '';
    return `${tree.nameOf(node).slice(0, 500)}${place}`;
}

function time(tree: Tree, key: string, title: string, width: number, rank?: Int32Array): TreeColumn {
    const column = tree.figures.get(key);
    const value = (node: number) => column?.[node] ?? NaN;
    const ofRanks = key !== 'inclusive' && key !== 'exclusive';
    return {
        key,
        title,
        about: FIGURES[key],
        width,
        value,
        show: (node) => {
            const text = seconds(known(value(node)));
            if (text === UNKNOWN) return text;
            const estimated = ofRanks && tree.flags[node] & FLAG.estimated ? '~' : '';
            return `${estimated}${text}${rank && rank[node] >= 0 ? ` (${rank[node]})` : ''}`;
        },
    };
}

export function timeColumns(tree: Tree): TreeColumn[] {
    const whole = tree.get('inclusive', 0);
    const ofTimes = Math.max(9, seconds(known(whole)).length + 1); // no time is longer: 23,535.3 h
    const share = (key: string) => (node: number) => tree.get(key, node) / (whole || NaN);
    const percent = (key: string, title: string, of: string): TreeColumn => ({
        key,
        title,
        about: `${FIGURES[of]}, as a share of all time`,
        width: 9,
        value: share(of),
        show: (node) => percentFine(known(share(of)(node))),
        bar: share(of),
    });
    const text = (key: string, title: string, about: string, width: number, of: Int32Array, show: (node: number) => string): TreeColumn => ({
        key,
        title,
        about,
        width,
        text: true,
        value: (node) => tree.textRank(of[node]),
        show,
    });
    return [
        percent('percent', '% time', 'inclusive'),
        time(tree, 'inclusive', 'Time', ofTimes),
        percent('own', '% own', 'exclusive'),
        time(tree, 'exclusive', 'Own time', ofTimes),
        { ...time(tree, 'min', 'Min (rank)', 17, tree.minRank), about: `${FIGURES.min}, and which` },
        { ...time(tree, 'max', 'Max (rank)', 17, tree.maxRank), about: `${FIGURES.max}, and which` },
        time(tree, 'avg', 'Mean', 10),
        time(tree, 'deviation', 'Deviation', 10),
        time(tree, 'imbalance', 'Imbalance', 10),
        text('place', 'Place', 'The line that calls, or in which the time is spent', 22, tree.file, (node) => placeOf(tree, node)),
        text('module', 'Load module', 'The program or library that contains it', 20, tree.module, (node) => tree.text(tree.module[node])),
        text('defined', 'Defined in', 'The source file of the function', 22, tree.defined, (node) => basename(tree.text(tree.defined[node]))),
    ];
}

// ---- derived columns ----

export interface Derived {
    name: string;
    formula: string;
}

const MOST_DERIVED = 8;

/** "name=formula;name=formula" of the address. */
export function parseDerived(text: string): Derived[] {
    return text
        .split(';')
        .map((part) => part.split('=', 2))
        .filter((parts) => parts.length === 2 && parts[0] && parts[1])
        .slice(0, MOST_DERIVED)
        .map(([name, formula]) => ({ name: name.slice(0, 30), formula }));
}

export function derivedText(list: Derived[]): string {
    return list.map(({ name, formula }) => `${name.replace(/[=;]/g, ' ')}=${formula.replace(/[=;]/g, ' ')}`).join(';');
}

export function formulaNames(tree: Tree): string[] {
    return [...tree.figures.keys(), 'total'];
}

/** The columns of formulas, and why others cannot be columns. */
export function derivedColumns(tree: Tree, list: Derived[]): { columns: TreeColumn[]; problems: string[] } {
    const columns: TreeColumn[] = [];
    const problems: string[] = [];
    const total = tree.get('inclusive', 0);
    for (const { name, formula } of list) {
        const parsed = parseFormula(formula, formulaNames(tree));
        if (!parsed.value) {
            problems.push(`${name}: ${parsed.error}`);
            continue;
        }
        const value = (node: number) => parsed.value((figure) => (figure === 'total' ? total : tree.get(figure, node)));
        columns.push({
            key: `=${name}`,
            title: name,
            about: `${formula} (times in seconds)`,
            width: Math.max(11, Math.min(24, name.length + 3)),
            value,
            show: (node) => {
                const number = value(node);
                return Number.isFinite(number) ? number.toLocaleString('en', { maximumSignificantDigits: 4 }) : UNKNOWN;
            },
        });
    }
    return { columns, problems };
}
