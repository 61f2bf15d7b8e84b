// SPDX-License-Identifier: BSD-3-Clause
// How the runs of a program developed: efficiency, time of regions, timers and MPI routines, findings; and what became
// slower since when.
import { useEffect, useMemo, useState } from 'preact/hooks';
import type uPlot from 'uplot';

import { fetchDocument, type Source } from './data/source';
import { ChartFrame, Plot } from './parts/chart';
import { colour, coloursOfNames } from './parts/colours';
import { Loading } from './parts/loading';
import { Table } from './parts/table';
import { addressOf, param, setParam } from './state';
import { commitShort } from './text/names';
import { date, percent, plural, seconds, UNKNOWN } from './text/units';

interface Change {
    run: number;
    before: number;
    after: number;
    certainty: number;
    worse: boolean;
    text: string;
}

interface Series {
    kind: 'run' | 'factor' | 'region' | 'timer' | 'routine';
    name: string;
    values: (number | null)[];
    changes: Change[];
}

interface Run {
    id: string | null;
    file: string;
    job: string;
    started: string | null;
    build_id: string;
    commit: string | null;
    complete: boolean;
    lacks_cores: boolean;
    findings: { rule: string; text: string; cost_fraction: number }[];
}

interface History {
    program: string;
    ranks: number;
    runs: Run[];
    series: Series[];
}

interface Document {
    histories: History[];
}

export function HistoryPage({ source }: { source: Source | null }) {
    const [loaded, setLoaded] = useState<Document | null>(null);
    const [error, setError] = useState('');
    useEffect(() => {
        document.title = 'History - Fathom';
        (source ? source.slice<Document>('history') : fetchDocument<Document>('/api/history')).then(setLoaded, (failure: Error) =>
            setError(failure.message),
        );
    }, [source]);
    return (
        <main id="main" class="page" tabIndex={-1} data-view="history">
            <h1>History</h1>
            {error && <p class="problem" role="alert">{error}</p>}
            {!loaded && !error && <Loading />}
            {loaded && <Histories histories={loaded.histories} />}
        </main>
    );
}

function Histories({ histories }: { histories: History[] }) {
    // the one with most runs first
    const sorted = useMemo(() => [...histories].sort((a, b) => b.runs.length - a.runs.length), [histories]);
    const name = (history: History) => `${history.program} on ${plural(history.ranks, 'rank')}`;
    const chosen = sorted.find((history) => name(history) === param('program')) ?? sorted[0];
    if (!chosen) return <p class="quiet">There are no profiles.</p>;
    return (
        <>
            {sorted.length > 1 && (
                <p>
                    <label>
                        Program{' '}
                        <select value={name(chosen)} onChange={(event) => setParam({ program: event.currentTarget.value })}>
                            {sorted.map((history) => (
                                <option key={name(history)}>{name(history)}</option>
                            ))}
                        </select>
                    </label>
                </p>
            )}
            <One history={chosen} title={name(chosen)} />
        </>
    );
}

/** What a change is about: the whole run first. */
const ORDER = { run: 0, factor: 1, region: 2, timer: 3, routine: 4 };

function size(change: Change): number {
    return Math.abs(change.after - change.before);
}

/** Runs of the same commit together, commits in the order of their first runs; runs of unknown ones stay where they are. */
function byCommit(runs: Run[]): number[] {
    const first = new Map<string, number>();
    runs.forEach((run, i) => run.commit && !first.has(run.commit) && first.set(run.commit, i));
    const place = (i: number) => first.get(runs[i].commit ?? '') ?? i;
    return runs.map((_, i) => i).sort((a, b) => place(a) - place(b) || a - b);
}

/** The same history with its runs in another order. */
function reordered(history: History, order: number[]): History {
    const now = new Map(order.map((run, i) => [run, i]));
    return {
        ...history,
        runs: order.map((i) => history.runs[i]),
        series: history.series.map((one) => ({
            ...one,
            values: order.map((i) => one.values[i]),
            changes: one.changes.map((change) => ({ ...change, run: now.get(change.run) ?? change.run })),
        })),
    };
}

/** The day of a run; its time too if all runs are of one day. */
function dayOf(run: Run | undefined, runs: Run[]): string {
    const text = date(run?.started ?? null);
    const one = date(runs[0].started).slice(0, 10) === date(runs[runs.length - 1].started).slice(0, 10);
    const minutes = new Set(runs.map((other) => date(other.started).slice(0, 16)));
    return !run ? '' : !one ? text.slice(0, 10) : text.slice(11, minutes.size < runs.length ? 19 : 16);
}

function labelOf(run: Run | undefined, runs: Run[], commits: boolean): string {
    if (!run) return '';
    return !commits ? dayOf(run, runs) : run.commit ? commitShort(run.commit) : UNKNOWN;
}

