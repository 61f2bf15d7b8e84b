// SPDX-License-Identifier: BSD-3-Clause
// A table that can be sorted by each column and saved as CSV. Only the rows in sight are in the page if there are many.
import type { ComponentChildren } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';

import { param, setParam } from '../state';
import { saveCsv } from './copy';

export interface Column<Row> {
    /** Also the heading in CSV, together with the unit. */
    title: string;
    unit?: string;
    /** What the column is, and from what it was computed. */
    about?: string;
    /** For sorting and CSV: null if unknown. */
    value: (row: Row) => string | number | null;
    /** How it is shown; the value itself if missing. */
    show?: (row: Row) => ComponentChildren;
    /** Numbers are at the right; texts are not. */
    text?: boolean;
    /** Draws a bar behind the number, relative to the largest. */
    bar?: boolean;
}

interface Props<Row> {
    name: string;
    caption: string;
    columns: Column<Row>[];
    rows: Row[];
    /** Index of the column by which it is sorted first, descending; without: the order of the rows. */
    sortedBy?: number;
    /** Rows at first; a button shows all. */
    limit?: number;
    rowKey?: (row: Row, index: number) => string | number;
    rowClass?: (row: Row) => string;
    onRow?: (row: Row) => void;
}

const ROW = 26;
const VIRTUAL = 300;
const UPWARDS = / up$/;

function compare(a: string | number | null, b: string | number | null): number {
    if (a === b) return 0;
    if (a === null) return 1; // unknown ones last
    if (b === null) return -1;
    return typeof a === 'number' && typeof b === 'number' ? b - a : String(a).localeCompare(String(b));
}

export function Table<Row>({ name, caption, columns, rows, sortedBy, limit, rowKey, rowClass, onRow }: Props<Row>) {
    // In the address by title, because the columns depend on the profile.
    const asked = param(`sort.${name}`);
    const wanted = columns.findIndex(({ title }) => title === asked.replace(UPWARDS, ''));
    const column = wanted >= 0 ? wanted : (sortedBy ?? -1);
    const up = wanted >= 0 && UPWARDS.test(asked);
    const [all, setAll] = useState(false);
    const [top, setTop] = useState(0);
    const box = useRef<HTMLDivElement>(null);
    const sorted = useMemo(() => {
        if (column < 0) return rows;
        const { value } = columns[column];
        const order = rows.map((row) => ({ row, key: value(row) })).sort((a, b) => compare(a.key, b.key));
        return (up ? order.reverse() : order).map(({ row }) => row);
    }, [rows, columns, column, up]);
    const sortBy = (index: number) =>
        setParam({ [`sort.${name}`]: `${columns[index].title}${index === column && !up ? ' up' : ''}` });
    const largest = useMemo(
        () => columns.map((c) => (c.bar ? Math.max(0, ...rows.slice(0, 10000).map((row) => Number(c.value(row)) || 0)) : 0)),
        [rows, columns],
    );
    const shown = limit && !all ? sorted.slice(0, limit) : sorted;
    const virtual = shown.length > VIRTUAL;
    const from = virtual ? Math.max(0, Math.floor(top / ROW) - 20) : 0;
    const to = virtual ? Math.min(shown.length, from + 80) : shown.length;

    const cell = (row: Row, column: Column<Row>, index: number) => {
        const value = column.value(row);
        const content = column.show ? column.show(row) : value === null ? 'unknown' : value;
        const share = column.bar && largest[index] > 0 && typeof value === 'number' ? value / largest[index] : 0;
        return (
            <td key={index} class={column.text ? 'text' : 'number'}>
                {share > 0 && <span class="bar" style={{ width: `${100 * share}%` }} aria-hidden="true" />}
                <span class="content">{content}</span>
            </td>
        );
    };
    const ariaSort = (index: number) => (column === index ? (up ? 'ascending' : 'descending') : undefined);
    const exported = () =>
        saveCsv(
            name,
            columns.map((c) => (c.unit ? `${c.title} (${c.unit})` : c.title)),
            sorted.map((row) => columns.map((c) => c.value(row))),
        );
    return (
        <div class="table" data-table={name}>
            <div
                class={virtual ? 'scroll tall' : 'scroll'}
                ref={box}
                tabIndex={0}
                role="region"
                aria-label={caption}
                onScroll={virtual ? () => setTop(box.current?.scrollTop ?? 0) : undefined}
            >
                <table aria-rowcount={shown.length}>
                    <caption>
                        <span>{caption}</span>
                    </caption>
                    <thead>
                        <tr>
                            {columns.map((heading, index) => (
                                <th key={index} scope="col" class={heading.text ? 'text' : 'number'} aria-sort={ariaSort(index)}>
                                    <button
                                        type="button"
                                        title={heading.about ? `${heading.about}. Click to sort.` : 'Click to sort.'}
                                        onClick={() => sortBy(index)}
                                    >
                                        {heading.title}
                                        <span aria-hidden="true">{column === index ? (up ? ' ▴' : ' ▾') : ''}</span>
                                    </button>
                                </th>
                            ))}
                        </tr>
                    </thead>
                    <tbody>
                        {from > 0 && <tr aria-hidden="true" style={{ height: `${from * ROW}px` }} />}
                        {shown.slice(from, to).map((row, i) => (
                            <tr
                                key={rowKey ? rowKey(row, from + i) : from + i}
                                class={rowClass?.(row)}
                                onClick={onRow ? () => onRow(row) : undefined}
                            >
                                {columns.map((column, index) => cell(row, column, index))}
                            </tr>
                        ))}
                        {to < shown.length && <tr aria-hidden="true" style={{ height: `${(shown.length - to) * ROW}px` }} />}
                    </tbody>
                </table>
            </div>
            {to - from < sorted.length && (
                <p class="quiet on-paper">
                    Rows {from + 1} to {to} of {sorted.length}.
                </p>
            )}
            <p class="tools">
                {limit !== undefined && sorted.length > limit && (
                    <button type="button" onClick={() => setAll(!all)}>
                        {all ? 'Show fewer rows' : `Show all ${sorted.length} rows`}
                    </button>
                )}
                <button type="button" onClick={exported}>
                    Save as CSV
                </button>
            </p>
        </div>
    );
}
