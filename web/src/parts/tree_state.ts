// SPDX-License-Identifier: BSD-3-Clause
// What a reader did with a tree: opened rows, the selected node, the search. Rows of the table are made anew when
// something was opened, which takes some milliseconds per 100,000 rows; scrolling does not touch them.
import { signal } from '@preact/signals';

import { parseRanks } from '../data/rankset';
import type { Tree } from '../data/tree';

/** Requests for one "expand all": beyond, the reader is told and may go on. */
const MOST_REQUESTS = 100;

export class TreeState {
    readonly selected = signal(0);
    /** Changes whenever the rows change. */
    readonly version = signal(0);
    readonly message = signal('');
    readonly open: Uint8Array;
    private rowsMade: Int32Array | null = null;
    private madeFor = -1;
    private sortedBy = '';
    private opening = false; // all below a node: it asks for what is missing itself

    constructor(readonly tree: Tree) {
        this.open = new Uint8Array(tree.size);
        this.open[0] = 1;
    }

    private changed(): void {
        this.rowsMade = null;
        this.version.value++;
    }

    /** Nodes in sight if the table were endless, in its order. */
    rows(): Int32Array {
        const { tree, open } = this;
        if (this.rowsMade && this.madeFor === tree.version.peek()) return this.rowsMade;
        const rows = new Int32Array(tree.loaded);
        let n = 0;
        let at = 0;
        walk: for (;;) {
            rows[n++] = at;
            if (open[at] && tree.opened(at)) {
                at = tree.first(at);
                continue;
            }
            if (open[at] && !this.opening && tree.missing(at)) void tree.want(at);
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
        this.rowsMade = rows.subarray(0, n);
        this.madeFor = tree.version.peek();
        return this.rowsMade;
    }

    sort(name: string, key: ((node: number) => number) | null, up: boolean): void {
        const by = `${name} ${up}`;
        if (by === this.sortedBy) return;
        this.sortedBy = by;
        this.tree.sortBy(key, up);
        this.changed();
    }

    // ---- opening ----

    toggle(node: number, open = !this.open[node]): void {
        if (!this.tree.children[node] || Boolean(this.open[node]) === open) return;
        this.open[node] = open ? 1 : 0;
        this.changed();
    }

    openSiblings(node: number): void {
        const parent = this.tree.parent[node];
        if (parent < 0) this.open[node] = 1;
        else this.tree.forChildren(parent, (sibling) => (this.open[sibling] = 1));
        this.changed();
    }

    /** Opens what is above a node, so that it is in sight. */
    openTo(node: number): void {
        for (let at = this.tree.parent[node]; at >= 0; at = this.tree.parent[at]) this.open[at] = 1;
        this.changed();
    }

    closeBelow(node: number): void {
        this.open.fill(0, node, node + 1 + this.tree.descendants[node]);
        if (node === 0) this.open[0] = 1;
        this.changed();
    }

    async openBelow(node: number): Promise<void> {
        const { tree } = this;
        const end = node + 1 + tree.descendants[node];
        this.open.fill(1, node, end);
        this.message.value = '';
        this.opening = true;
        this.changed();
        for (let requests = 0; ; ) {
            const missing: number[] = [];
            for (let at = node; at < end; at++) if (tree.has(at) && tree.missing(at)) missing.push(at);
            if (!missing.length) break;
            missing.sort((a, b) => tree.descendants[b] - tree.descendants[a]); // the fewest requests for most nodes
            const some = missing.slice(0, MOST_REQUESTS - requests);
            requests += some.length;
            if (!some.length || tree.problem.peek()) {
                for (const at of missing) this.open[at] = 0;
                this.message.value = `${missing.length.toLocaleString('en')} nodes are not yet expanded: expand all again to go on.`;
                break;
            }
            await Promise.all(some.map((at) => tree.want(at)));
        }
        this.opening = false;
        this.changed();
    }

    /** Opens the hot path below a node and selects its end. */
    async hotPath(from: number, weight?: (node: number) => number): Promise<number> {
        let at = from;
        for (;;) {
            await this.tree.want(at);
            const next = this.tree.hotChild(at, weight);
            if (next < 0) break;
            this.open[at] = 1;
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
        this.open[heaviest] = 1;
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
            if (tree.children[at] === 0) continue;
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
        this.open[0] = 1;
        for (const [first, last] of parseRanks(text)) this.open.fill(1, first, Math.min(last + 1, this.open.length));
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

    /** Nodes whose function or file has the text, in the order of the tree; "halo.f90:44" finds a line. */
    search(text: string): number[] {
        const { tree } = this;
        const wanted = text.toLowerCase();
        if (!wanted) return [];
        const place = /^(.+):~?(\d+)$/.exec(wanted);
        const names = Uint8Array.from(tree.strings, (string) => (string.toLowerCase().includes(wanted) ? 1 : 0));
        const files = place ? Uint8Array.from(tree.strings, (string) => (string.toLowerCase().endsWith(place[1]) ? 1 : 0)) : null;
        const line = place ? Number(place[2]) : 0;
        const hits: number[] = [];
        for (let at = 1; at < tree.size; at++) {
            if (tree.parent[at] === -2) continue;
            const file = tree.file[at];
            if (names[tree.name[at]] || (file >= 0 && names[file]) || (files && tree.line[at] === line && file >= 0 && files[file]))
                hits.push(at);
        }
        return hits;
    }

    /** The heaviest node for a link to a place: its line if there is one, else its function. -1 if there is none. */
    findPlace(name: string, path: string, line: number): number {
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