function One({ history: inTime, title }: { history: History; title: string }) {
    const committed = inTime.runs.some((run) => run.commit);
    const commits = committed && param('order') === 'commit';
    const history = useMemo(() => (commits ? reordered(inTime, byCommit(inTime.runs)) : inTime), [inTime, commits]);
    const { runs, series } = history;
    const changes = series
        .flatMap((one) => one.changes.map((change) => ({ ...change, kind: one.kind })))
        .sort((a, b) => Number(b.worse) - Number(a.worse) || ORDER[a.kind] - ORDER[b.kind] || size(b) - size(a));
    const of = (kind: Series['kind']) => series.filter((one) => one.kind === kind);
    const ids = new Set(runs.flatMap((run) => run.commit ?? []));
    const [first, last] = [inTime.runs[0], inTime.runs[inTime.runs.length - 1]];
    return (
        <>
            <h2>
                <bdi>{title}</bdi>{' '}
                <small>
                    {plural(runs.length, 'run')}
                    {committed && ` of ${plural(ids.size, runs.every((run) => run.commit) ? 'commit' : 'known commit')}`}, {date(first.started).slice(0, 16)} to{' '}
                    {date(last.started).slice(0, 16)} UTC
                </small>
            </h2>
            <section aria-label="Changes" data-part="changes">
                {changes.length === 0 ? (
                    <p class="calm">
                        {runs.length < 5
                            ? 'There are too few runs to say what has changed: it takes at least 5.'
                            : 'Nothing has changed by more than runs differ anyway.'}
                    </p>
                ) : (
                    <ul class="changes">
                        {changes.slice(0, 12).map((change, i) => (
                            <li key={i} class={change.worse ? 'worse' : 'better'}>
                                <span aria-hidden="true">{change.worse ? '▲' : '▼'}</span> {change.worse ? 'Worse' : 'Better'}:{' '}
                                <bdi>{change.text}</bdi>
                            </li>
                        ))}
                    </ul>
                )}
            </section>
            {committed && (
                <p>
                    <label>
                        Runs in the order of{' '}
                        <select
                            value={commits ? 'commit' : 'time'}
                            data-choice="order"
                            onChange={(event) => setParam({ order: event.currentTarget.value === 'commit' ? 'commit' : '' })}
                        >
                            <option value="time">time</option>
                            <option value="commit">commits</option>
                        </select>
                    </label>
                </p>
            )}
            <Lines name="times" title="Time of the run" unit="seconds" runs={runs} series={of('run')} commits={commits} />
            <Lines name="factors" title="Efficiency" unit="fraction" runs={runs} series={of('factor')} commits={commits} />
            <Lines name="regions" title="Time in regions, per rank" unit="seconds" runs={runs} series={of('region')} commits={commits} />
            <Lines name="timers" title="Time in timers, per rank" unit="seconds" runs={runs} series={of('timer')} commits={commits} />
            <Lines name="routines" title="Time in MPI routines, per rank" unit="seconds" runs={runs} series={of('routine')} commits={commits} />
            <Findings runs={runs} />
        </>
    );
}

const SHOWN = 8;

interface LinesProps {
    name: string;
    title: string;
    unit: 'seconds' | 'fraction';
    runs: Run[];
    series: Series[];
    /** Name runs by their commit instead of their day. */
    commits: boolean;
}

