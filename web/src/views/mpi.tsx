// SPDX-License-Identifier: BSD-3-Clause
// Which MPI routines, from where, with messages of which size.
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';

import { meanOf, rankRows, selectionOf } from '../data/rank_rows';
import { paleUnless } from '../data/rankset';
import type { Ranks, Spread } from '../data/types';
import { ChartFrame } from '../parts/chart';
import { coloursOfNames } from '../parts/colours';
import { PlaceLink, RanksLink } from '../parts/links';
import { RankOf } from '../parts/rank_of';
import { SizeBars, type SizeClass } from '../parts/size_bars';
import { SliceView } from '../parts/slice_view';
import { type Column, Table } from '../parts/table';
import { isFromOutside, Uncounted } from '../parts/uncounted';
import { useProfile, useSlice } from '../parts/use_slice';
import { param, selectedRanks, setParam, viewAddress } from '../state';
import { messageSize, sizeFrom } from '../text/sizes';
import { bytes, count, percent, percentFine, plural, seconds } from '../text/units';

interface Stats {
    calls: number;
    time_s: number;
    min_s: number | null;
    max_s: number | null;
    bytes: number;
    messages: number;
}

interface Call {
    time_s: number;
    rank: number | null;
    event: number;
}

interface Routine extends Stats {
    name: string;
    ranks: string;
    min: Call | null;
    max: Call | null;
    second: Call | null;
    per_rank: { time_s: Spread | null; calls: Spread | null; bytes: Spread | null } | null;
}

interface Place {
    function: string | null;
    file: string | null;
    line: number | null;
    approximate_line: boolean;
    path: string | null;
}

interface Site extends Place {
    inlined_into: Place[];
    inferred: boolean;
    callers_missing: boolean;
    module: string | null;
    offset: number;
}

interface Succession {
    routine: string;
    first: Site;
    second: Site;
    count: number;
    gap_s: number;
    short_gaps: number;
    dependent: boolean;
    mergeable: boolean;
    cost_s: number | null;
    ranks: string;
}

interface Region {
    name: string;
    path: string;
    wall_s: number | null;
    mpi_s: number;
    entries: number | null;
    calls: number;
    ranks: string;
    wall_per_rank_s: Spread | null;
    routines: { name: string; calls: number; time_s: number; bytes: number }[];
}

interface Mpi {
    time_s: number;
    fraction: number;
    routines: Routine[];
    sites: (Stats & Site & { routine: string })[];
    successions: Succession[];
    regions: Region[];
    sizes: (Stats & { routine: string; from_bytes: number; to_bytes: number })[];
    communicators: (Stats & { routine: string; size: number })[];
}

const TABS = [
    ['routines', 'Routines'],
    ['sites', 'Call sites'],
    ['sizes', 'Message sizes'],
    ['regions', 'Regions'],
    ['communicators', 'Communicators'],
    ['successions', 'Successive reductions'],
] as const;

export function MpiView() {
    const { job } = useProfile().summary;
    return (
        <>
            <h2>MPI</h2>
            {isFromOutside(job) ? <Uncounted /> : <SliceView<{ mpi: Mpi }> name="mpi">{({ mpi }) => <OfMpi mpi={mpi} />}</SliceView>}
        </>
    );
}

