// SPDX-License-Identifier: BSD-3-Clause
// The timers of the program: a table in the order of their tree, and for the selected ones the histograms of their events,
// one for each group of ranks with the same fullest bin.
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';

import { countRanks, hasRank, parseRanks } from '../data/rankset';
import { binIndex, binStart, fullestBin, type Timer, type TimerBin, type TimerGroup, type TimerMisuse, type TimerRow, timerRows } from '../data/timers';
import { ChartFrame } from '../parts/chart';
import { Explain } from '../parts/explain';
import { PlaceLink, RanksLink } from '../parts/links';
import { SliceView } from '../parts/slice_view';
import { type Column, Table } from '../parts/table';
import { useProfile } from '../parts/use_slice';
import { useWidth } from '../parts/use_box';
import { param, selectedRanks, setParam, viewAddress } from '../state';
import { count, percent, percentFine, plural, seconds } from '../text/units';

const AT_FIRST = 3;
const AT_MOST = 12;
const WORTH_SAYING = 0.05;

export function TimersView() {
    return (
        <>
            <h2>Timers</h2>
            <SliceView<{ timers: Timer[] }> name="timers">
                {({ timers }) =>
                    timers.length === 0 ? <p class="calm">The program has no timers; fathom-timers(3) explains how to add them.</p> : <Timers timers={timers} />
                }
            </SliceView>
        </>
    );
}

function Timers({ timers }: { timers: Timer[] }) {
    const { job } = useProfile().summary;
    const rows = useMemo(() => timerRows(timers), [timers]);
    const search = param('search').toLowerCase();
    const chosen = selection(rows);
    const found = useMemo(() => (search ? rows.filter(({ timer }) => timer.name.toLowerCase().includes(search)) : rows), [rows, search]);
    const columns = useMemo(() => columnsOf(job.wall_sum_s, rows), [job, rows]);
    const worst = rows.reduce<TimerRow | null>((most, row) => (row.lost_s > (most?.lost_s ?? 0) ? row : most), null);
    const wrong = rows.filter(({ timer }) => timer.wrong_use.length > 0);
    return (
        <>
            <p>
                {plural(timers.length, 'timer')}.{' '}
                {worst?.timer.total_s && worst.balance !== null && worst.balance < 1 - WORTH_SAYING && (
                    <>
                        Largest imbalance: <strong class="long"><bdi>{worst.timer.name}</bdi></strong> takes {seconds(worst.timer.total_s.max)} on{' '}
                        <RanksLink ranks={String(worst.timer.total_s.max_rank)} />, {seconds(worst.timer.total_s.avg)} on average.
                    </>
                )}
                {wrong.length > 0 && (
                    <span class="bad">
                        {' '}
                        {plural(wrong.length, 'timer')} {wrong.length === 1 ? 'is' : 'are'} used incorrectly:{' '}
                        {wrong.slice(0, 3).map(({ timer }, i) => (
                            <bdi key={i}>
                                {i > 0 && ', '}
                                {timer.name.slice(0, 60)}
                            </bdi>
                        ))}
                        {wrong.length > 3 && ' ..'}
                    </span>
                )}
            </p>
            {rows.length > 20 && (
                <p class="tools">
                    <label>
                        Search{' '}
                        <input type="search" value={param('search')} onInput={(event) => setParam({ search: event.currentTarget.value })} />
                    </label>
                    {search && <span class="quiet">{plural(found.length, 'timer')} found</span>}
                </p>
            )}
            <Table
                name="timers"
                caption="Click the name of a timer to show or hide its histograms. Events: of all ranks together; totals: of one rank."
                columns={columns}
                rows={found}
                rowKey={({ timer }) => timer.name}
                rowClass={({ timer }) => (chosen.includes(timer.name) ? 'chosen' : '')}
            />
            {rows.some(({ timer }) => timer.parent === '*') && <p class="quiet">*: started inside different timers, or only sometimes inside one.</p>}
            {selectedRanks.value.length > 0 && (
                <p class="quiet" data-part="of-all-ranks">
                    The table is of all ranks. Below, groups without a selected rank are pale.
                </p>
            )}
            {chosen.map((name) => {
                const row = rows.find(({ timer }) => timer.name === name);
                return row && <Selected key={name} row={row} />;
            })}
        </>
    );
}