/** The heaviest series over the runs; changes are marked. */
function Lines({ name, title, unit, runs, series, commits }: LinesProps) {
    const text = unit === 'seconds' ? seconds : percent;
    const heaviest = useMemo(
        () => [...series].sort((a, b) => largest(b) - largest(a)).slice(0, SHOWN),
        [series],
    );
    const colours = useMemo(() => coloursOfNames(heaviest.map((one) => one.name)), [heaviest]);
    const data = useMemo<uPlot.AlignedData>(
        () => [runs.map((_, i) => i + 1), ...heaviest.map((one) => one.values)] as uPlot.AlignedData,
        [runs, heaviest],
    );
    const options = useMemo<Omit<uPlot.Options, 'width' | 'height'>>(
        () => ({
            legend: { show: false },
            padding: [8, 40, 0, 0],
            cursor: { drag: { x: false, y: false } },
            scales: { x: { time: false }, y: { range: (_u, _min, max) => [0, unit === 'fraction' ? Math.max(1, max) : max * 1.05 || 1] } },
            axes: [
                {
                    stroke: () => colour('--quiet'),
                    grid: { stroke: () => colour('--line'), width: 1 },
                    values: (_u, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? labelOf(runs[tick - 1], runs, commits) : '')),
                    space: commits ? 110 : 90,
                },
                { stroke: () => colour('--quiet'), grid: { stroke: () => colour('--line'), width: 1 }, size: 70, values: (_u, ticks) => ticks.map((tick) => (tick === 0 ? '0' : text(tick))) },
            ],
            series: [
                {},
                ...heaviest.map((one) => ({
                    label: one.name,
                    stroke: () => colour(colours.get(one.name) ?? '--other'),
                    width: 2,
                    points: { show: runs.length < 80, size: 6 },
                })),
            ],
            hooks: { draw: [(plot) => markChanges(plot, heaviest)] },
        }),
        [runs, heaviest, colours, unit, text, commits],
    );
    if (series.length === 0) return null;
    return (
        <ChartFrame
            name={`history-${name}`}
            title={title}
            caption={
                <>
                    {series.length > SHOWN && `The ${SHOWN} largest of ${series.length}. `}
                    {heaviest.some((one) => one.changes.length > 0) && 'Dashed lines: changes.'}
                </>
            }
            table={() => (
                <Table
                    name={`history-${name}`}
                    caption={title}
                    rows={runs.map((run, i) => ({ run, i }))}
                    columns={[
                        { title: 'Started', text: true, value: ({ run }) => run.started, show: ({ run }) => date(run.started) },
                        { title: 'Commit', text: true, value: ({ run }) => run.commit, show: ({ run }) => <Commit run={run} /> },
                        { title: 'Profile', text: true, value: ({ run }) => run.file },
                        ...series.map((one) => ({
                            title: one.name,
                            unit: unit === 'seconds' ? 's' : undefined,
                            value: ({ i }: { i: number }) => one.values[i],
                            show: ({ i }: { i: number }) => text(one.values[i]),
                        })),
                    ]}
                />
            )}
        >
            <Plot label={`${title} over ${plural(runs.length, 'run')}`} data={data} options={options} height={220} />
            <ul class="legend">
                {heaviest.map((one) => (
                    <li key={one.name}>
                        <span class="swatch" style={{ background: `var(${colours.get(one.name)})` }} aria-hidden="true" />
                        <bdi>{one.name}</bdi> {text(one.values[one.values.length - 1])}
                    </li>
                ))}
            </ul>
        </ChartFrame>
    );
}

function largest(series: Series): number {
    return Math.max(0, ...series.values.map((value) => value ?? 0));
}

function markChanges(plot: uPlot, series: Series[]): void {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.strokeStyle = colour('--much');
    ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
    for (const run of new Set(series.flatMap((one) => one.changes.map((change) => change.run)))) {
        const x = plot.valToPos(run + 0.5, 'x', true);
        ctx.beginPath();
        ctx.moveTo(x, bbox.top);
        ctx.lineTo(x, bbox.top + bbox.height);
        ctx.stroke();
    }
    ctx.restore();
}

function Commit({ run }: { run: Run }) {
    return run.commit ? <code title={run.commit}>{commitShort(run.commit)}</code> : <>{UNKNOWN}</>;
}

/** Rules of findings against runs: when each appeared and disappeared. */
function Findings({ runs }: { runs: Run[] }) {
    const rules = [...new Set(runs.flatMap((run) => run.findings.map((finding) => finding.rule)))];
    const cost = (run: Run, rule: string) => {
        const found = run.findings.filter((finding) => finding.rule === rule);
        return found.length ? found.reduce((sum, finding) => sum + finding.cost_fraction, 0) : null;
    };
    return (
        <section aria-label="Runs" data-part="runs">
            <h3>Runs and their findings</h3>
            <Table
                name="runs"
                caption="What each finding costs, as a share of the time of the run; empty: not found"
                rows={[...runs].reverse()}
                limit={30}
                columns={[
                    { title: 'Started', text: true, value: (run) => run.started, show: (run) => date(run.started) },
                    {
                        title: 'Profile',
                        text: true,
                        value: (run) => run.file,
                        show: (run) =>
                            run.id ? (
                                <a href={addressOf(['profile', run.id, 'overview'])}>
                                    <bdi>{run.file}</bdi>
                                </a>
                            ) : (
                                <bdi>{run.file}</bdi>
                            ),
                    },
                    { title: 'Commit', text: true, value: (run) => run.commit, show: (run) => <Commit run={run} /> },
                    { title: 'Build', text: true, value: (run) => run.build_id, show: (run) => <code>{run.build_id.slice(0, 10)}</code> },
                    {
                        title: 'State',
                        text: true,
                        value: (run) => (run.complete ? (run.lacks_cores ? 'too few cores' : 'complete') : 'incomplete'),
                    },
                    ...rules.map((rule) => ({
                        title: rule,
                        about: `Cost of the finding ${rule}`,
                        value: (run: Run) => cost(run, rule),
                        show: (run: Run) => {
                            const share = cost(run, rule);
                            return share === null ? '' : share > 0 ? percent(share) : 'found';
                        },
                    })),
                ]}
            />
        </section>
    );
}
