// SPDX-License-Identifier: BSD-3-Clause
// The modules of the program and what ranks did over time (doc/JSON.md, `modules` and `sequence`).

export interface ModuleCost {
    work_s: number;
    transfer_s: number;
    waiting_s: number;
    waiting_estimated_s: number;
    mpi_s: number;
}

export interface Module extends ModuleCost {
    name: string;
    group: string | null;
    /** Index into the palette of modules. */
    colour: number;
    causes_waiting_s: number;
    inclusive: ModuleCost;
}

export interface ModuleNode extends ModuleCost {
    name: string;
    children: ModuleNode[];
}

export interface Modules {
    left_out_s: number;
    list: Module[];
    idle_patterns: { line: number; module: string; kind: string; pattern: string }[];
    tree: ModuleNode;
}

/** Module or null, whether it waits, number of intervals, whether it is transfer. */
export type SequenceRun = [module: number | null, waiting: boolean, moments: number, transfer: boolean];

export interface Sequence {
    start_s: number;
    moment_s: number;
    moments: number;
    rank_step: number;
    modules: { name: string; colour: number; work_moments: number; transfer_moments: number; waiting_moments: number }[];
    ranks: { rank: number; runs: SequenceRun[] }[];
}

export function total(cost: ModuleCost): number {
    return cost.work_s + cost.transfer_s + cost.waiting_s;
}

/** MPI has the colour of MPI on all pages; the other ones that of their name. */
export function moduleColour(name: string, index: number | undefined): string {
    return name === 'mpi' ? '--mpi' : `--name-${index !== undefined && index >= 0 && index < 11 ? index : 11}`;
}

/** Box of the graph: where its share of the time begins and ends among those of the same depth. */
export interface Box {
    node: ModuleNode;
    parent: Box | null;
    depth: number;
    from: number;
    to: number;
}

/** Lays out the tree from the root down, each node below its caller and as wide as its time. */
export function layOut(root: ModuleNode, least: number): { boxes: Box[]; depth: number; left_out: number } {
    const boxes: Box[] = [];
    const stack: Box[] = [{ node: root, parent: null, depth: 0, from: 0, to: 1 }];
    const whole = total(root);
    let depth = 0;
    let left_out = 0;
    for (let box = stack.pop(); box; box = stack.pop()) {
        boxes.push(box);
        depth = Math.max(depth, box.depth + 1);
        const below: Box[] = [];
        let at = box.from;
        for (const node of box.node.children) {
            const width = whole > 0 ? total(node) / whole : 0;
            if (width >= least) below.push({ node, parent: box, depth: box.depth + 1, from: at, to: at + width });
            else left_out++;
            at += width;
        }
        stack.push(...below.reverse());
    }
    return { boxes, depth, left_out };
}
