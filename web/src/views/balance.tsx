// SPDX-License-Identifier: BSD-3-Clause
// Which ranks wait, and which ones do they wait for: MPI time of all ranks, sorted, stacked by routine, with what else
// they did on the same axis below.
import { useMemo } from 'preact/hooks';

import { meanOf, orderOf, type RankRows, rankRows, selectionOf, type Values } from '../data/rank_rows';
import { countRanks, parseRanks } from '../data/rankset';
import type { Balance, Ranks, Summary } from '../data/types';
import { ChartFrame } from '../parts/chart';
import { coloursOfNames } from '../parts/colours';
import { Explain } from '../parts/explain';
import { RanksLink } from '../parts/links';
import type { Figure } from '../parts/rank_chart';
import { type Mark, type Panel, RankPanels, type Series } from '../parts/rank_panels';
import { SliceView } from '../parts/slice_view';
import { type Column, Table } from '../parts/table';
import { isFromOutside, Uncounted } from '../parts/uncounted';
import { useProfile, useSlice } from '../parts/use_slice';
import { param, selectedRanks, setParam } from '../state';
import { bytes, count, percent, percentFine, plural, seconds } from '../text/units';
import type { Counters } from './counters';

export function BalanceView() {
    const { job } = useProfile().summary;
    return (
        <>
            <h2>Balance</h2>
            {isFromOutside(job) ? <Uncounted /> : <SliceView<Ranks> name="ranks">{(ranks) => <OfRanks ranks={ranks} />}</SliceView>}
        </>
    );
}

// ---- figures ----

interface Figures {
    rows: RankRows;
    mpi: Figure;
    routines: Series[];
    parts: Series[];
    others: Figure[];
    wall: Values;
}

/** Time outside MPI and file I/O, by the clock. */
function programTime(wall: Values, mpi: Values, io: Values): Values {
    return wall.map((w, row) => (w === null || mpi[row] === null ? null : Math.max(0, w - (mpi[row] ?? 0) - (io[row] ?? 0))));
}

function instructionsOf(rows: RankRows, counters: Counters | null): Figure[] {
    const counted = counters?.list.find(({ name }) => name === 'instructions');
    if (!counted) return [];
    const split = counted.per_rank_mpi.some((value) => value !== null);
    const list = counted.per_rank.map((total, i) => (!split ? total : total === null ? null : total - (counted.per_rank_mpi[i] ?? 0)));
    return [
        {
            key: 'instructions',
            name: split ? 'Instructions of the program' : 'Instructions',
            colour: '--name-6',
            values: rows.gather(list, 'sum'),
            show: count,
            unit: '',
            about: split ? 'Instructions outside MPI' : 'Instructions, with those in MPI',
        },
    ];
}

function figuresOf(ranks: Ranks, counters: Counters | null): Figures {
    const { processes, balance, split } = ranks;
    const rows = rankRows(ranks);
    const wall = rows.gather(processes.wall_s, 'sum');
    const io = rows.gather(processes.io_s, 'sum');
    const mpi: Figure = {
        key: 'mpi',
        name: 'MPI time',
        colour: '--mpi',
        values: rows.gather(processes.mpi_s, 'sum'),
        show: seconds,
        unit: 's',
        about: 'Time in MPI: waiting for other ranks, and transfer of data',
    };
    const others: Figure[] = [
        {
            key: 'program',
            name: 'Program',
            colour: '--program',
            values: programTime(wall, mpi.values, io),
            show: seconds,
            unit: 's',
            about: 'Wall time outside MPI and file I/O',
        },
        { key: 'io', name: 'File I/O', colour: '--io', values: io, show: seconds, unit: 's', about: 'Time in file I/O outside MPI' },
        {
            key: 'no-cpu',
            name: 'No CPU',
            colour: '--no-cpu',
            values: rows.gather(processes.runqueue_s, 'sum'),
            show: seconds,
            unit: 's',
            about: 'How long the main thread could have run and had no CPU; the times above contain it',
        },
        {
            key: 'memory',
            name: 'Memory',
            colour: '--name-11',
            values: rows.gather(processes.memory_bytes, 'max'),
            show: bytes,
            unit: 'bytes',
            about: 'The most memory that was resident at any time',
            ofBytes: true,
        },
        ...instructionsOf(rows, counters),
    ];
    const per = split.per_rank;
    const of = typeof per.ranks === 'string' ? parseRanks(per.ranks).flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => first + i)) : [];
    const parts: Series[] = (
        [
            ['program', '--program', per.program_s],
            ['MPI', '--mpi', per.mpi_s],
            ['file I/O', '--io', per.io_s],
            ['no CPU', '--no-cpu', per.no_cpu_s],
        ] as [string, string, Values][]
    ).map(([name, colour, list]) => ({ name, colour, values: rows.arrange(of, list) }));
    return { rows, mpi, routines: routinesOf(rows, balance, mpi.values), parts, others: others.filter(shown), wall };
}

