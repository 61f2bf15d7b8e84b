// SPDX-License-Identifier: BSD-3-Clause
// Which nodes a search finds: the same ones that the server finds in the whole tree (src/pages/columns_find.c).
import type { Tree } from './tree';

/** As the server compares: only A to Z have two cases. */
const lower = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

const CONTAINS = 1;
const IS_FILE = 2;

/** Whether a node has the text in its function or file; "halo.f90:44" finds a line. Nodes that are not here do not match. */
export function matcher(tree: Tree, text: string): (node: number) => boolean {
    const wanted = lower(text);
    const place = /^(.+):~?(\d{1,9})$/s.exec(wanted);
    const line = place ? Number(place[2]) : 0;
    const known: number[] = [];
    const match = (string: number): number => {
        if (string < 0) return 0;
        if (known[string] === undefined) {
            const of = lower(tree.strings[string]);
            known[string] = (of.includes(wanted) ? CONTAINS : 0) | (place && of.endsWith(place[1]) ? IS_FILE : 0);
        }
        return known[string];
    };
    return (node) => {
        if (node === 0 || !wanted || !tree.has(node)) return false;
        const file = match(tree.file[node]);
        return ((match(tree.name[node]) | file) & CONTAINS) !== 0 || ((file & IS_FILE) !== 0 && tree.line[node] === line);
    };
}
