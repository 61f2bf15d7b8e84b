// SPDX-License-Identifier: BSD-3-Clause
// The job list: the server sends a page after a cursor at a time, so that it does not matter how many jobs there are. Further
// pages are appended while one scrolls, up to MOST rows; after that the list goes on on a page of its own.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { saveCsv } from '../parts/copy';
import { address, addressOf, param, setParam } from '../state';
import { count } from '../text/units';
import { ask, type JobPage, type Me, query, type SiteJob } from './data';
import { FilterBar, filterOf } from './filter';
import { FootprintLegend } from './footprint';
import { ColumnsMenu, type JobColumn, shownColumns } from './job_columns';

export const ORDERS: Record<string, string> = { wasted: 'wasted CPU time', ended: 'end', cpu: 'CPU time', efficiency: 'efficiency', mpi: 'time in MPI' };
const PAGE = 50;
const MOST = 500;

function usualOrder(me: Me): string {
    return me.staff ? 'wasted' : 'ended';
}

interface Rows {
    of: string;
    jobs: SiteJob[];
    next: string | null;
    count: number | null;
    exact: boolean;
}

/** The rows of a question, page by page. */
function useRows(question: Record<string, string>): { rows: Rows | null; busy: boolean; error: string; more: () => void } {
    const of = query('jobs', question);
    const [rows, setRows] = useState<Rows | null>(null);
    const [error, setError] = useState('');
    const [busy, setBusy] = useState(true);
    const current = useRef(of);
    current.current = of;
    useEffect(() => {
        setBusy(true);
        setError('');
        ask<JobPage>(query('jobs', { ...question, limit: PAGE, count: 1 })).then(
            (page) => {
                if (current.current !== of) return;
                setRows({ of, jobs: page.jobs, next: page.next, count: page.count ?? null, exact: page.exact !== false });
                setBusy(false);
            },
            (failure: Error) => {
                if (current.current !== of) return;
                setError(failure.message);
                setBusy(false);
            },
        );
    }, [of]);
    const more = () => {
        if (busy || !rows?.next || rows.jobs.length >= MOST) return;
        setBusy(true);
        ask<JobPage>(query('jobs', { ...question, limit: PAGE, after: rows.next })).then(
            (page) => {
                if (current.current !== of) return;
                setRows({ ...rows, jobs: [...rows.jobs, ...page.jobs], next: page.next });
                setBusy(false);
            },
            (failure: Error) => {
                if (current.current !== of) return;
                setError(failure.message);
                setBusy(false);
            },
        );
    };
    return { rows, busy, error, more };
}

const PRESETS: [string, Record<string, string>][] = [
    ['Most wasted', { order: 'wasted' }],
    ['More than 15 % in MPI', { order: 'mpi', mpi: '15' }],
    ['Did not finish', { order: 'ended', state: 'incomplete' }],
    ['Newest', { order: 'ended' }],
];

export function JobList({ me }: { me: Me }) {
    useEffect(() => {
        document.title = `${me.staff ? 'Jobs' : 'My jobs'} - Fathom`;
    }, [me]);
    const order = ORDERS[param('order')] ? param('order') : usualOrder(me);
    const up = param('up') === '1';
    const question = { ...filterOf(me), order, ...(up ? { up: '1' } : {}), ...(param('after') ? { after: param('after') } : {}) };
    const { rows, busy, error, more } = useRows(question);
    const columns = shownColumns(me);
    return (
        <>
            <h1>
                {me.staff ? 'Jobs' : 'My jobs'}{' '}
                <small data-part="count" role={busy && !rows ? 'status' : undefined}>
                    {rows ? howMany(rows) : 'Loading ...'}
                </small>
            </h1>
            <p class="presets">
                {PRESETS.map(([title, values]) => (
                    <a key={title} href={addressOf(['jobs'], { last: param('last'), ...values })}>
                        {title}
                    </a>
                ))}
            </p>
            <FilterBar me={me} />
            <div class="controls">
                <label>
                    Sort by{' '}
                    <select data-choice="order" value={order} onChange={(event) => setParam({ order: event.currentTarget.value, up: '', after: '' })}>
                        {Object.entries(ORDERS).map(([key, title]) => (
                            <option key={key} value={key}>
                                {title}
                            </option>
                        ))}
                    </select>
                </label>
                <button type="button" aria-pressed={up} onClick={() => setParam({ up: up ? '' : '1', after: '' })}>
                    {up ? 'Least first' : 'Most first'}
                </button>
                <ColumnsMenu me={me} shown={columns} />
                {rows && (
                    <button type="button" onClick={() => saveCsv('jobs', columns.filter(({ key }) => key !== 'footprint').map(({ title }) => title), rows.jobs.map((job) => columns.filter(({ key }) => key !== 'footprint').map(({ value }) => value(job))))}>
                        Save as CSV
                    </button>
                )}
                {param('after') && (
                    <a href={addressOf(address.value.path.length ? address.value.path : ['jobs'], { ...Object.fromEntries(address.value.params), after: '' })}>First page</a>
                )}
            </div>
            {error && (
                <p class="problem" role="alert">
                    The jobs cannot be shown: {error}
                </p>
            )}
            {rows && rows.jobs.length === 0 && <p class="calm">No job fits the filter.</p>}
            {rows && rows.jobs.length > 0 && (
                <>
                    {columns.some(({ key }) => key === 'footprint') && <FootprintLegend />}
                    <Jobs me={me} jobs={rows.jobs} columns={columns} order={order} up={up} stale={rows.of !== query('jobs', question)} />
                    <More rows={rows} busy={busy} more={more} />
                </>
            )}
        </>
    );
}

