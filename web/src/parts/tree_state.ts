// SPDX-License-Identifier: BSD-3-Clause
// What a reader did with a tree: opened rows, the selected node, the search. Rows of the table are made anew when
// something was opened, which takes some milliseconds per 100,000 rows; scrolling does not touch them.
//
// Where everything below a node is open, rows are numbers of nodes in succession, whether the nodes are here or not: those
// that come into sight are loaded then. In another order than the tree's own, all of them must be here first.
import { signal } from '@preact/signals';

import { parseRanks } from '../data/rankset';
import type { Tree } from '../data/tree';
import { matcher } from '../data/tree_match';

/** Values of `open`. */
const OPEN = 1;
const WITH_ALL_BELOW = 2;

export class TreeState {
    readonly selected = signal(0);
    /** Changes whenever the rows change. */
    readonly version = signal(0);
    readonly message = signal('');
    readonly open: Uint8Array;
    private rowsMade: Int32Array | null = null;
    private madeFor = -1;
    private sortedBy = '';
    private holes = false; // rows that cannot be listed before they are here
    private filledFor = -1;

    constructor(readonly tree: Tree) {
        this.open = new Uint8Array(tree.size);
        this.open[0] = 1;
    }

    private changed(): void {
        this.rowsMade = null;
        this.version.value++;
    }

    /** Nodes in sight if the table were endless, in its order. Not all of them may be here. */
    rows(): Int32Array {
        const { tree } = this;
        const filled = tree.filled.peek();
        if (this.rowsMade && this.madeFor === tree.version.peek() && !(this.holes && this.filledFor !== filled)) return this.rowsMade;
        this.holes = false;
        this.rowsMade = tree.sorted ? this.sortedRows() : this.rowsInOrder();
        this.madeFor = tree.version.peek();
        this.filledFor = filled;
        return this.rowsMade;
    }

    private rowsInOrder(): Int32Array {
        const { tree, open } = this;
        const rows = new Int32Array(tree.size);
        let n = 0;
        for (let at = 0; at < tree.size; ) {
            if (!tree.has(at) && open[at] !== WITH_ALL_BELOW) {
                if (!this.holes) void tree.wantNear(at);
                this.holes = true;
                at++;
                continue;
            }
            rows[n++] = at;
            const listed = open[at] && !(tree.missing(at) && !(open[at] === WITH_ALL_BELOW && (tree.has(at + 1) || open[at + 1] === WITH_ALL_BELOW)));
            if (open[at] && !listed) void tree.want(at);
            at += listed || !tree.has(at) ? 1 : 1 + tree.descendants[at];
        }
        return rows.slice(0, n);
    }

    private sortedRows(): Int32Array {
        const { tree, open } = this;
        const rows = new Int32Array(tree.loaded);
        let n = 0;
        let at = 0;
        walk: for (;;) {
            rows[n++] = at;
            if (open[at] && tree.opened(at)) {
                at = tree.first(at);
                continue;
            }
            if (open[at] === OPEN && tree.missing(at)) void tree.want(at);
            for (;;) {
                if (at === 0) break walk;
                const next = tree.next(at);
                if (next >= 0) {
                    at = next;
                    break;
                }
                at = tree.parent[at];
            }
        }
        return rows.slice(0, n);
    }

    sort(name: string, key: ((node: number) => number) | null, up: boolean): void {
        const by = `${name} ${up}`;
        if (by === this.sortedBy) return;
        this.sortedBy = by;
        this.tree.sortBy(key, up);
        this.changed();
        if (key) void this.completeBelow(this.open.indexOf(WITH_ALL_BELOW), this.open.lastIndexOf(WITH_ALL_BELOW) + 1);
    }

    /** Loads all nodes of a part of the tree, which can be long for a large one. */
    private async completeBelow(from: number, to: number): Promise<void> {
        const { tree } = this;
        if (from < 0 || tree.whole) return;
        const numbers = (n: number) => n.toLocaleString('en');
        await tree.wantAll(from, to, (nodes) => (this.message.value = `Loading ${numbers(nodes)} of ${numbers(to - from)} nodes.`));
        this.message.value = '';
        this.changed();
    }

    // ---- opening ----

    toggle(node: number, open = !this.open[node]): void {
        const { tree } = this;
        if (!tree.children[node] || Boolean(this.open[node]) === open) return;
        const allBelow = tree.missing(node) && this.open[node + 1] === WITH_ALL_BELOW;
        this.open[node] = open ? (allBelow ? WITH_ALL_BELOW : OPEN) : 0;
        this.changed();
    }

    openSiblings(node: number): void {
        const parent = this.tree.parent[node];
        if (parent < 0) this.open[node] ||= OPEN;
        else this.tree.forChildren(parent, (sibling) => (this.open[sibling] ||= OPEN));
        this.changed();
    }

    /** Opens what is above a node, so that it is in sight. */
    openTo(node: number): void {
        for (let at = this.tree.parent[node]; at >= 0; at = this.tree.parent[at]) {
            this.open[at] ||= OPEN;
            if (this.open[at] === OPEN) void this.tree.want(at);
        }
        this.changed();
    }

    closeBelow(node: number): void {
        this.open.fill(0, node, node + 1 + this.tree.descendants[node]);
        if (node === 0) this.open[0] = OPEN;
        this.changed();
    }

