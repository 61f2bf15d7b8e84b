// SPDX-License-Identifier: BSD-3-Clause
// A tree of call paths in typed arrays, which grows slice by slice (doc/API.md, tree/*). Nodes are numbered in depth-first
// order of the whole tree: the first child of a node is the number after its own, and the next sibling is the number
// after its last descendant. So the arrays have their final size from the first slice on, and no lists of children are
// kept. The order that a table is sorted by is kept as links between siblings, made family by family when first asked for.
//
// Slices below a node have whole families. Rows of a table and hits of a search come as they are, with their ancestors:
// some children of a node can be here while others are not.
import { signal } from '@preact/signals';

export interface TreeSlice {
    nodes_in_tree: number;
    hz?: number;
    samples?: number;
    complete_fraction?: number | null;
    time_s?: number;
    left_out_s?: number;
    kinds: string[];
    strings: string[];
    id: number[];
    parent: number[];
    children: number[];
    descendants: number[];
    kind: number[];
    name: number[];
    file: number[];
    path: number[];
    line: number[];
    module: number[];
    defined: number[];
    flags: number[];
    inclusive_ns: number[];
    exclusive_ns: number[];
    min_ns?: number[];
    min_rank?: number[];
    max_ns?: number[];
    max_rank?: number[];
    avg_ns?: number[];
    deviation_ns?: number[];
    /** Further figures by node, such as those of a comparison of runs. */
    more?: Record<string, (number | null)[]>;
}

/** What a search found in the whole tree: hits with their ancestors. */
export interface FoundSlice extends TreeSlice {
    /** Of all nodes of the tree; if too many are found, only the heaviest ones are here. */
    hits: number;
    /** By node of the slice, 1: it is a hit. */
    hit: number[];
}

export const FLAG = { approximateLine: 1, inlined: 2, parallelBody: 4, inferred: 8, callersMissing: 16, estimated: 32, byName: 64 };

export interface Head {
    hz: number | null;
    samples: number | null;
    complete_fraction: number | null;
    time_s: number | null;
    left_out_s: number | null;
}

/** Where more of the tree comes from; without it the first slice is the whole tree. */
export interface Loader {
    below: (node: number) => Promise<TreeSlice>;
    rows: (first: number, n: number) => Promise<TreeSlice>;
    find: (text: string) => Promise<FoundSlice>;
}

const LARGEST = 20_000_000;
const AT_ONCE = 4;
/** Rows are loaded in blocks of a few screens, or if all are needed, in larger ones. */
const BLOCK = 500;
const LARGE_BLOCK = 4000;
const BLOCKS_AT_ONCE = 2;
/** Of the blocks that are asked for while a table is scrolled, only the last ones matter. */
const BLOCKS_WAITING = 4;

export class Tree {
    /** Changes whenever families were added. */
    readonly version = signal(0);
    /** Changes whenever other nodes were added: rows in sight, hits of a search. */
    readonly filled = signal(0);
    /** Why nodes could not be loaded, as a sentence. */
    readonly problem = signal('');
    readonly size: number;
    readonly head: Head;
    readonly kinds: string[];
    readonly strings: string[] = [];
    /** Nodes that are here. */
    loaded = 0;

    readonly parent: Int32Array;
    readonly children: Uint32Array;
    private readonly childrenHere: Uint32Array;
    readonly descendants: Uint32Array;
    readonly depth: Uint32Array;
    readonly kind: Uint8Array;
    readonly flags: Uint8Array;
    readonly name: Int32Array;
    readonly file: Int32Array;
    readonly path: Int32Array;
    readonly module: Int32Array;
    readonly defined: Int32Array;
    readonly line: Uint32Array;
    readonly minRank: Int32Array;
    readonly maxRank: Int32Array;
    /** Times in seconds and further figures, NaN if unknown: inclusive, exclusive, min, max, avg, deviation, ... */
    readonly figures = new Map<string, Float64Array>();

    private readonly numbers = new Map<string, number>();
    private readonly loading = new Map<number, Promise<void>>();
    private readonly waiting: (() => void)[] = [];
    private running = 0;
    private readonly blocks = new Map<number, { promise: Promise<void>; done: () => void }>();
    private readonly blocksWaiting: number[] = [];
    private blocksRunning = 0;