// ---- which timers are shown in detail ----

/** Those of the address, or at first those whose imbalance costs most. */
function selection(rows: TimerRow[]): string[] {
    const asked = param('timers');
    if (asked === '-') return [];
    if (asked) return asked.split('\n').slice(0, AT_MOST);
    return [...rows]
        .sort((a, b) => b.lost_s - a.lost_s || b.timer.time_s - a.timer.time_s)
        .slice(0, AT_FIRST)
        .map(({ timer }) => timer.name);
}

function toggle(rows: TimerRow[], name: string): void {
    const chosen = selection(rows);
    const next = chosen.includes(name) ? chosen.filter((other) => other !== name) : [name, ...chosen].slice(0, AT_MOST);
    setParam({ timers: next.join('\n') || '-' });
}

function Name({ row, rows }: { row: TimerRow; rows: TimerRow[] }) {
    const { timer, depth } = row;
    const chosen = selection(rows).includes(timer.name);
    return (
        <button
            type="button"
            class="link long"
            style={{ paddingLeft: `${Math.min(depth, 12) * 1.1}rem` }}
            aria-pressed={chosen}
            title={timer.name.slice(0, 300)}
            onClick={() => toggle(rows, timer.name)}
        >
            <span aria-hidden="true">{chosen ? '▾ ' : '▸ '}</span>
            <bdi>{timer.name.slice(0, 200)}</bdi>
            {timer.parent === '*' && ' *'}
        </button>
    );
}

function columnsOf(wall: number, rows: TimerRow[]): Column<TimerRow>[] {
    const share = (row: TimerRow) => (wall > 0 ? row.timer.time_s / wall : null);
    const withRank = (value: number | undefined, rank: number | null | undefined) =>
        value === undefined ? 'no finished event' : (
            <>
                {seconds(value)} {rank !== null && rank !== undefined && <small>rank {rank}</small>}
            </>
        );
    return [
        { title: 'Timer', text: true, value: (row) => row.timer.name, show: (row) => <Name row={row} rows={rows} /> },
        { title: 'Events', about: 'Of all ranks together', value: (row) => row.events, show: (row) => count(row.events) },
        { title: 'Ranks', about: 'That used the timer', value: (row) => row.ranks, show: (row) => count(row.ranks) },
        { title: 'Share', about: 'Time in the timer over the wall time of all ranks', value: share, show: (row) => percentFine(share(row)), bar: true },
        { title: 'Max', unit: 's', about: 'Longest total of a rank', value: (row) => row.timer.total_s?.max ?? null, show: ({ timer }) => withRank(timer.total_s?.max, timer.total_s?.max_rank) },
        { title: 'Avg', unit: 's', about: 'Average total of a rank', value: (row) => row.timer.total_s?.avg ?? null, show: ({ timer }) => (timer.total_s ? seconds(timer.total_s.avg) : '') },
        { title: 'Min', unit: 's', about: 'Shortest total of a rank', value: (row) => row.timer.total_s?.min ?? null, show: ({ timer }) => (timer.total_s ? withRank(timer.total_s.min, timer.total_s.min_rank) : '') },
        { title: 'Load balance', about: 'Average over longest total: 100 % if all ranks take equally long', value: (row) => row.balance, show: (row) => (row.balance === null ? '-' : percent(row.balance)) },
        {
            title: 'Exclusive',
            unit: 's',
            about: 'Average of a rank, without nested timers',
            value: (row) => (row.ranks ? row.timer.exclusive_s / row.ranks : null),
            show: (row) => (row.ranks ? seconds(row.timer.exclusive_s / row.ranks) : ''),
        },
    ];
}

// ---- one timer ----