function OfMpi({ mpi }: { mpi: Mpi }) {
    const { job } = useProfile().summary;
    if (mpi.routines.length === 0)
        return (
            <p class="verdict">
                {job.mpi ? 'No MPI call was counted.' : 'The program made no MPI calls.'}
                {job.notes.some(({ code }) => code === 'unseen-mpi') && ' It has an MPI that Fathom does not see: see the notes in the view Job.'}
            </p>
        );
    const asked = param('by');
    const tab = TABS.find(([key]) => key === asked)?.[0] ?? 'routines';
    const first = mpi.routines[0];
    return (
        <>
            <p class="verdict">
                <strong data-value="mpi_time">{seconds(mpi.time_s)}</strong> in MPI, {percent(mpi.fraction)} of the time of all ranks
                {first.time_s > 0 && (
                    <>
                        ; {first.name} alone {percent(job.wall_sum_s > 0 ? first.time_s / job.wall_sum_s : null)}
                    </>
                )}
                .
            </p>
            <div class="controls" role="group" aria-label="MPI by">
                {TABS.map(([key, title]) => (
                    <button key={key} type="button" aria-pressed={key === tab} onClick={() => setParam({ by: key === 'routines' ? '' : key })}>
                        {title}
                    </button>
                ))}
                {tab !== 'routines' && tab !== 'regions' && <RoutineChoice mpi={mpi} />}
            </div>
            {tab === 'routines' && <Routines mpi={mpi} />}
            {tab === 'sites' && <Sites mpi={mpi} />}
            {tab === 'sizes' && <Sizes mpi={mpi} />}
            {tab === 'regions' && <Regions mpi={mpi} />}
            {tab === 'communicators' && <Communicators mpi={mpi} />}
            {tab === 'successions' && <Successions mpi={mpi} />}
            {tab !== 'routines' && selectedRanks.value.length > 0 && <OfAllRanks />}
        </>
    );
}

function RoutineChoice({ mpi }: { mpi: Mpi }) {
    return (
        <label>
            Routine{' '}
            <select value={param('routine')} onChange={(event) => setParam({ routine: event.currentTarget.value })}>
                <option value="">all</option>
                {mpi.routines.map(({ name }) => (
                    <option key={name} value={name}>
                        {name}
                    </option>
                ))}
            </select>
        </label>
    );
}

function ofRoutine<T extends { routine: string }>(list: T[], routine: string): T[] {
    return routine ? list.filter((item) => item.routine === routine) : list;
}

function share(part: number | null, whole: number): number | null {
    return part === null || !(whole > 0) ? null : part / whole;
}

// ---- columns that several tables have ----

function timeColumns<T extends Stats>(mpi: Mpi): Column<T>[] {
    const perCall = (row: T) => share(row.time_s, row.calls);
    return [
        { title: 'Time', unit: 's', about: 'Sum over ranks', bar: true, value: (row) => row.time_s, show: (row) => seconds(row.time_s) },
        { title: '% MPI', about: 'Share of the time in MPI', value: (row) => share(row.time_s, mpi.time_s), show: (row) => percentFine(share(row.time_s, mpi.time_s)) },
        { title: 'Calls', value: (row) => row.calls, show: (row) => count(row.calls) },
        { title: 'Time/call', unit: 's', about: 'Mean duration of a call', value: perCall, show: (row) => seconds(perCall(row)) },
    ];
}

function bytesColumn<T extends Stats>(): Column<T> {
    return { title: 'Bytes', unit: 'bytes', about: 'Payload of the calls', value: (row) => row.bytes, show: (row) => bytes(row.bytes) };
}

function longestColumn<T extends Stats>(): Column<T> {
    return { title: 'Longest', unit: 's', about: 'The longest single call', value: (row) => row.max_s, show: (row) => seconds(row.max_s) };
}

function routineColumn<T extends { routine: string }>(): Column<T> {
    return { title: 'Routine', text: true, value: (row) => row.routine, show: (row) => <span class="routine-link">{row.routine}</span> };
}

// ---- routines ----

/** The time of the selected ranks in each routine for which the profile has it per rank. */
function useSelected(): { chosen: number; time: (name: string) => number | null; colours: Map<string, string> } {
    const loaded = useSlice<Ranks>('ranks');
    const ranges = selectedRanks.value;
    return useMemo(() => {
        if (loaded.state !== 'ready') return { chosen: 0, time: () => null, colours: new Map() };
        const { balance } = loaded.data;
        const colours = coloursOfNames(Object.keys(balance.routines));
        const rows = rankRows(loaded.data);
        const mask = selectionOf(rows.ranks, ranges);
        if (!mask) return { chosen: 0, time: () => null, colours };
        const inside: number[] = [];
        mask.forEach((mark, row) => mark && inside.push(row));
        const times = new Map(Object.entries(balance.routines).map(([name, list]) => [name, meanOf(rows.arrange(balance.ranks_by_mpi_time, list), inside)]));
        return { chosen: inside.length, time: (name: string) => times.get(name) ?? null, colours };
    }, [loaded, ranges]);
}

