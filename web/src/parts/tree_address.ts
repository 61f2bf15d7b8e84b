// SPDX-License-Identifier: BSD-3-Clause
// The selected node of a tree, the node that the flame graph shows, and the opened rows, in the address:
//
//   node, at     names from the root to the selected node, and its number; names find it in another profile, too
//   zoom, top    the same of the flame graph
//   open         numbers of opened nodes
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

import { param, setParam } from '../state';
import type { TreeState } from './tree_state';

export interface AddressOptions {
    /** Whether the address is that of this page. */
    here: () => boolean;
    /** Reads what else the address says; true if it selects a node. */
    first?: () => Promise<boolean>;
    /** What else is written. */
    more?: Record<string, string>;
    /** What the hot path follows. */
    weight?: (node: number) => number;
}

export interface TreeAddress {
    zoom: number;
    /** All three are things that the reader did, and are written to the address. */
    onZoom: (node: number) => void;
    onSelect: (node: number) => void;
    touch: () => void;
}

export function useTreeAddress(state: TreeState, { here, first, more = {}, weight }: AddressOptions): TreeAddress {
    const [zoom, setZoom] = useState(0);
    const touched = useRef(false);
    const selected = state.selected.value;
    const opened = state.version.value;
    useEffect(() => {
        let current = true;
        const read = async () => {
            if (!here()) return;
            const open = param('open');
            if (open) state.openFrom(open);
            if (await first?.()) {
                if (current) setZoom(0);
                return;
            }
            const number = (name: string) => (param(name) ? Number(param(name)) : -1);
            const node = await state.find(param('node'), number('at'));
            const top = await state.find(param('zoom'), number('top'));
            if (!current) return;
            setZoom(Math.max(0, top));
            if (node >= 0) state.select(node);
            else if (!touched.current && state.selected.peek() === 0 && !open) await state.start(weight);
        };
        const moved = () => {
            touched.current = false; // what the reader did before is not written into the new address
            void read();
        };
        void read();
        window.addEventListener('hashchange', moved);
        return () => {
            current = false;
            window.removeEventListener('hashchange', moved);
        };
    }, [state]);
    // Not at each step of a held key: browsers limit how often the address may change.
    useEffect(() => {
        if (!touched.current) return;
        const timer = setTimeout(() => {
            if (!touched.current || !here()) return;
            setParam({
                node: state.nameOf(selected),
                at: String(selected),
                zoom: zoom ? state.nameOf(zoom) : '',
                top: zoom ? String(zoom) : '',
                open: state.openText(),
                ...more,
            });
        }, 300);
        return () => clearTimeout(timer);
    }, [selected, zoom, opened, JSON.stringify(more)]);
    const touch = useCallback(() => {
        touched.current = true;
    }, []);
    return {
        zoom,
        touch,
        onZoom: useCallback((node: number) => {
            touched.current = true;
            setZoom(Math.max(0, node));
        }, []),
        onSelect: useCallback(
            (node: number) => {
                touched.current = true;
                state.selected.value = node;
            },
            [state],
        ),
    };
}
