// SPDX-License-Identifier: BSD-3-Clause
import { useEffect, useMemo, useState } from 'preact/hooks';

import type { TreeState } from './tree_state';

export interface Search {
    text: string;
    hits: number[];
    /** By node: 1 if it is a hit; null without a search. */
    flags: Uint8Array | null;
}

/** The hits of a search, found again when more of the tree was loaded. */
export function useSearch(state: TreeState, text: string): Search {
    const version = state.tree.version.value;
    return useMemo(() => {
        const hits = state.search(text);
        if (!text) return { text, hits, flags: null };
        const flags = new Uint8Array(state.tree.size);
        for (const node of hits) flags[node] = 1;
        return { text, hits, flags };
    }, [state, text, version]);
}

interface Props {
    state: TreeState;
    search: Search;
    onSearch: (text: string) => void;
    onHit: (node: number) => void;
}

/** A field to search a tree, with the number of hits and buttons that go to them. */
export function SearchField({ state, search, onSearch, onHit }: Props) {
    const { tree, selected } = state;
    const { hits } = search;
    const [text, setText] = useState(search.text);
    useEffect(() => setText(search.text), [search.text]);
    useEffect(() => {
        if (text === search.text) return;
        const timer = setTimeout(() => onSearch(text), 200);
        return () => clearTimeout(timer);
    }, [text]);
    const current = hits.indexOf(selected.value);
    const go = (step: number) => {
        if (!hits.length) return;
        let index = current < 0 ? (step > 0 ? 0 : hits.length - 1) : (current + step + hits.length) % hits.length;
        if (current < 0) {
            // From the selected row on, not from the first one.
            const after = hits.findIndex((node) => node > selected.value);
            if (after >= 0) index = step > 0 ? after : (after - 1 + hits.length) % hits.length;
        }
        onHit(hits[index]);
    };
    const where = tree.whole ? '' : ` in the ${tree.loaded.toLocaleString('en')} of ${tree.size.toLocaleString('en')} nodes that are loaded`;
    return (
        <span class="search" role="search">
            <label>
                Search{' '}
                <input
                    type="search"
                    value={text}
                    placeholder="function or file:line"
                    onInput={(event) => setText(event.currentTarget.value)}
                    onKeyDown={(event) => {
                        if (event.key !== 'Enter') return;
                        event.preventDefault();
                        if (text !== search.text) onSearch(text);
                        else go(event.shiftKey ? -1 : 1);
                    }}
                />
            </label>
            {search.text && (
                <>
                    <button type="button" disabled={!hits.length} onClick={() => go(-1)} aria-label="Previous hit">
                        ‹
                    </button>
                    <button type="button" disabled={!hits.length} onClick={() => go(1)} aria-label="Next hit">
                        ›
                    </button>
                    <span aria-live="polite" class="quiet" data-part="hits">
                        {hits.length === 0
                            ? `Not found${where}.`
                            : `${current >= 0 ? `${(current + 1).toLocaleString('en')} of ` : ''}${hits.length.toLocaleString('en')} ${hits.length === 1 ? 'hit' : 'hits'}${where}`}
                    </span>
                </>
            )}
        </span>
    );
}