    constructor(
        readonly which: string,
        first: TreeSlice,
        private readonly loader: Loader | null,
    ) {
        const n = first.nodes_in_tree;
        if (!(n >= 1 && n <= LARGEST)) throw new Error(`a tree of ${n} nodes is too large for this page`);
        this.size = n;
        this.kinds = first.kinds;
        this.head = {
            hz: first.hz ?? null,
            samples: first.samples ?? null,
            complete_fraction: first.complete_fraction ?? null,
            time_s: first.time_s ?? null,
            left_out_s: first.left_out_s ?? null,
        };
        this.parent = new Int32Array(n).fill(-2); // -2: not here yet
        this.children = new Uint32Array(n);
        this.childrenHere = new Uint32Array(n);
        this.descendants = new Uint32Array(n);
        this.depth = new Uint32Array(n);
        this.kind = new Uint8Array(n);
        this.flags = new Uint8Array(n);
        this.name = new Int32Array(n);
        this.file = new Int32Array(n);
        this.path = new Int32Array(n);
        this.module = new Int32Array(n);
        this.defined = new Int32Array(n);
        this.line = new Uint32Array(n);
        this.minRank = new Int32Array(n);
        this.maxRank = new Int32Array(n);
        this.linkedFor = new Int32Array(n);
        this.firstLink = new Int32Array(n);
        this.nextLink = new Int32Array(n);
        this.add(first);
    }

    // ---- growing ----

    has(node: number): boolean {
        return node >= 0 && node < this.size && this.parent[node] !== -2;
    }

    /** Whether all children of a node are here. */
    opened(node: number): boolean {
        return this.children[node] > 0 && this.childrenHere[node] === this.children[node];
    }

    missing(node: number): boolean {
        return this.childrenHere[node] < this.children[node];
    }

    get whole(): boolean {
        return this.loaded === this.size;
    }

    private intern(text: string): number {
        let number = this.numbers.get(text);
        if (number === undefined) {
            number = this.strings.push(text) - 1;
            this.numbers.set(text, number);
        }
        return number;
    }

    private figure(key: string): Float64Array {
        let column = this.figures.get(key);
        if (!column) {
            column = new Float64Array(this.size).fill(NaN);
            this.figures.set(key, column);
        }
        return column;
    }

    private add(slice: TreeSlice, changes = this.version): void {
        const { id } = slice;
        const strings = Int32Array.from(slice.strings, (text) => this.intern(text));
        const text = (number: number) => (number >= 0 && number < strings.length ? strings[number] : -1);
        for (let i = 0; i < id.length; i++) {
            const node = id[i];
            if (!(node >= 0 && node < this.size)) continue;
            const parent = slice.parent[i];
            if (this.parent[node] === -2) {
                this.loaded++;
                if (parent >= 0) this.childrenHere[parent]++;
            }
            this.parent[node] = parent;
            this.depth[node] = parent >= 0 ? this.depth[parent] + 1 : 0;
            this.children[node] = slice.children[i];
            this.descendants[node] = slice.descendants[i];
            this.kind[node] = slice.kind[i];
            this.flags[node] = slice.flags[i];
            this.name[node] = text(slice.name[i]);
            this.file[node] = text(slice.file[i]);
            this.path[node] = text(slice.path[i]);
            this.module[node] = text(slice.module[i]);
            this.defined[node] = text(slice.defined[i]);
            this.line[node] = slice.line[i];
            this.minRank[node] = slice.min_rank?.[i] ?? -1;
            this.maxRank[node] = slice.max_rank?.[i] ?? -1;
        }
        const times = { inclusive: 'inclusive_ns', exclusive: 'exclusive_ns', min: 'min_ns', max: 'max_ns', avg: 'avg_ns', deviation: 'deviation_ns' } as const;
        for (const [key, source] of Object.entries(times)) {
            const from = slice[source as 'inclusive_ns'];
            if (!from) continue;
            const column = this.figure(key);
            for (let i = 0; i < id.length; i++) if (id[i] < this.size && from[i] >= 0) column[id[i]] = from[i] / 1e9;
        }
        for (const [key, from] of Object.entries(slice.more ?? {})) {
            const column = this.figure(key);
            for (let i = 0; i < id.length; i++) if (id[i] < this.size) column[id[i]] = from[i] ?? NaN;
        }
        if (slice.min_ns) this.addImbalance(id);
        changes.value++;
    }

