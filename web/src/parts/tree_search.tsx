// SPDX-License-Identifier: BSD-3-Clause
import { useEffect, useMemo, useState } from 'preact/hooks';

import { matcher } from '../data/tree_match';
import type { TreeState } from './tree_state';

export interface Search {
    text: string;
    /** In the order of the tree. */
    hits: number[];
    /** Of all of the tree; if these are too many, `hits` has only the heaviest ones. */
    total: number;
    /** Whether a node is one; null without a search. */
    matches: ((node: number) => boolean) | null;
    state: 'ready' | 'searching' | 'failed';
}

/** In bytes, what the server takes. */
const LONGEST = 100;

function shortened(text: string): string {
    let short = text.slice(0, LONGEST);
    while (new TextEncoder().encode(short).length > LONGEST) short = short.slice(0, -1);
    return short;
}

/** The hits of a search, here or on the server. */
export function useSearch(state: TreeState, asked: string): Search {
    const { tree } = state;
    const text = shortened(asked);
    const whole = tree.whole;
    const matches = useMemo(() => (text ? matcher(tree, text) : null), [tree, text]);
    const local = useMemo(() => (whole ? state.search(text) : []), [state, text, whole]);
    const [served, setServed] = useState<Pick<Search, 'text' | 'hits' | 'total' | 'state'>>({ text: '', hits: [], total: 0, state: 'ready' });
    useEffect(() => {
        if (whole || !text) return;
        let current = true;
        const settle = (hits: number[], total: number, how: Search['state']) => current && setServed({ text, hits, total, state: how });
        settle([], 0, 'searching');
        tree.findAll(text).then(
            (found) => settle(found?.hits ?? [], found?.total ?? 0, 'ready'),
            () => settle([], 0, 'failed'),
        );
        return () => {
            current = false;
        };
    }, [tree, text, whole]);
    return useMemo(() => {
        if (whole || !text) return { text, hits: local, total: local.length, matches, state: 'ready' };
        return served.text === text ? { ...served, matches } : { text, hits: [], total: 0, matches, state: 'searching' };
    }, [text, whole, local, served, matches]);
}

interface Props {
    state: TreeState;
    search: Search;
    onSearch: (text: string) => void;
    onHit: (node: number) => void;
}

/** A field to search a tree, with the number of hits and buttons that go to them. */
export function SearchField({ state, search, onSearch, onHit }: Props) {
    const { selected } = state;
    const { hits, total } = search;
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
    const numbers = (n: number) => n.toLocaleString('en');
    const found = () => {
        if (search.state === 'searching') return 'Searching ...';
        if (search.state === 'failed') return 'The server did not answer.';
        if (total === 0) return 'Not found.';
        const at = current >= 0 ? `${numbers(current + 1)} of ` : '';
        const all = `${numbers(total)} ${total === 1 ? 'hit' : 'hits'}`;
        return total > hits.length ? `${at}the ${numbers(hits.length)} heaviest of ${all}` : `${at}${all}`;
    };
    return (
        <span class="search" role="search">
            <label>
                Search{' '}
                <input
                    type="search"
                    value={text}
                    placeholder="function or file:line"
                    maxLength={LONGEST}
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
                        {found()}
                    </span>
                </>
            )}
        </span>
    );
}
