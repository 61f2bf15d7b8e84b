// SPDX-License-Identifier: BSD-3-Clause
// Sampled call paths: a tree of calls, of callers or of files, a flame graph of any part of it, and the source.
import { useEffect, useState } from 'preact/hooks';

import { NoSlice, type Source } from '../data/source';
import { type FoundSlice, type Loader, Tree, type TreeSlice } from '../data/tree';
import { TreeState } from '../parts/tree_state';
import { PathsPage } from './paths_page';
import { useProfile } from '../parts/use_slice';
import { param } from '../state';
import { plural } from '../text/units';

export const TREES = ['calls', 'callers', 'flat'] as const;

// Trees are large and are read once for each profile; what the reader opened in them is kept, too.
const kept = new WeakMap<Source, Map<string, Promise<TreeState>>>();

/** Two digits for each byte: names of slices have no other characters. */
const hex = (text: string) => Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('');

function loaderOf(source: Source, which: string): Loader {
    return {
        below: (node) => source.once<TreeSlice>(`tree/${which}/${node}`),
        rows: (first, n) => source.once<TreeSlice>(`tree/${which}/rows/${first}/${n}`),
        find: (text) => source.once<FoundSlice>(`tree/${which}/find/${hex(text)}`),
    };
}

function treeOf(source: Source, which: string): Promise<TreeState> {
    let trees = kept.get(source);
    if (!trees) kept.set(source, (trees = new Map()));
    let state = trees.get(which);
    if (!state) {
        state = source.once<TreeSlice>(`tree/${which}`).then((first) => new TreeState(new Tree(which, first, source.server ? loaderOf(source, which) : null)));
        trees.set(which, state);
        state.catch(() => trees.delete(which));
    }
    return state;
}

export function PathsView() {
    const { source, summary } = useProfile();
    const wanted = param('tree');
    const which = TREES.find((name) => name === wanted) ?? 'calls';
    const [state, setState] = useState<TreeState | null>(null);
    const [problem, setProblem] = useState<Error | null>(null);
    useEffect(() => {
        let current = true;
        setProblem(null);
        if (!summary.sampled) return;
        treeOf(source, which).then(
            (tree) => current && setState(tree),
            (error: Error) => current && setProblem(error),
        );
        return () => {
            current = false;
        };
    }, [source, which, summary.sampled]);
    if (!summary.sampled || problem instanceof NoSlice)
        return (
            <>
                <h2>Call paths</h2>
                <p class="quiet" data-part="no-samples">
                    No call paths were sampled; run again without --sample off. {summary.job.mpi && 'The view MPI has the lines that call MPI routines.'}
                </p>
            </>
        );
    if (problem)
        return (
            <p class="problem" role="alert">
                The call paths cannot be shown: {problem.message}
            </p>
        );
    if (!state || state.tree.which !== which)
        return (
            <p class="quiet" role="status">
                Loading the call paths of {plural(summary.job.ranks, 'rank')} ...
            </p>
        );
    return <PathsPage key={which} state={state} />;
}