/** Panels in which there is nothing to see are left out. */
function shown(figure: Figure): boolean {
    return figure.values.some((value) => value !== null && value > 0);
}

function routinesOf(rows: RankRows, balance: Balance, mpi: Values): Series[] {
    const names = Object.keys(balance.routines);
    const colours = coloursOfNames(names);
    const series = names.map((name) => ({
        name,
        colour: colours.get(name) ?? '--other',
        values: rows.arrange(balance.ranks_by_mpi_time, balance.routines[name]),
    }));
    const rest = mpi.map((all, row) => {
        if (all === null) return null;
        let sum = 0;
        for (const { values } of series) sum += values[row] ?? 0;
        return Math.max(0, all - sum);
    });
    return [...series, { name: names.length ? 'other MPI' : 'MPI', colour: names.length ? '--other' : '--mpi', values: rest }];
}

// ---- the view ----

function OfRanks({ ranks }: { ranks: Ranks }) {
    const { summary } = useProfile();
    const loaded = useSlice<{ counters: Counters }>('counters');
    const counters = loaded.state === 'ready' ? loaded.data.counters : null;
    const figures = useMemo(() => figuresOf(ranks, counters), [ranks, counters]);
    const { balance } = ranks;
    const hasMpi = figures.mpi.values.some((value) => value !== null && value > 0);
    if (figures.rows.ranks.length === 0) return <p class="quiet">The profile has data of no rank.</p>;
    return (
        <>
            <Verdict summary={summary} balance={balance} hasMpi={hasMpi} />
            {hasMpi && balance.evenness !== 'even' && <Groups balance={balance} />}
            <Charts figures={figures} balance={balance} hasMpi={hasMpi} hosts={summary.job.hosts_list.map(({ name }) => name)} />
            <Programs summary={summary} />
        </>
    );
}

function Verdict({ summary, balance, hasMpi }: { summary: Summary; balance: Balance; hasMpi: boolean }) {
    if (!hasMpi) return <p class="verdict">No MPI time was measured, so there is no balance to show. What else is known of the ranks:</p>;
    return (
        <>
            {summary.balance_sentence && summary.job.ranks_measured > 1 && <p class="verdict">{summary.balance_sentence}</p>}
            <p>
                <Explain what="Work / wall time: the share of the run time that ranks spend outside MPI, on average.">
                    Parallel efficiency <strong data-value="parallel">{percent(balance.parallel_efficiency)}</strong>
                </Explain>{' '}
                ={' '}
                <Explain what="Mean / longest time outside MPI of all ranks. Low: some ranks have more work than others.">
                    load balance <strong data-value="load_balance">{percent(balance.load_balance)}</strong>
                </Explain>{' '}
                x{' '}
                <Explain what="Longest time outside MPI / wall time. Low: even the busiest rank waits or transfers data.">
                    communication efficiency <strong data-value="communication">{percent(balance.communication_efficiency)}</strong>
                </Explain>
            </p>
        </>
    );
}

const MOST_GROUPS = 6;