function Selected({ row }: { row: TimerRow }) {
    const { timer } = row;
    const total = timer.total_s;
    const averages = total && timer.events ? row.timer.time_s / Math.max(1, row.events) : null;
    return (
        <section class="card timer" aria-label={`Timer ${timer.name.slice(0, 100)}`} data-timer={timer.name.slice(0, 200)}>
            <h3>
                <bdi class="long" title={timer.name.slice(0, 300)}>{timer.name.slice(0, 300)}</bdi>
                {timer.parent && timer.parent !== '*' && (
                    <small>
                        {' '}
                        in <bdi>{timer.parent.slice(0, 100)}</bdi>
                    </small>
                )}
            </h3>
            {!total || !timer.events ? (
                <p class="quiet">No event of this timer was finished.</p>
            ) : (
                <>
                    <dl class="facts small">
                        <Fact name="events of a rank">
                            {timer.events.min === timer.events.max ? count(timer.events.min) : `${count(timer.events.min)} to ${count(timer.events.max)}`}
                        </Fact>
                        <Fact name="total of a rank">
                            {seconds(total.min)} (rank {total.min_rank}) to {seconds(total.max)} (rank {total.max_rank})
                        </Fact>
                        <Fact name="average event">{seconds(averages)}</Fact>
                        <Extreme name="longest" event={timer.longest} />
                        <Extreme name="second longest" event={timer.second} what="The longest of the ranks' second longest events." />
                        <Extreme name="shortest" event={timer.shortest} />
                        <Halves timer={timer} />
                        {timer.threads > row.ranks && timer.thread_total_s && (
                            <Fact name="total of a thread">
                                {seconds(timer.thread_total_s.min)} to {seconds(timer.thread_total_s.max)}, {count(timer.threads)} threads
                            </Fact>
                        )}
                    </dl>
                    <Histograms timer={timer} />
                </>
            )}
            <Misuse list={timer.wrong_use} title="Incorrect use" />
            <Misuse list={timer.running_at_end} title="Still running when the process was killed" />
        </section>
    );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
    return (
        <div>
            <dt>{name}</dt>
            <dd>{children}</dd>
        </div>
    );
}

function Extreme({ name, event, what }: { name: string; event: Timer['longest']; what?: string }) {
    if (!event) return null;
    const text = `${seconds(event.time_s)} (rank ${event.rank}, event ${count(event.event)})`;
    return <Fact name={name}>{what ? <Explain what={what}>{text}</Explain> : text}</Fact>;
}

/** Average events of both halves of the run, and whether they became longer. */
function Halves({ timer: { first_half: first, second_half: second } }: { timer: Timer }) {
    const mean = (half: { events: number; time_s: number }) => (half.events ? half.time_s / half.events : null);
    const [before, after] = [mean(first), mean(second)];
    if (before === null && after === null) return null;
    const change = before && after !== null ? after / before - 1 : null;
    const tells = change !== null && Math.min(first.events, second.events) >= 10 && Math.abs(change) >= WORTH_SAYING;
    const half = ({ events }: { events: number }, average: number | null) => (average === null ? 'no events' : `${count(events)} events of ${seconds(average)}`);
    return (
        <>
            <Fact name="first half of the run">{half(first, before)}</Fact>
            <Fact name="second half">
                {half(second, after)}
                {tells && change !== null && <strong>, {percent(Math.abs(change))} {change > 0 ? 'longer' : 'shorter'}</strong>}
            </Fact>
        </>
    );
}

function Misuse({ list, title }: { list: TimerMisuse[]; title: string }) {
    if (list.length === 0) return null;
    return (
        <>
            <h4>{title}</h4>
            <ul>
                {list.slice(0, 50).map((misuse, i) => (
                    <li key={i}>
                        {misuse.what ? `${misuse.what}: ` : ''}
                        {count(misuse.count)} times on <RanksLink ranks={misuse.ranks} />, <PlaceLink {...misuse} />
                    </li>
                ))}
            </ul>
        </>
    );
}

// ---- histograms ----

const PANEL = { width: 232, height: 158, top: 40, bottom: 22, left: 6, right: 10 };
const GROUPS = 40;

