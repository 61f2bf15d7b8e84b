// SPDX-License-Identifier: BSD-3-Clause
// A tree as a table, with the keys of the ARIA pattern for tree grids. Only the rows in sight are in the page, so that it
// scrolls as well with a million rows as with ten.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import { saveCsv } from './copy';
import type { TreeState } from './tree_state';

export interface TreeColumn {
    key: string;
    title: string;
    /** What it is, and from what it was computed. */
    about: string;
    /** Width in characters. */
    width: number;
    text?: boolean;
    /** For sorting, NaN if unknown; of texts their place in alphabetical order, negative. */
    value: (node: number) => number;
    show: (node: number) => string;
    /** For CSV; the value if missing. */
    plain?: (node: number) => string;
    /** Draws a bar behind the number: a fraction. */
    bar?: (node: number) => number;
    /** A picture instead of the text. */
    draw?: (node: number) => ComponentChildren;
    /** The text is quiet: a note rather than a value. */
    quiet?: (node: number) => boolean;
}

interface Props {
    name: string;
    caption: string;
    state: TreeState;
    columns: TreeColumn[];
    sort: string;
    up: boolean;
    onSort: (key: string, up: boolean) => void;
    label: (node: number) => ComponentChildren;
    title: (node: number) => string;
    /** Enter and double click. */
    onActivate: (node: number) => void;
    onSelect: (node: number) => void;
    rowClass?: (node: number) => string;
    heading: string;
}

const ROW = 24;
const TALLEST = 12_000_000; // browsers limit the height of elements
const CSV_ROWS = 200_000;
const AHEAD = 40;