function Groups({ balance: { groups } }: { balance: Balance }) {
    if (groups.length < 2) return null;
    return (
        <ul class="groups" data-part="groups">
            {groups.slice(0, MOST_GROUPS).map((group) => (
                <li key={group.ranks}>
                    <RanksLink ranks={group.ranks} />
                    {/[-,]/.test(group.ranks) && ` (${plural(countRanks(parseRanks(group.ranks)), 'rank')})`}:{' '}
                    <strong>{seconds(group.mpi_s)}</strong> in MPI
                    {group.mpi_min_s < group.mpi_max_s && ` on average (${seconds(group.mpi_min_s)} to ${seconds(group.mpi_max_s)})`},{' '}
                    {seconds(Math.abs(group.difference_s))} {group.difference_s < 0 ? 'less' : 'more'} than the rest
                </li>
            ))}
            {groups.length > MOST_GROUPS && <li>and {plural(groups.length - MOST_GROUPS, 'more group')}</li>}
        </ul>
    );
}

/** Jumps are between groups, in the order of MPI time of all ranks. */
function marksOf({ groups }: Balance): Mark[] {
    const marks: Mark[] = [];
    let at = 0;
    for (const group of groups) {
        if (at > 0) marks.push({ at, text: `jump of ${seconds(group.jump_s)}` });
        at += countRanks(parseRanks(group.ranks));
    }
    return marks;
}

interface ChartsProps {
    figures: Figures;
    balance: Balance;
    hasMpi: boolean;
    hosts: string[];
}

function Charts({ figures, balance, hasMpi, hosts }: ChartsProps) {
    const { rows, mpi, others } = figures;
    const choices: Figure[] = hasMpi ? [mpi, ...others] : others;
    const asked = param('sort');
    const by = asked === 'rank' ? null : (choices.find(({ key }) => key === asked) ?? (hasMpi ? mpi : null));
    const stack = param('stack') === 'parts' || !hasMpi ? 'parts' : 'routines';
    const chosen = selectedRanks.value;
    const selected = useMemo(() => selectionOf(rows.ranks, chosen), [rows, chosen]);
    const only = selected !== null && param('only') === '1';
    const order = useMemo(
        () => orderOf(rows.ranks.length, by?.values ?? null, only && selected ? (row) => selected[row] === 1 : null),
        [rows, by, only, selected],
    );
    const panels = useMemo<Panel[]>(
        () => [
            stack === 'routines'
                ? { title: 'MPI time by routine', height: 240, series: figures.routines, show: seconds }
                : { title: 'Time by what ranks did', height: 240, series: figures.parts, show: seconds },
            ...others.map((figure) => ({
                title: figure.name,
                height: 56,
                series: [{ name: figure.name, colour: figure.colour, values: figure.values }],
                show: figure.show,
                ofBytes: figure.ofBytes,
            })),
        ],
        [figures, stack],
    );
    const marks = useMemo(
        () => (by === mpi && !only && balance.evenness !== 'even' && order.length === balance.ranks_by_mpi_time.length ? marksOf(balance) : []),
        [by, mpi, only, balance, order],
    );
    return (
        <ChartFrame
            name="balance"
            title={
                stack === 'parts'
                    ? 'Where the time of each rank goes'
                    : balance.evenness === 'uneven'
                      ? 'Ranks that wait are high, those they wait for are low'
                      : 'Time in MPI of each rank'
            }
            caption={
                <>
                    {stack === 'routines'
                        ? 'A rank with more work arrives late and spends less time in MPI; the others wait for it there. '
                        : 'Each second counts once: time without a CPU is taken from the other three in proportion. '}
                    Drag over ranks to select them in all views.
                </>
            }
            table={() => <RankTable figures={figures} order={order} hosts={hosts} selected={selected} />}
        >
            <div class="controls">
                <label>
                    Sorted by{' '}
                    <select value={by?.key ?? 'rank'} onChange={(event) => setParam({ sort: event.currentTarget.value })}>
                        <option value="rank">rank</option>
                        {choices.map(({ key, name }) => (
                            <option key={key} value={key}>
                                {name}
                            </option>
                        ))}
                    </select>
                </label>
                {hasMpi && (
                    <label>
                        First chart{' '}
                        <select value={stack} onChange={(event) => setParam({ stack: event.currentTarget.value === 'parts' ? 'parts' : '' })}>
                            <option value="routines">MPI time by routine</option>
                            <option value="parts">time by what ranks did</option>
                        </select>
                    </label>
                )}
                {selected && (
                    <label>
                        <input type="checkbox" checked={only} onChange={(event) => setParam({ only: event.currentTarget.checked ? '1' : '' })} />{' '}
                        only the selected ranks
                    </label>
                )}
            </div>
            {selected && <Selection figures={figures} selected={selected} hasMpi={hasMpi} />}
            <RankPanels
                label={`${panels.map(({ title }) => title).join(', ')} of ${plural(order.length, 'rank')}, sorted by ${by?.name ?? 'rank'}`}
                panels={panels}
                ranks={rows.ranks}
                order={order}
                axis={`${plural(order.length, 'rank')}, sorted by ${by?.name ?? 'rank'}`}
                byRank={by === null}
                marks={marks}
                selected={only ? null : selected}
            />
        </ChartFrame>
    );
}

