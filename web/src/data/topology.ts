// SPDX-License-Identifier: BSD-3-Clause
// The matrix of communication, level by level and tile by tile as on maps (doc/API.md): in level 0 a cell is a pair of
// ranks, in each further level the sum over 2 x 2 cells of the level before. Tiles are asked for when they come in sight.
import type { Source } from './source';
import type { Host } from './types';
import { parseRanks } from './rankset';

export type Metric = 'bytes' | 'messages' | 'time_ns';

export interface TopologyHead {
    ranks: number;
    levels: number;
    tile: number;
    pairs: number;
    left_out: { pairs: number; messages: number; bytes: number };
    max: Record<Metric, number[]>;
    totals: Record<Metric, number>;
    /** By level: row and column of the tiles that are not empty. */
    tiles: [row: number, column: number][][];
    programs: { from: string; to: string; pairs: number; messages: number; bytes: number; send_s: number; receive_s: number }[];
}

interface TileSlice {
    cells: number[];
    messages: number[];
    bytes: number[];
    send_ns: number[];
    receive_ns: number[];
    pairs: number[];
}

export interface Tile {
    /** row * 256 + column, ascending; the lists below are in the same order. */
    cells: Uint16Array;
    messages: Float64Array;
    bytes: Float64Array;
    send_ns: Float64Array;
    receive_ns: Float64Array;
    time_ns: Float64Array;
    pairs: Float64Array;
}

/** A cell of a level: what ranks from `from` on sent to ranks from `to` on, `width` of them each. */
export interface Cell {
    from: number;
    to: number;
    width: number;
    messages: number;
    bytes: number;
    send_ns: number;
    receive_ns: number;
    time_ns: number;
    pairs: number;
}

function tileOf(slice: TileSlice): Tile {
    const send = Float64Array.from(slice.send_ns);
    const receive = Float64Array.from(slice.receive_ns);
    return {
        cells: Uint16Array.from(slice.cells),
        messages: Float64Array.from(slice.messages),
        bytes: Float64Array.from(slice.bytes),
        send_ns: send,
        receive_ns: receive,
        time_ns: send.map((ns, i) => ns + receive[i]),
        pairs: Float64Array.from(slice.pairs),
    };
}

const AT_ONCE = 6;

export class Tiles {
    private readonly there: Set<string>[];
    private readonly loaded = new Map<string, Tile>();
    private readonly asked = new Set<string>();
    private wanted: string[] = [];
    /** The smallest value above 0 of all tiles of a level so far, for the scale of colours. */
    readonly least: Record<Metric, number[]>;
    error = '';

    constructor(
        private readonly source: Source,
        readonly head: TopologyHead,
        /** Called whenever a tile has arrived. */
        public arrived: () => void = () => {},
    ) {
        this.there = head.tiles.map((tiles) => new Set(tiles.map(([row, column]) => `${row}/${column}`)));
        const none = () => Array.from({ length: head.levels }, () => Infinity);
        this.least = { bytes: none(), messages: none(), time_ns: none() };
    }

    exists(level: number, row: number, column: number): boolean {
        return this.there[level]?.has(`${row}/${column}`) ?? false;
    }

    get(level: number, row: number, column: number): Tile | undefined {
        return this.loaded.get(`${level}/${row}/${column}`);
    }

    /** Loads these tiles, the first ones first, and forgets what was wanted before and is not needed any more. */
    want(names: string[]): void {
        this.wanted = names.filter((name) => !this.loaded.has(name) && !this.asked.has(name));
        this.next();
    }

    private next(): void {
        while (this.asked.size < AT_ONCE && this.wanted.length > 0) {
            const name = this.wanted.shift() as string;
            this.asked.add(name);
            this.source.slice<TileSlice>(`topology/${name}`).then(
                (slice) => this.keep(name, tileOf(slice)),
                (failure: Error) => {
                    this.error = failure.message;
                    this.arrived();
                },
            );
        }
    }

    private keep(name: string, tile: Tile): void {
        const level = Number(name.split('/', 1)[0]);
        for (const metric of ['bytes', 'messages', 'time_ns'] as const)
            for (const value of tile[metric])
                if (value > 0 && value < this.least[metric][level]) this.least[metric][level] = value;
        this.loaded.set(name, tile);
        this.asked.delete(name);
        this.next();
        this.arrived();
    }

    /** The cell of a level in which this pair of ranks is; null if no messages were counted, undefined if not loaded. */
    cell(level: number, from: number, to: number): Cell | null | undefined {
        const row = Math.floor(from / 2 ** level);
        const column = Math.floor(to / 2 ** level);
        const size = this.head.tile;
        const [tileRow, tileColumn] = [Math.floor(row / size), Math.floor(column / size)];
        if (!this.exists(level, tileRow, tileColumn)) return null;
        const tile = this.get(level, tileRow, tileColumn);
        if (!tile) return undefined;
        const index = find(tile.cells, (row % size) * size + (column % size));
        return index < 0 ? null : this.cellAt(tile, index, level, tileRow, tileColumn);
    }

    /** Bytes that leave their host. Looks at all pairs. */
    async bytesBetween(hosts: HostRanges): Promise<number> {
        const size = this.head.tile;
        let sum = 0;
        for (const [row, column] of this.head.tiles[0]) {
            const slice = await this.source.slice<TileSlice>(`topology/0/${row}/${column}`);
            slice.cells.forEach((place, i) => {
                const from = hosts.of(row * size + Math.floor(place / size));
                if (from === null || from !== hosts.of(column * size + (place % size))) sum += slice.bytes[i];
            });
        }
        return sum;
    }

    cellAt(tile: Tile, index: number, level: number, tileRow: number, tileColumn: number): Cell {
        const size = this.head.tile;
        const width = 2 ** level;
        const place = tile.cells[index];
        return {
            from: (tileRow * size + Math.floor(place / size)) * width,
            to: (tileColumn * size + (place % size)) * width,
            width,
            messages: tile.messages[index],
            bytes: tile.bytes[index],
            send_ns: tile.send_ns[index],
            receive_ns: tile.receive_ns[index],
            time_ns: tile.time_ns[index],
            pairs: tile.pairs[index],
        };
    }
}

/** Index of a number in an ascending list, or -1. */
function find(list: Uint16Array, number: number): number {
    let low = 0;
    let high = list.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (list[middle] < number) low = middle + 1;
        else high = middle;
    }
    return list[low] === number ? low : -1;
}

/** Which host ranks are on, as ranges in ascending order. */
export class HostRanges {
    readonly first: number[] = [];
    readonly last: number[] = [];
    readonly host: number[] = [];

    constructor(readonly hosts: Host[]) {
        const ranges = hosts.flatMap((host, index) => parseRanks(host.ranks).map(([first, last]) => ({ first, last, index })));
        ranges.sort((a, b) => a.first - b.first);
        for (const range of ranges) {
            this.first.push(range.first);
            this.last.push(range.last);
            this.host.push(range.index);
        }
    }

    /** The first range that ends at `rank` or after it. */
    from(rank: number): number {
        let low = 0;
        let high = this.last.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.last[middle] < rank) low = middle + 1;
            else high = middle;
        }
        return low;
    }

    /** The number of its host; null if unknown. */
    of(rank: number): number | null {
        const at = this.from(rank);
        return at < this.first.length && this.first[at] <= rank ? this.host[at] : null;
    }

    name(rank: number): string | null {
        const host = this.of(rank);
        return host === null ? null : this.hosts[host].name;
    }
}