/** "200-300 ms": the unit once if it is the same. */
function binText({ from_ns, to_ns }: TimerBin): string {
    const [from, to] = [tick(from_ns), tick(to_ns + 1)];
    const unit = to.slice(to.indexOf(' '));
    return from.endsWith(unit) ? `${from.slice(0, -unit.length)}-${to}` : `${from} - ${to}`;
}

/** A time with one digit: "200 us". */
function tick(ns: number): string {
    if (ns >= 1e9) return `${ns / 1e9} s`;
    if (ns >= 1e6) return `${ns / 1e6} ms`;
    return ns >= 1e3 ? `${ns / 1e3} us` : `${ns} ns`;
}

function Histograms({ timer }: { timer: Timer }) {
    const [box, width] = useWidth<HTMLDivElement>();
    const groups = timer.histograms.slice(0, GROUPS);
    if (groups.length === 0) return <p class="quiet">The profile has no histogram of this timer.</p>;
    const bins = groups.flatMap((group) => group.bins.map(({ from_ns }) => binIndex(from_ns)));
    const first = Math.max(0, bins.reduce((a, b) => Math.min(a, b), Infinity) - 1);
    const last = bins.reduce((a, b) => Math.max(a, b), 0) + 1;
    const most = groups.reduce((a, group) => group.bins.reduce((b, bin) => Math.max(b, bin.max), a), 1);
    const perRow = Math.max(1, Math.min(groups.length, Math.floor((width || 800) / PANEL.width)));
    const panel = Math.min(420, Math.floor((width || 800) / perRow));
    const rows = Math.ceil(groups.length / perRow);
    const title = groups.length === 1 ? 'All ranks have the same fullest bin' : `${groups.length} groups of ranks, by their fullest bin`;
    return (
        <ChartFrame
            name={`timer-${timer.name.replace(/\W+/g, '_').slice(0, 40)}`}
            title={title}
            caption={
                <>
                    Bars: events of a rank by how long they took, on average over the group; lines: fewest to most on one rank. All have the same scales
                    {timer.histograms.length > GROUPS && `; ${timer.histograms.length - GROUPS} further groups are in the table`}.
                </>
            }
            table={() => <BinTable groups={timer.histograms} />}
        >
            <div ref={box}>
                <svg
                    width={perRow * panel}
                    height={rows * PANEL.height}
                    viewBox={`0 0 ${perRow * panel} ${rows * PANEL.height}`}
                    role="group"
                    aria-label={`Histograms of ${timer.name.slice(0, 100)}`}
                    font-family="system-ui, sans-serif"
                    font-size="12"
                >
                    {groups.map((group, i) => (
                        <Panel key={i} group={group} x={(i % perRow) * panel} y={Math.floor(i / perRow) * PANEL.height} width={panel} first={first} last={last} most={most} />
                    ))}
                </svg>
            </div>
        </ChartFrame>
    );
}

interface PanelProps {
    group: TimerGroup;
    x: number;
    y: number;
    width: number;
    first: number;
    last: number;
    most: number;
}