function Routines({ mpi }: { mpi: Mpi }) {
    const { job } = useProfile().summary;
    const { chosen, time, colours } = useSelected();
    const columns = useMemo<Column<Routine>[]>(() => {
        const ofRank = (title: string, about: string, pick: (row: Routine) => [number, number | null] | null): Column<Routine> => ({
            title,
            unit: 's',
            about,
            value: (row) => pick(row)?.[0] ?? null,
            show: (row) => {
                const picked = pick(row);
                return picked ? <RankOf value={seconds(picked[0])} rank={picked[1]} /> : 'unknown';
            },
        });
        const spread = (row: Routine) => row.per_rank?.time_s ?? null;
        return [
            {
                title: 'Routine',
                text: true,
                value: (row) => row.name,
                show: (row) => (
                    <span class="routine-link">
                        <span class="swatch" style={{ background: `var(${colours.get(row.name) ?? '--other'})` }} aria-hidden="true" />
                        <a href={viewAddress('mpi', { by: 'sites', routine: row.name })} title="Its call sites">
                            {row.name}
                        </a>
                    </span>
                ),
            },
            ...timeColumns<Routine>(mpi),
            {
                title: '% wall',
                about: 'Share of the wall times of all ranks',
                value: (row) => share(row.time_s, job.wall_sum_s),
                show: (row) => percentFine(share(row.time_s, job.wall_sum_s)),
            },
            ofRank('Longest', 'The longest single call, and its rank', (row) => row.max && [row.max.time_s, row.max.rank]),
            ofRank('Least', 'Time in it of the rank with the least, and that rank', (row) => {
                const s = spread(row);
                return s && [s.min, s.min_rank];
            }),
            ofRank('Most', 'Time in it of the rank with the most, and that rank', (row) => {
                const s = spread(row);
                return s && [s.max, s.max_rank];
            }),
            ...(chosen
                ? [
                      {
                          title: 'Selected',
                          unit: 's',
                          about: 'Mean time in it of the selected ranks; unknown for routines of which the profile has no values per rank',
                          value: (row: Routine) => time(row.name),
                          show: (row: Routine) => seconds(time(row.name)),
                      },
                  ]
                : []),
            bytesColumn<Routine>(),
            { title: 'Ranks', text: true, about: 'Ranks that called it', value: (row) => row.ranks, show: (row) => <RanksLink ranks={row.ranks} /> },
        ];
    }, [mpi, job, chosen, time, colours]);
    return (
        <>
            <Table
                name="mpi-routines"
                caption="MPI routines, sums over ranks. The small number beside a time is its rank."
                rows={mpi.routines}
                rowKey={(row) => row.name}
                columns={columns}
                sortedBy={1}
                limit={25}
            />
            {chosen > 0 && <SumsOfAll chosen={chosen} />}
            <p class="quiet">
                {mpi.routines.some(({ name }) => name === 'MPI_Finalize') && 'MPI_Finalize is counted only: measurement ends where it begins.'}
            </p>
        </>
    );
}

/** Profiles have calls per rank only by routine. */
function OfAllRanks() {
    return (
        <p class="quiet" data-part="of-all-ranks">
            These figures are of all ranks: a profile has calls per rank by routine, and sampled times per rank in{' '}
            <a href={viewAddress('paths')}>Call paths</a>.
        </p>
    );
}

function SumsOfAll({ chosen }: { chosen: number }) {
    return (
        <p class="quiet">
            {plural(chosen, 'rank')} selected: the column Selected is the mean of their times. All other figures are of all ranks.
        </p>
    );
}

// ---- call sites ----

function SitePlace({ site }: { site: Site }) {
    return (
        <>
            {site.function && (
                <span class="function" title={site.function.slice(0, 2000)}>
                    <bdi>{site.function}</bdi>{' '}
                </span>
            )}
            {site.file || site.function ? site.file && <PlaceLink {...site} /> : <Unresolved site={site} />}
            {site.inferred && <abbr title="It called MPI by a tail call; the recorded call is that of its caller"> (t)</abbr>}
            {site.inlined_into.slice(0, 3).map((outer, i) => (
                <span class="quiet inlined" key={i}>
                    inlined into <bdi>{outer.function ?? 'unknown'}</bdi> <PlaceLink {...outer} />
                </span>
            ))}
        </>
    );
}

