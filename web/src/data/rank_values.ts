// SPDX-License-Identifier: BSD-3-Clause
// The times of the heaviest nodes of a tree on each rank (doc/API.md, tree/*/ranks): files have them with low precision, and
// only of these nodes.
import { formatRanks, hasRank, parseRanks, type Range } from './rankset';

export interface RanksSlice {
    ranks: string;
    id: number[];
    most_ns: number[];
    thousandths: number[][];
}

export class RankValues {
    /** Of the places in a list of values. */
    readonly ranks: number[] = [];
    private readonly places = new Map<number, number>();

    constructor(private readonly slice: RanksSlice) {
        for (const [first, last] of parseRanks(slice.ranks)) for (let rank = first; rank <= last; rank++) this.ranks.push(rank);
        slice.id.forEach((node, place) => this.places.set(node, place));
    }

    /** Of how many nodes they are known. */
    get size(): number {
        return this.places.size;
    }

    has(node: number): boolean {
        return this.places.has(node);
    }

    /** In seconds, by place; NaN where unknown, null if nothing is known of the node. */
    values(node: number): Float64Array | null {
        const place = this.places.get(node);
        if (place === undefined) return null;
        const unit = this.slice.most_ns[place] / 1e12;
        return Float64Array.from(this.slice.thousandths[place], (value) => (value < 0 ? NaN : value * unit));
    }

    /** Which places are selected; null if none is. */
    select(chosen: Range[]): number[] | null {
        if (!chosen.length) return null;
        const places: number[] = [];
        this.ranks.forEach((rank, place) => hasRank(chosen, rank) && places.push(place));
        return places.length ? places : null;
    }

    /** The time of some ranks together; NaN if it is unknown of one of them. */
    sum(node: number, places: number[]): number {
        const values = this.values(node);
        return values ? places.reduce((sum, place) => sum + values[place], 0) : NaN;
    }

    namesOf(places: number[]): string {
        return formatRanks(places.map((place) => this.ranks[place]));
    }
}

export const NO_VALUES = new RankValues({ ranks: '', id: [], most_ns: [], thousandths: [] });
