// SPDX-License-Identifier: BSD-3-Clause
// Sets of ranks as the reports write them: "0-3,7".

export type Range = [first: number, last: number];

/** Ascending, without overlap. */
export function parseRanks(text: string | null | undefined): Range[] {
    const ranges: Range[] = [];
    for (const part of (text ?? '').split(',')) {
        const match = /^\s*(\d{1,9})(?:-(\d{1,9}))?\s*$/.exec(part);
        if (!match) continue;
        const first = Number(match[1]);
        const last = match[2] === undefined ? first : Number(match[2]);
        if (last >= first) ranges.push([first, last]);
    }
    ranges.sort((a, b) => a[0] - b[0]);
    const merged: Range[] = [];
    for (const range of ranges) {
        const before = merged[merged.length - 1];
        if (before && range[0] <= before[1] + 1) before[1] = Math.max(before[1], range[1]);
        else merged.push(range);
    }
    return merged;
}

/** By bisection: a selection of a large job may have thousands of ranges. */
export function hasRank(ranges: Range[], rank: number): boolean {
    let low = 0;
    let high = ranges.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (ranges[middle][1] < rank) low = middle + 1;
        else high = middle;
    }
    return low < ranges.length && ranges[low][0] <= rank;
}

export function countRanks(ranges: Range[]): number {
    return ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}

export function formatRanks(ranks: Iterable<number>): string {
    const sorted = [...new Set(ranks)].sort((a, b) => a - b);
    const parts: string[] = [];
    for (let i = 0; i < sorted.length; ) {
        let end = i;
        while (end + 1 < sorted.length && sorted[end + 1] === sorted[end] + 1) end++;
        parts.push(end === i ? `${sorted[i]}` : `${sorted[i]}-${sorted[end]}`);
        i = end + 1;
    }
    return parts.join(',');
}

/** The class of a row of a table: pale if ranks are selected and it is about none of them. */
export function paleUnless(chosen: Range[]): (row: { ranks: string }) => string {
    const touched = (ranks: string) => parseRanks(ranks).some(([first, last]) => chosen.some((range) => range[0] <= last && range[1] >= first));
    return ({ ranks }) => (chosen.length > 0 && !touched(ranks) ? 'pale' : '');
}