/** Without debug information there is only the address in the load module. */
function Unresolved({ site }: { site: Site }): ComponentChildren {
    if (!site.module) return <span class="quiet">unknown</span>;
    return (
        <span class="quiet" title={site.module}>
            <bdi>{site.module.slice(site.module.lastIndexOf('/') + 1)}</bdi> + 0x{site.offset.toString(16)}
        </span>
    );
}

function placeText(site: Place & { module?: string | null; offset?: number }): string {
    const at = site.file ? `${site.file}${site.line ? `:${site.line}` : ''}` : '';
    return [site.function, at].filter(Boolean).join(' ') || (site.module ? `${site.module} + 0x${(site.offset ?? 0).toString(16)}` : 'unknown');
}

function Sites({ mpi }: { mpi: Mpi }) {
    const routine = param('routine');
    const rows = useMemo(() => ofRoutine(mpi.sites, routine), [mpi, routine]);
    const columns = useMemo<Column<Mpi['sites'][number]>[]>(
        () => [
            routineColumn(),
            { title: 'Called from', text: true, value: placeText, show: (row) => <SitePlace site={row} /> },
            ...timeColumns<Mpi['sites'][number]>(mpi),
            longestColumn(),
            bytesColumn(),
        ],
        [mpi],
    );
    if (rows.length === 0) return <p>No call site is known{routine && ` of ${routine}`}.</p>;
    return (
        <Table
            key={routine}
            name="mpi-sites"
            caption={`Call sites of ${routine || 'all routines'}: function, file and line of the call`}
            rows={rows}
            columns={columns}
            sortedBy={2}
            limit={25}
        />
    );
}

// ---- sizes ----

const METRICS = {
    time: { name: 'time', pick: (row: Stats) => row.time_s, show: (value: number) => seconds(value), ofBytes: false },
    calls: { name: 'calls', pick: (row: Stats) => row.calls, show: (value: number) => count(value), ofBytes: false },
    bytes: { name: 'bytes', pick: (row: Stats) => row.bytes, show: (value: number) => bytes(value), ofBytes: true },
};

const STACKED = 8;

/** Bins from the smallest to the largest size, those between them without calls as well. */
function sizeClasses(rows: Mpi['sizes'], names: string[], pick: (row: Stats) => number): SizeClass[] {
    const bins = new Map<number, { to: number; values: number[] }>();
    for (const row of rows) {
        const bin = bins.get(row.from_bytes) ?? { to: row.to_bytes, values: names.map(() => 0) };
        const series = names.indexOf(row.routine);
        bin.values[series < 0 ? names.length - 1 : series] += pick(row);
        bins.set(row.from_bytes, bin);
    }
    const sorted = [...bins.keys()].sort((a, b) => a - b);
    const last = sorted[sorted.length - 1];
    for (let from = sorted.find((size) => size > 0) ?? 1; from < last; from *= 2)
        if (!bins.has(from)) bins.set(from, { to: 2 * from - 1, values: names.map(() => 0) });
    return [...bins.entries()]
        .sort((a, b) => a[0] - b[0])
        .map(([from, { to, values }]) => ({ name: messageSize(from, to), short: sizeFrom(from), values }));
}