    private addImbalance(id: number[]): void {
        const imbalance = this.figure('imbalance');
        const max = this.figure('max');
        const avg = this.figure('avg');
        for (const node of id) if (node < this.size) imbalance[node] = max[node] - avg[node];
    }

    /** Loads the children of a node, if they are missing. Few requests run at once. */
    want(node: number): Promise<void> {
        if (!this.missing(node) || !this.loader) return Promise.resolve();
        let promise = this.loading.get(node);
        if (!promise) {
            promise = this.fetch(node);
            this.loading.set(node, promise);
        }
        return promise;
    }

    private async fetch(node: number): Promise<void> {
        if (this.running >= AT_ONCE) await new Promise<void>((resolve) => this.waiting.push(resolve));
        this.running++;
        try {
            if (this.missing(node)) this.add(await this.loader!.below(node));
            if (this.missing(node)) throw new Error('the answer does not have them');
            this.loading.delete(node);
        } catch (error) {
            // It stays in `loading`, so that a page that is drawn again does not ask without end.
            this.problem.value = `What is called below '${this.text(this.name[node]).slice(0, 80)}' cannot be loaded: ${(error as Error).message}.`;
        } finally {
            this.running--;
            this.waiting.shift()?.();
        }
    }

    /** Loads the rows around a node, if it is missing. What is asked for last is loaded first, and the oldest of many requests are
     * forgotten: the reader has scrolled on. */
    wantNear(node: number): Promise<void> {
        if (!this.loader || this.has(node) || !(node >= 0 && node < this.size)) return Promise.resolve();
        const block = Math.floor(node / BLOCK);
        let wanted = this.blocks.get(block);
        if (!wanted) {
            let done = () => {};
            const promise = new Promise<void>((resolve) => (done = resolve));
            wanted = { promise, done };
            this.blocks.set(block, wanted);
            this.blocksWaiting.push(block);
            if (this.blocksWaiting.length > BLOCKS_WAITING) this.forgetBlock(this.blocksWaiting.shift()!);
            void this.loadBlocks();
        }
        return wanted.promise;
    }

    private forgetBlock(block: number): void {
        this.blocks.get(block)?.done();
        this.blocks.delete(block);
    }

    private async loadBlocks(): Promise<void> {
        while (this.blocksRunning < BLOCKS_AT_ONCE && this.blocksWaiting.length) {
            const block = this.blocksWaiting.pop()!;
            this.blocksRunning++;
            // One that failed stays, so that it is not asked for without end.
            if (await this.loadRows(block * BLOCK, BLOCK)) this.forgetBlock(block);
            else this.blocks.get(block)?.done();
            this.blocksRunning--;
        }
    }

    private async loadRows(first: number, n: number): Promise<boolean> {
        try {
            this.add(await this.loader!.rows(first, n), this.filled);
            return true;
        } catch (error) {
            this.problem.value = `Rows cannot be loaded: ${(error as Error).message}.`;
            return false;
        }
    }

    /** Loads all nodes from one number to another; `progress` is told how many of them are here. */
    async wantAll(from: number, to: number, progress: (nodes: number) => void): Promise<void> {
        for (let at = from; this.loader && at < to; ) {
            if (this.has(at)) {
                at++;
                continue;
            }
            progress(at - from);
            if (!(await this.loadRows(at, Math.min(LARGE_BLOCK, to - at))) || !this.has(at)) break;
        }
        this.version.value++;
    }

    /** Searches all of the tree on the server, and loads what is found. Null if all of the tree is here. */
    async findAll(text: string): Promise<{ hits: number[]; total: number } | null> {
        if (!this.loader || this.whole) return null;
        const found = await this.loader.find(text);
        this.add(found, this.filled);
        return { hits: found.id.filter((_, i) => found.hit[i] === 1), total: found.hits };
    }

    // ---- reading ----

    text(number: number): string {
        return number >= 0 ? this.strings[number] : '';
    }