function howMany({ count: n, exact }: Rows): string {
    if (n === null) return '';
    return `${exact ? '' : 'about '}${count(Math.round(n))} ${n === 1 ? 'job' : 'jobs'}`;
}

function More({ rows, busy, more }: { rows: Rows; busy: boolean; more: () => void }) {
    const end = useRef<HTMLParagraphElement>(null);
    const latest = useRef(more);
    latest.current = more;
    useEffect(() => {
        const element = end.current;
        if (!element) return;
        const observer = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && latest.current(), { rootMargin: '300px' });
        observer.observe(element);
        return () => observer.disconnect();
        // anew after each page: if the end is still in sight, the next one is asked for
    }, [rows.jobs.length]);
    if (!rows.next) return <p class="quiet" data-part="end">{count(rows.jobs.length)} rows, the last one is shown.</p>;
    if (rows.jobs.length >= MOST)
        return (
            <p data-part="end">
                <a href={addressOf(['jobs'], { ...Object.fromEntries(address.value.params), after: rows.next })} onClick={() => window.scrollTo(0, 0)}>
                    Go on after these {count(rows.jobs.length)} rows
                </a>
            </p>
        );
    return (
        <p ref={end} class="quiet" data-part="end">
            <button type="button" onClick={more} disabled={busy}>
                Show {PAGE} more
            </button>{' '}
            {count(rows.jobs.length)} rows are shown.
        </p>
    );
}

interface JobsProps {
    me: Me;
    jobs: SiteJob[];
    columns: JobColumn[];
    /** Without: the list cannot be sorted. */
    order?: string;
    up?: boolean;
    stale?: boolean;
}

export function Jobs({ me, jobs, columns, order, up = false, stale }: JobsProps) {
    const body = useMemo(
        () =>
            jobs.map((job) => (
                <tr key={job.id} data-job={job.id}>
                    {columns.map((column) => (
                        <td key={column.key} class={column.text ? `text col-${column.key}` : 'number'}>
                            {column.show(job, me)}
                        </td>
                    ))}
                </tr>
            )),
        [jobs, columns.map(({ key }) => key).join(), me],
    );
    const sort = (column: JobColumn) => setParam({ order: column.order ?? '', up: order === column.order && !up ? '1' : '', after: '' });
    return (
        <div class={stale ? 'table jobs stale' : 'table jobs'} data-table="jobs" aria-busy={stale ? 'true' : undefined}>
            <div class="scroll" tabIndex={0} role="region" aria-label="Jobs">
                <table>
                    <thead>
                        <tr>
                            {columns.map((column) => {
                                const sorted = order !== undefined && column.order === order;
                                return (
                                    <th key={column.key} scope="col" class={column.text ? 'text' : 'number'} aria-sort={sorted ? (up ? 'ascending' : 'descending') : undefined} title={column.order ? undefined : column.about}>
                                        {column.order && order !== undefined ? (
                                            <button type="button" onClick={() => sort(column)} title={`${column.about ? `${column.about}. ` : ''}Click to sort.`}>
                                                {column.title}
                                                <span aria-hidden="true">{sorted ? (up ? ' ▴' : ' ▾') : ' ·'}</span>
                                            </button>
                                        ) : (
                                            (column.heading ?? column.title)
                                        )}
                                    </th>
                                );
                            })}
                        </tr>
                    </thead>
                    <tbody>{body}</tbody>
                </table>
            </div>
        </div>
    );
}