function Sizes({ mpi }: { mpi: Mpi }) {
    const routine = param('routine');
    const { colours: given } = useSelected();
    const asked = param('metric');
    const metric = asked === 'calls' || asked === 'bytes' ? asked : 'time';
    const rows = useMemo(() => ofRoutine(mpi.sizes, routine), [mpi, routine]);
    const { series, classes } = useMemo(() => {
        const { pick } = METRICS[metric];
        const totals = new Map<string, number>();
        for (const row of rows) totals.set(row.routine, (totals.get(row.routine) ?? 0) + pick(row));
        const heavy = [...totals.entries()].sort((a, b) => b[1] - a[1]).map(([name]) => name);
        const names = heavy.length > STACKED ? [...heavy.slice(0, STACKED - 1), 'other routines'] : heavy;
        const colours = coloursOfNames(names, given);
        return {
            series: names.map((name) => ({ name, colour: name === 'other routines' ? '--other' : (colours.get(name) ?? '--other') })),
            classes: sizeClasses(rows, names, pick),
        };
    }, [rows, metric, given]);
    if (rows.length === 0) return <p>{routine || 'The program'} made no calls that have a size.</p>;
    const { show, ofBytes } = METRICS[metric];
    return (
        <>
            <ChartFrame
                name="mpi-sizes"
                title={`${METRICS[metric].name[0].toUpperCase()}${METRICS[metric].name.slice(1)} by message size`}
                caption="Size: the payload of one call, in powers of two. Calls without data are not in it."
                table={() => <SizeTable mpi={mpi} rows={rows} />}
            >
                <div class="controls" role="group" aria-label="Figure">
                    {(['time', 'calls', 'bytes'] as const).map((key) => (
                        <button key={key} type="button" aria-pressed={key === metric} onClick={() => setParam({ metric: key === 'time' ? '' : key })}>
                            {key}
                        </button>
                    ))}
                </div>
                <SizeBars
                    label={`${METRICS[metric].name} of ${routine || 'all routines'} by message size`}
                    series={series}
                    classes={classes}
                    show={show}
                    ofBytes={ofBytes}
                    axis="size of a message"
                />
            </ChartFrame>
        </>
    );
}

function SizeTable({ mpi, rows }: { mpi: Mpi; rows: Mpi['sizes'] }) {
    return (
        <Table
            name="mpi-sizes"
            caption="Message sizes: payload of one call"
            rows={rows}
            columns={[
                routineColumn(),
                { title: 'Size from', unit: 'bytes', value: (row) => row.from_bytes, show: (row) => messageSize(row.from_bytes, row.to_bytes) },
                ...timeColumns<Mpi['sizes'][number]>(mpi),
                longestColumn(),
                bytesColumn(),
            ]}
        />
    );
}

// ---- regions ----

function Regions({ mpi }: { mpi: Mpi }) {
    const chosen = selectedRanks.value;
    if (mpi.regions.length === 0)
        return (
            <p>
                The program defines no regions: <code>MPI_Pcontrol(1, "name")</code> begins one, <code>(-1, "name")</code> ends it.
            </p>
        );
    const inMpi = (row: Region) => (row.wall_s === null ? null : share(row.mpi_s, row.wall_s));
    return (
        <Table
            name="mpi-regions"
            caption="Regions of the program; figures include nested regions"
            rows={mpi.regions}
            rowKey={(row) => row.path}
            rowClass={paleUnless(chosen)}
            limit={50}
            columns={[
                {
                    title: 'Region',
                    text: true,
                    value: (row) => row.path,
                    show: (row) => (
                        <span style={{ paddingLeft: `${Math.min(8, row.path.split('/').length - 1)}rem` }} title={row.path.slice(0, 2000)}>
                            <bdi>{row.name}</bdi>
                        </span>
                    ),
                },
                { title: 'Entries', value: (row) => row.entries, show: (row) => count(row.entries) },
                { title: 'Wall', unit: 's', about: 'Sum over ranks', bar: true, value: (row) => row.wall_s, show: (row) => seconds(row.wall_s) },
                {
                    title: 'Longest',
                    unit: 's',
                    about: 'Wall time of the slowest rank, and that rank',
                    value: (row) => row.wall_per_rank_s?.max ?? null,
                    show: (row) =>
                        row.wall_per_rank_s ? <RankOf value={seconds(row.wall_per_rank_s.max)} rank={row.wall_per_rank_s.max_rank} /> : 'unknown',
                },
                { title: 'MPI', unit: 's', about: 'Time in MPI, sum over ranks', value: (row) => row.mpi_s, show: (row) => seconds(row.mpi_s) },
                { title: '% in MPI', about: 'Of the wall time', value: inMpi, show: (row) => percentFine(inMpi(row)) },
                {
                    title: 'Top MPI routines',
                    text: true,
                    about: 'In % of the MPI time of the region',
                    value: (row) => row.routines.map(({ name }) => name).join(' '),
                    show: (row) =>
                        [...row.routines]
                            .sort((a, b) => b.time_s - a.time_s)
                            .filter(({ time_s }) => time_s > 0.01 * row.mpi_s)
                            .slice(0, 3)
                            .map(({ name, time_s }) => `${name.replace(/^MPI_/, '')} ${percent(share(time_s, row.mpi_s))}`)
                            .join(', '),
                },
                { title: 'Ranks', text: true, value: (row) => row.ranks, show: (row) => <RanksLink ranks={row.ranks} /> },
            ]}
        />
    );
}