    async openBelow(node: number): Promise<void> {
        const end = node + 1 + this.tree.descendants[node];
        this.open.fill(WITH_ALL_BELOW, node, end);
        this.changed();
        if (this.tree.sorted) await this.completeBelow(node, end);
    }

    /** Loads the rows of the table from the first on. */
    async loadRows(n: number): Promise<Int32Array> {
        const rows = this.rows().slice(0, n);
        const missing = rows.findIndex((node) => !this.tree.has(node));
        if (missing >= 0) await this.completeBelow(rows[missing], rows[rows.length - 1] + 1);
        return rows;
    }

    /** Opens the hot path below a node and selects its end. */
    async hotPath(from: number, weight?: (node: number) => number): Promise<number> {
        let at = from;
        for (;;) {
            await this.tree.want(at);
            const next = this.tree.hotChild(at, weight);
            if (next < 0) break;
            this.open[at] ||= OPEN;
            at = next;
        }
        this.openTo(at);
        this.selected.value = at;
        return at;
    }

    /** What is opened and selected at first: the hot path, or if nothing has half of the time, the heaviest node. */
    async start(weight?: (node: number) => number): Promise<void> {
        if ((await this.hotPath(0, weight)) > 0 || !this.tree.opened(0)) return;
        const heaviest = this.tree.first(0);
        this.open[heaviest] ||= OPEN;
        this.select(heaviest);
    }

    select(node: number): void {
        this.openTo(node);
        this.selected.value = node;
    }

    // ---- the opened rows in the address ----

    /** Ranges of node numbers; leaves do not interrupt a range. Empty if it would be too long for an address. */
    openText(): string {
        const { tree, open } = this;
        const parts: string[] = [];
        let length = 0;
        let first = -1;
        let last = -1;
        const end = () => {
            if (first < 0) return;
            const text = first === last ? `${first}` : `${first}-${last}`;
            length += text.length + 1;
            parts.push(text);
            first = -1;
        };
        for (let at = 0; at < tree.size && length < 1200; at++) {
            if (tree.has(at) ? tree.children[at] === 0 : open[at] !== WITH_ALL_BELOW) continue;
            if (open[at]) {
                if (first < 0) first = at;
                last = at;
            } else end();
        }
        end();
        return length < 1200 ? parts.join(',') : '';
    }

    openFrom(text: string): void {
        this.open.fill(0);
        this.open[0] = OPEN;
        for (const [first, last] of parseRanks(text)) this.open.fill(WITH_ALL_BELOW, first, Math.min(last + 1, this.open.length));
        this.changed();
    }

    // ---- nodes in the address ----

    /** The names from the root to a node, which find it in another profile, too. */
    nameOf(node: number): string {
        if (node === 0) return '';
        const text = this.tree
            .pathTo(node)
            .slice(1)
            .map((at) => this.tree.nameOf(at).replace(/[\\|]/g, '\\$&'))
            .join('|');
        return text.length <= 1000 ? text : '';
    }

    /** The node with these names; if there are several, the given number or else the heaviest one. -1 if there is none. */
    async find(names: string, number: number): Promise<number> {
        const { tree } = this;
        await tree.wantNear(number);
        if (tree.has(number) && (!names || this.nameOf(number) === names)) return number;
        if (!names) return -1;
        let at = 0;
        for (const part of names.match(/(?:\\.|[^\\|])+/gs) ?? []) {
            const name = part.replace(/\\(.)/gs, '$1');
            let heaviest = -1;
            await tree.want(at);
            tree.forChildren(at, (child) => {
                if (tree.nameOf(child) === name && (child === number || heaviest < 0 || tree.weight(child) > tree.weight(heaviest)))
                    heaviest = child;
            });
            if (heaviest < 0) return at > 0 ? at : -1;
            at = heaviest;
        }
        return at;
    }

    // ---- search ----

    /** Nodes that a text is found in, in the order of the tree; of those that are here. */
    search(text: string): number[] {
        const { tree } = this;
        const hits: number[] = [];
        if (!text) return hits;
        const matches = matcher(tree, text);
        for (let at = 1; at < tree.size; at++) if (matches(at)) hits.push(at);
        return hits;
    }

    /** The same as findPlace, in all of the tree. */
    async locate(name: string, path: string, line: number): Promise<number> {
        const file = path.slice(path.lastIndexOf('/') + 1) || name.replace(/:\d+$/, '');
        try {
            if (line > 0 && file) await this.tree.findAll(`${file}:${line}`);
            else if (name) await this.tree.findAll(name);
        } catch {
            // What is here may have it.
        }
        return this.findPlace(name, path, line);
    }

    /** The heaviest node for a link to a place: its line if there is one, else its function. -1 if there is none. */
    private findPlace(name: string, path: string, line: number): number {
        const { tree } = this;
        const find = name.replace(/:\d+$/, '');
        let best = -1;
        let bestScore = 0;
        for (let at = 1; at < tree.size; at++) {
            if (tree.parent[at] === -2) continue;
            const named = tree.nameOf(at) === name;
            const here =
                line > 0 && tree.line[at] === line && (path ? tree.text(tree.path[at]) === path : tree.text(tree.file[at]) === find);
            const score = (here ? 2 : 0) + (named ? 1 : 0);
            if (score > bestScore || (score > 0 && score === bestScore && tree.weight(at) > tree.weight(best))) {
                best = at;
                bestScore = score;
            }
        }
        return best;
    }
}