/** The selected ranks against the others. */
function Selection({ figures, selected, hasMpi }: { figures: Figures; selected: Uint8Array; hasMpi: boolean }) {
    const inside: number[] = [];
    const outside: number[] = [];
    selected.forEach((mark, row) => (mark ? inside : outside).push(row));
    const compared = hasMpi ? [figures.mpi, ...figures.others] : figures.others;
    return (
        <p data-part="selection">
            <strong>{plural(inside.length, 'selected rank')}</strong>
            {outside.length > 0 && ` (the other ${count(outside.length)} in brackets)`}, on average:{' '}
            {compared
                .map(({ name, values, show }) => `${name} ${show(meanOf(values, inside))}${outside.length ? ` (${show(meanOf(values, outside))})` : ''}`)
                .join(', ')}
        </p>
    );
}

interface RankTableProps {
    figures: Figures;
    order: number[];
    hosts: string[];
    selected: Uint8Array | null;
}

function RankTable({ figures, order, hosts, selected }: RankTableProps) {
    const { rows, mpi, routines, others, wall } = figures;
    const columns = useMemo<Column<number>[]>(() => {
        const figure = ({ name, unit, about, values, show }: Figure): Column<number> => ({
            title: name,
            unit,
            about,
            value: (row) => values[row],
            show: (row) => show(values[row]),
        });
        const share = (row: number) => {
            const whole = wall[row];
            const inMpi = mpi.values[row];
            return whole === null || inMpi === null || whole === 0 ? null : inMpi / whole;
        };
        return [
            { title: 'Rank', value: (row) => rows.ranks[row] },
            { title: 'Host', text: true, value: (row) => hosts[rows.host[row] ?? -1] ?? null },
            { title: 'Wall time', unit: 's', value: (row) => wall[row], show: (row) => seconds(wall[row]) },
            { ...figure(mpi), bar: true },
            { title: '% wall', about: 'MPI time / wall time', value: share, show: (row) => percentFine(share(row)) },
            ...(routines.length > 1
                ? routines.map(({ name, values }) => ({
                      title: name,
                      unit: 's',
                      value: (row: number) => values[row],
                      show: (row: number) => seconds(values[row]),
                  }))
                : []),
            ...others.map(figure),
        ];
    }, [figures, hosts]);
    return (
        <Table
            name="balance"
            caption="Figures of ranks, in the order of the chart"
            rows={order}
            rowKey={(row) => rows.ranks[row]}
            rowClass={(row) => (selected?.[row] ? 'chosen' : '')}
            columns={columns}
        />
    );
}

/** Load imbalance exists only within a program. */
function Programs({ summary: { job } }: { summary: Summary }) {
    if (job.programs.length < 2) return null;
    return (
        <section>
            <h3>Programs</h3>
            <p>The job has several programs, which have different work: compare ranks within a program.</p>
            <Table
                name="programs"
                caption="Programs of the job"
                limit={20}
                rows={job.programs}
                columns={[
                    { title: 'Program', text: true, value: (program) => program.name, show: (program) => <bdi>{program.name}</bdi> },
                    { title: 'Ranks', text: true, value: (program) => program.ranks, show: (program) => <RanksLink ranks={program.ranks} /> },
                    { title: 'In MPI', value: (program) => program.mpi_fraction, show: (program) => percentFine(program.mpi_fraction) },
                    {
                        title: 'Parallel efficiency',
                        about: 'Within the program',
                        value: (program) => program.parallel_efficiency,
                        show: (program) => percentFine(program.parallel_efficiency),
                    },
                ]}
            />
        </section>
    );
}