export function TreeTable(props: Props) {
    const { state, columns, sort, up, onSort, heading } = props;
    const { tree } = state;
    const id = useId();
    const box = useRef<HTMLDivElement>(null);
    const [top, setTop] = useState(0);
    const [height, setHeight] = useState(400);
    void state.version.value;
    void tree.version.value;
    void tree.filled.value;
    const rows = state.rows();
    const selected = state.selected.value;
    const at = useMemo(() => rows.indexOf(selected), [rows, selected]);
    const inSight = Math.max(1, Math.floor((height - ROW) / ROW));
    const full = rows.length * ROW;
    const tall = Math.min(full, TALLEST);
    // If the rows are taller than elements can be, the position of the scroll bar is stretched to them.
    const view = height - ROW;
    const scale = full > tall ? (full - view) / (tall - view) : 1;
    const offset = top * scale;
    const from = Math.max(0, Math.floor(offset / ROW) - 4);
    const to = Math.min(rows.length, from + inSight + 9);
    const shift = top - offset;

    useLayoutEffect(() => {
        const element = box.current;
        if (!element) return;
        const observer = new ResizeObserver(() => setHeight(element.clientHeight));
        observer.observe(element);
        return () => observer.disconnect();
    }, []);

    const scrollTo = (index: number) => {
        const element = box.current;
        if (!element || index < 0) return;
        const first = offset / ROW;
        let wanted = first;
        if (index < first) wanted = index;
        else if (index + 1 > first + inSight) wanted = index + 1 - inSight;
        if (wanted === first) return;
        element.scrollTop = (wanted * ROW) / scale;
        setTop(element.scrollTop);
    };
    // The selected row comes into sight when another one is selected, not when rows are opened or closed.
    useEffect(() => scrollTo(at), [selected, tree]);

    // Rows that are, or will soon be, in sight.
    useEffect(() => {
        for (let index = Math.max(0, from - AHEAD); index < Math.min(rows.length, to + AHEAD); index++)
            if (!tree.has(rows[index])) void tree.wantNear(rows[index]);
    });

    const goTo = (index: number) => {
        const node = rows[Math.max(0, Math.min(rows.length - 1, index))];
        state.selected.value = node;
        props.onSelect(node);
    };
    const onKeyDown = (event: KeyboardEvent) => {
        if (event.target !== box.current || event.ctrlKey || event.altKey || event.metaKey) return;
        switch (event.key) {
            case 'ArrowDown':
                goTo(at + 1);
                break;
            case 'ArrowUp':
                goTo(Math.max(0, at - 1));
                break;
            case 'PageDown':
                goTo(at + inSight - 1);
                break;
            case 'PageUp':
                goTo(at - inSight + 1);
                break;
            case 'Home':
                goTo(0);
                break;
            case 'End':
                goTo(rows.length - 1);
                break;
            case 'ArrowRight':
                if (tree.children[selected] && !state.open[selected]) state.toggle(selected, true);
                else if (tree.opened(selected)) goTo(at + 1);
                break;
            case 'ArrowLeft':
                if (tree.children[selected] && state.open[selected]) state.toggle(selected, false);
                else if (tree.parent[selected] >= 0) goTo(rows.indexOf(tree.parent[selected]));
                break;
            case '*':
                state.openSiblings(selected);
                break;
            case 'Enter':
                props.onActivate(selected);
                break;
            default:
                return;
        }
        event.preventDefault();
    };
    const template = `minmax(min(22rem, 50vw), 1fr) ${columns.map(({ width }) => `${width}ch`).join(' ')}`;
    const minWidth = `calc(min(22rem, 50vw) + ${columns.reduce((sum, { width }) => sum + width, 0)}ch)`;
    const ariaSort = (key: string) => (sort === key ? (up ? 'ascending' : 'descending') : undefined);
    const headingCell = (key: string, title: string, about: string, text: boolean) => (
        <div key={key} role="columnheader" class={text ? 'text' : 'number'} aria-sort={ariaSort(key)}>
            <button type="button" title={`${about}. Click to sort.`} onClick={() => onSort(key, sort === key && !up)}>
                {title}
                <span aria-hidden="true">{sort === key ? (up ? ' ▴' : ' ▾') : ''}</span>
            </button>
        </div>
    );
    /** A row whose node is not here yet. */
    const waiting = (index: number, node: number) => (
        <div
            key={index - from}
            id={`${id}-${node}`}
            role="row"
            class={`row loading${node === selected ? ' selected' : ''}`}
            aria-rowindex={index + 2}
            aria-busy="true"
            style={{ minWidth, transform: `translateY(${index * ROW + shift}px)` }}
        >
            <div role="rowheader" class="name quiet">
                Loading ...
            </div>
        </div>
    );
    const row = (index: number) => {
        const node = rows[index];
        if (!tree.has(node)) return waiting(index, node);
        const open = state.open[node] > 0;
        const parent = tree.children[node] > 0;
        const indent = Math.min(tree.depth[node], 40) * 0.9;
        return (
            <div
                key={index - from}
                id={`${id}-${node}`}
                role="row"
                class={`row ${props.rowClass?.(node) ?? ''}${node === selected ? ' selected' : ''}`}
                aria-level={tree.depth[node] + 1}
                aria-rowindex={index + 2}
                aria-expanded={parent ? open : undefined}
                aria-selected={node === selected}
                style={{ gridTemplateColumns: template, minWidth, transform: `translateY(${index * ROW + shift}px)` }}
                onMouseDown={(event) => {
                    if (event.button) return;
                    state.selected.value = node;
                    props.onSelect(node);
                }}
                onDblClick={() => props.onActivate(node)}
            >
                <div role="rowheader" class="name" style={{ paddingLeft: `${indent}rem` }} title={props.title(node)}>
                    <span
                        class="twist"
                        aria-hidden="true"
                        onMouseDown={(event) => {
                            if (!parent) return;
                            event.stopPropagation();
                            event.preventDefault();
                            state.toggle(node);
                            box.current?.focus();
                        }}
                    >
                        {parent ? (open ? (tree.missing(node) ? '…' : '▾') : '▸') : ''}
                    </span>
                    <bdi>{props.label(node)}</bdi>
                </div>
                {columns.map((column) => {
                    const share = column.bar ? column.bar(node) : 0;
                    return (
                        <div
                            key={column.key}
                            role="gridcell"
                            class={`${column.text ? 'text' : 'number'}${column.quiet?.(node) ? ' quiet' : ''}`}
                            title={column.text && !column.draw ? column.show(node).slice(0, 500) : undefined}
                        >
                            {share > 0 && <span class="bar" style={{ width: `${100 * Math.min(1, share)}%` }} aria-hidden="true" />}
                            <span class="content">{column.draw ? column.draw(node) : column.text ? <bdi>{column.show(node)}</bdi> : column.show(node)}</span>
                        </div>
                    );
                })}
            </div>
        );
    };
    const exported = async () => {
        const all = await state.loadRows(CSV_ROWS);
        saveCsv(
            props.name,
            ['Level', heading, ...columns.map(({ title }) => title)],
            Array.from(all, (node) => [
                tree.depth[node],
                tree.nameOf(node),
                ...columns.map(({ value, show, plain, text }) => {
                    if (plain || text) return (plain ?? show)(node);
                    const number = value(node);
                    return Number.isNaN(number) ? null : number;
                }),
            ]),
        );
    };
    const shown: ComponentChildren[] = [];
    for (let index = from; index < to; index++) shown.push(row(index));
    const selectedInSight = at >= from && at < to;
    return (
        <div class="tree-table" data-table={props.name}>
            <div
                class="tree-scroll"
                ref={box}
                role="treegrid"
                tabIndex={0}
                aria-label={props.caption}
                aria-rowcount={rows.length + 1}
                aria-activedescendant={selectedInSight ? `${id}-${selected}` : undefined}
                onKeyDown={onKeyDown}
                onScroll={() => setTop(box.current?.scrollTop ?? 0)}
            >
                <div class="head" role="row" aria-rowindex={1} style={{ gridTemplateColumns: template, minWidth }}>
                    {headingCell('name', heading, 'Functions, MPI routines and lines', true)}
                    {columns.map(({ key, title, about, text }) => headingCell(key, title, about, Boolean(text)))}
                </div>
                <div class="rows" role="rowgroup" style={{ height: `${tall}px`, minWidth }}>
                    {shown}
                </div>
            </div>
            <p class="tools">
                <span class="quiet">
                    {rows.length.toLocaleString('en')} of {tree.size.toLocaleString('en')} rows are open
                    {tree.whole ? '' : `, ${tree.loaded.toLocaleString('en')} loaded`}. Keys: arrows; Enter: into the flame graph; *: expand siblings.
                </span>
                <button type="button" onClick={() => void exported()}>
                    Save as CSV
                </button>
            </p>
        </div>
    );
}