    kindOf(node: number): string {
        return this.kinds[this.kind[node]] ?? '';
    }

    nameOf(node: number): string {
        return this.text(this.name[node]);
    }

    get(key: string, node: number): number {
        return this.figures.get(key)?.[node] ?? NaN;
    }

    /** The figure whose values of siblings add up to at most that of their parent: what flame graphs and hot paths use. */
    weight(node: number): number {
        const own = this.which === 'callers' || this.which === 'flat';
        if (own && node === 0) return this.get('inclusive', 0); // all exclusive times together
        return this.get(own ? 'exclusive' : 'inclusive', node) || 0;
    }

    /** Nodes from the root to the given one. */
    pathTo(node: number): number[] {
        const path: number[] = [];
        for (let at = node; at >= 0; at = this.parent[at]) path.push(at);
        return path.reverse();
    }

    /** Calls `visit` for all children that are here, in the tree's own order. */
    forChildren(node: number, visit: (child: number) => void): void {
        if (!this.opened(node)) return;
        let child = node + 1;
        for (let i = 0; i < this.children[node]; i++, child += 1 + this.descendants[child]) visit(child);
    }

    /** The heaviest child if it has at least half of the weight of its parent, or -1: the next node of the hot path. */
    hotChild(node: number, weight = (at: number) => this.weight(at)): number {
        let heaviest = -1;
        this.forChildren(node, (child) => {
            if (heaviest < 0 || weight(child) > weight(heaviest)) heaviest = child;
        });
        return heaviest >= 0 && weight(heaviest) > 0 && weight(heaviest) >= weight(node) / 2 ? heaviest : -1;
    }

    // ---- order ----

    private readonly linkedFor: Int32Array; // by node: the order for which its children are linked
    private readonly firstLink: Int32Array;
    private readonly nextLink: Int32Array;
    private order = 1;
    private key: ((node: number) => number) | null = null;
    private up = false;
    private texts: Float64Array | null = null;

    /** Whether the order is another than the tree's own. */
    get sorted(): boolean {
        return this.key !== null;
    }

    /** Sorts by a number per node, descending, unknown ones last; null: the tree's own order. */
    sortBy(key: ((node: number) => number) | null, up: boolean): void {
        this.key = key;
        this.up = up;
        this.order++;
    }

    /** Places of all strings in alphabetical order, as keys to sort by. */
    textRank(number: number): number {
        if (!this.texts || this.texts.length !== this.strings.length) {
            const compare = new Intl.Collator('en').compare;
            const sorted = this.strings.map((_, i) => i).sort((a, b) => compare(this.strings[a], this.strings[b]));
            this.texts = new Float64Array(this.strings.length);
            for (let i = 0; i < sorted.length; i++) this.texts[sorted[i]] = -i; // descending is from A to Z
        }
        return number >= 0 ? this.texts[number] : NaN;
    }

    private link(node: number): void {
        const key = this.key!;
        const family: number[] = [];
        const keys: number[] = [];
        this.forChildren(node, (child) => {
            family.push(child);
            keys.push(key(child));
        });
        const places = family.map((_, i) => i);
        const sign = this.up ? -1 : 1;
        places.sort((a, b) => {
            const x = keys[a];
            const y = keys[b];
            if (x !== x || y !== y) return x === y ? a - b : x !== x && y !== y ? a - b : x !== x ? 1 : -1;
            return sign * (y - x) || a - b;
        });
        for (let i = 0; i < places.length; i++)
            this.nextLink[family[places[i]]] = i + 1 < places.length ? family[places[i + 1]] : -1;
        this.firstLink[node] = family[places[0]];
        this.linkedFor[node] = this.order;
    }

    /** The first child in the order of the table; its children must be here. */
    first(node: number): number {
        if (!this.key) return node + 1;
        if (this.linkedFor[node] !== this.order) this.link(node);
        return this.firstLink[node];
    }

    /** The next sibling after a node that `first` or `next` returned, or -1. */
    next(node: number): number {
        if (this.key) return this.nextLink[node];
        const next = node + 1 + this.descendants[node];
        return next < this.size && this.parent[next] === this.parent[node] ? next : -1;
    }
}