// ---- communicators ----

function Communicators({ mpi }: { mpi: Mpi }) {
    const routine = param('routine');
    const rows = useMemo(() => ofRoutine(mpi.communicators, routine), [mpi, routine]);
    if (rows.length === 0) return <p>{routine || 'The program'} made no collective calls.</p>;
    return (
        <Table
            key={routine}
            name="mpi-communicators"
            caption="Collective calls by size of their communicator"
            rows={rows}
            sortedBy={2}
            limit={50}
            columns={[
                routineColumn(),
                { title: 'Ranks in communicator', value: (row) => row.size, show: (row) => count(row.size) },
                ...timeColumns<Mpi['communicators'][number]>(mpi),
                longestColumn(),
                bytesColumn(),
            ]}
        />
    );
}

// ---- successions ----

function whyNot(row: Succession): string {
    if (row.mergeable) return 'probably';
    if (row.dependent) return 'no: the second sends what the first received';
    return row.short_gaps * 5 < row.count ? 'no: work lies between them' : 'no: they move more than 4 KiB';
}

function Successions({ mpi }: { mpi: Mpi }) {
    const chosen = selectedRanks.value;
    const routine = param('routine');
    const rows = useMemo(() => ofRoutine(mpi.successions, routine), [mpi, routine]);
    const won = rows.reduce((sum, { cost_s }) => sum + (cost_s ?? 0), 0);
    if (rows.length === 0) return <p>No reduction{routine && ` with ${routine}`} directly follows another one on the same communicator.</p>;
    return (
        <>
            <p>
                {won > 0 ? (
                    <>
                        Reductions that directly follow each other and could be one: the second calls take <strong>{seconds(won)}</strong>,{' '}
                        {percent(share(won, mpi.time_s))} of the time in MPI.
                    </>
                ) : (
                    'Reductions that directly follow each other; none of them could be joined.'
                )}
            </p>
            <Table
                name="mpi-successions"
                caption="Reductions with no other MPI call between them, on the same communicator"
                rows={rows}
                rowClass={paleUnless(chosen)}
                limit={25}
                columns={[
                    routineColumn(),
                    { title: 'First call', text: true, value: (row) => placeText(row.first), show: (row) => <SitePlace site={{ ...row.first, inlined_into: [] }} /> },
                    { title: 'Second call', text: true, value: (row) => placeText(row.second), show: (row) => <SitePlace site={{ ...row.second, inlined_into: [] }} /> },
                    { title: 'Times', about: 'How often the second followed the first', value: (row) => row.count, show: (row) => count(row.count) },
                    {
                        title: 'Gap',
                        unit: 's',
                        about: 'Mean time between the two',
                        value: (row) => share(row.gap_s, row.count),
                        show: (row) => seconds(share(row.gap_s, row.count)),
                    },
                    {
                        title: 'Short gaps',
                        about: 'Gaps below 2 us',
                        value: (row) => share(row.short_gaps, row.count),
                        show: (row) => percent(share(row.short_gaps, row.count)),
                    },
                    { title: 'Could be one', text: true, value: whyNot },
                    {
                        title: 'Cost',
                        unit: 's',
                        about: 'Time of the second calls, sum over ranks',
                        value: (row) => row.cost_s,
                        show: (row) => (row.cost_s === null ? <span class="quiet">-</span> : seconds(row.cost_s)),
                    },
                    { title: 'Ranks', text: true, value: (row) => row.ranks, show: (row) => <RanksLink ranks={row.ranks} /> },
                ]}
            />
        </>
    );
}