function Panel({ group, x, y, width, first, last, most }: PanelProps) {
    const ranks = parseRanks(group.ranks);
    const n = countRanks(ranks);
    const full = fullestBin(group);
    const events = group.bins.reduce((sum, bin) => sum + bin.avg, 0);
    const chosen = selectedRanks.value;
    const pale = chosen.length > 0 && !chosen.some(([low, high]) => ranks.some(([a, b]) => low <= b && high >= a) || hasRank(ranks, low));
    const inner = width - PANEL.left - PANEL.right;
    const bottom = PANEL.height - PANEL.bottom;
    const step = inner / (last - first + 1);
    const height = (value: number) => (value / most) * (bottom - PANEL.top);
    const at = (index: number) => PANEL.left + (index - first) * step;
    const decades: number[] = [];
    for (let i = first; i <= last + 1; i++) if (i > 0 && (i - 1) % 9 === 0) decades.push(i);
    const ticks = decades.length >= 2 ? decades : [first, last + 1];
    const each = Math.ceil(ticks.length / Math.max(1, Math.floor(inner / 58)));
    const shortRanks = group.ranks.length > 26 ? `${group.ranks.slice(0, 24)}..` : group.ranks;
    return (
        <g transform={`translate(${x} ${y})`} opacity={pale ? 0.35 : 1}>
            <a href={viewAddress('timers', { ranks: group.ranks, timers: param('timers') })}>
                <title>{`Select ranks ${group.ranks.slice(0, 300)}`}</title>
                <text x={PANEL.left} y="14" fill="var(--link)" text-decoration="underline">
                    {n === 1 ? 'rank' : 'ranks'} {shortRanks}
                </text>
            </a>
            <text x={PANEL.left} y="30" fill="var(--quiet)">
                {n > 1 && `${count(n)} ranks, `}
                {full && `most at ${binText(full)} (${percent(full.avg / events)})`}
            </text>
            <g role="img" aria-label={`Histogram of ranks ${shortRanks}: ${full ? `most events take ${binText(full)}` : 'no events'}`}>
                {group.bins.map((bin) => {
                    const left = at(binIndex(bin.from_ns));
                    return (
                        <g key={bin.from_ns}>
                            <title>{`${binText(bin)}: ${count(bin.avg)} events of a rank on average; ${count(bin.min)} (rank ${bin.min_rank}) to ${count(bin.max)} (rank ${bin.max_rank})`}</title>
                            <rect x={left} y={PANEL.top} width={step} height={bottom - PANEL.top} fill="transparent" />
                            <rect
                                x={left + step * 0.08}
                                y={bottom - Math.max(1, height(bin.avg))}
                                width={Math.max(1, step * 0.84)}
                                height={Math.max(1, height(bin.avg))}
                                fill={bin === full ? 'var(--program)' : 'var(--transfer)'}
                            />
                            {bin.max > bin.min && (
                                <line x1={left + step / 2} x2={left + step / 2} y1={bottom - height(bin.max)} y2={bottom - height(bin.min)} stroke="var(--text)" stroke-width="1.2" />
                            )}
                        </g>
                    );
                })}
                <line x1={PANEL.left} x2={PANEL.left + inner} y1={bottom + 0.5} y2={bottom + 0.5} stroke="var(--quiet)" />
                {ticks.map((index, i) => (
                    <g key={index}>
                        <line x1={at(index)} x2={at(index)} y1={bottom} y2={bottom + 4} stroke="var(--quiet)" />
                        {i % each === 0 && (
                            <text x={at(index)} y={bottom + 16} fill="var(--quiet)" text-anchor={anchor(at(index), width)}>
                                {tick(binStart(index))}
                            </text>
                        )}
                    </g>
                ))}
            </g>
        </g>
    );
}

function anchor(x: number, width: number): 'start' | 'middle' | 'end' {
    return x < 24 ? 'start' : x > width - 30 ? 'end' : 'middle';
}

function BinTable({ groups }: { groups: TimerGroup[] }) {
    const rows = groups.flatMap((group) => group.bins.map((bin) => ({ group, bin })));
    return (
        <Table
            name="timer-bins"
            caption="Events of a rank, by group of ranks and by how long the events took"
            rows={rows}
            columns={[
                { title: 'Ranks', text: true, value: ({ group }) => group.ranks, show: ({ group }) => <RanksLink ranks={group.ranks} view="timers" /> },
                { title: 'From', unit: 'ns', value: ({ bin }) => bin.from_ns, show: ({ bin }) => tick(bin.from_ns) },
                { title: 'To', unit: 'ns', value: ({ bin }) => bin.to_ns, show: ({ bin }) => tick(bin.to_ns + 1) },
                { title: 'Average', value: ({ bin }) => bin.avg, show: ({ bin }) => count(bin.avg), bar: true },
                { title: 'Fewest', value: ({ bin }) => bin.min, show: ({ bin }) => `${count(bin.min)} on rank ${bin.min_rank}` },
                { title: 'Most', value: ({ bin }) => bin.max, show: ({ bin }) => `${count(bin.max)} on rank ${bin.max_rank}` },
            ]}
        />
    );
}
