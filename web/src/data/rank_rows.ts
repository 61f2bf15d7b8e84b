// SPDX-License-Identifier: BSD-3-Clause
// One row per rank, from the slice `ranks`, which has one entry per process: a rank that replaced itself with another
// program has several, and a process that ended early may have no rank.
import { hasRank, type Range } from './rankset';
import type { Ranks } from './types';

export type Values = (number | null)[];

export interface RankRows {
    /** The rank of each row, ascending. */
    ranks: number[];
    rowOf: Map<number, number>;
    /** Index of the host in job.hosts_list. */
    host: Values;
    /** A list in the order of processes, by row: unknown ones are left out of sums and maxima. */
    gather: (list: Values | undefined, how: 'sum' | 'max') => Values;
    /** A list in the order of `of`, by row. */
    arrange: (of: number[], list: Values) => Values;
}

const made = new WeakMap<Ranks, RankRows>();

/** Made once for each slice: several parts of a page use it. */
export function rankRows(ranks: Ranks): RankRows {
    let rows = made.get(ranks);
    if (!rows) made.set(ranks, (rows = makeRows(ranks)));
    return rows;
}

function makeRows({ processes }: Ranks): RankRows {
    const { rank } = processes;
    const known = new Set<number>();
    for (const r of rank) if (r !== null) known.add(r);
    const ranks = [...known].sort((a, b) => a - b);
    const rowOf = new Map(ranks.map((r, row) => [r, row]));
    const gather = (list: Values | undefined, how: 'sum' | 'max'): Values => {
        const out: Values = new Array(ranks.length).fill(null);
        if (!list) return out;
        for (let i = 0; i < rank.length; i++) {
            const r = rank[i];
            const value = list[i];
            if (r === null || value === null || value === undefined) continue;
            const row = rowOf.get(r) as number;
            const before = out[row];
            out[row] = before === null ? value : how === 'sum' ? before + value : Math.max(before, value);
        }
        return out;
    };
    const arrange = (of: number[], list: Values): Values => {
        const out: Values = new Array(ranks.length).fill(null);
        for (let i = 0; i < of.length; i++) {
            const row = rowOf.get(of[i]);
            if (row !== undefined) out[row] = list[i] ?? null;
        }
        return out;
    };
    return { ranks, rowOf, host: gather(processes.host, 'max'), gather, arrange };
}

/** Rows from the left to the right: by a list of values, the least first and unknown ones last; without: by rank. */
export function orderOf(rows: number, values: Values | null, only: ((row: number) => boolean) | null): number[] {
    const order: number[] = [];
    for (let row = 0; row < rows; row++) if (!only || only(row)) order.push(row);
    if (values) order.sort((a, b) => (values[a] ?? Infinity) - (values[b] ?? Infinity) || a - b);
    return order;
}

/** Which rows are selected; null if none is, so that nothing is highlighted. */
export function selectionOf(ranks: number[], chosen: Range[]): Uint8Array | null {
    if (chosen.length === 0) return null;
    const mask = new Uint8Array(ranks.length);
    for (let row = 0; row < ranks.length; row++) if (hasRank(chosen, ranks[row])) mask[row] = 1;
    return mask.includes(1) ? mask : null;
}

export function meanOf(values: Values, rows: Iterable<number>): number | null {
    let sum = 0;
    let n = 0;
    for (const row of rows) {
        const value = values[row];
        if (value === null || value === undefined) continue;
        sum += value;
        n++;
    }
    return n ? sum / n : null;
}
