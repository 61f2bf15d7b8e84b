// SPDX-License-Identifier: BSD-3-Clause
// A program: how its runs developed, how it scales, which routines take its time, and who runs it.
import { useEffect, useMemo } from 'preact/hooks';
import uPlot from 'uplot';

import { ChartFrame, Plot } from '../parts/chart';
import { colour } from '../parts/colours';
import { Explain } from '../parts/explain';
import { type Column, Table } from '../parts/table';
import { addressOf, param, setParam } from '../state';
import { commitShort } from '../text/names';
import { bytes, count, percent, percentFine, plural, seconds, UNKNOWN } from '../text/units';
import { Answer } from './answer';
import { BarChart } from './bars';
import { type Insight, type Me, query } from './data';
import { UsersTable } from './figures';
import { InsightItems } from './insights';
import { moment } from './job_columns';

interface Run {
    id: number;
    ended_at: number | null;
    ranks: number | null;
    wall_s: number | null;
    cpu_s: number | null;
    parallel: number | null;
    mpi_fraction: number | null;
    build_id: string | null;
    commit: string | null;
    mpi: string | null;
    command: string | null;
}

interface Size {
    ranks: number;
    jobs: number;
    wall_s: number | null;
    cpu_s: number | null;
    parallel: number | null;
    mpi_fraction: number | null;
    routines: { name: string; time_s: number | null }[];
}

interface Program {
    program: string;
    user: string | null;
    users: { user: string; jobs: number; cpu_s: number | null; wasted_s: number | null }[];
    runs: Run[];
    scaling: Size[];
    routines: { name: string; calls: number | null; time_s: number | null; bytes: number | null }[];
    insights: Insight[];
}

export function ProgramPage({ me, program }: { me: Me; program: string }) {
    useEffect(() => {
        document.title = `${program} - Fathom`;
    }, [program]);
    const user = me.staff ? param('user') : '';
    return (
        <>
            <h1>
                <bdi>{program}</bdi>
                {user && (
                    <small>
                        {' '}
                        of <bdi>{user}</bdi> · <a href={addressOf(['program', program])}>of all users</a>
                    </small>
                )}
            </h1>
            <Answer<Program> path={query('program', { program, user })} missing="There are no jobs of this program.">
                {(data) => (data.runs.length === 0 ? <p class="calm">There are no jobs of this program.</p> : <Content me={me} data={data} user={user} />)}
            </Answer>
        </>
    );
}

function Content({ me, data, user }: { me: Me; data: Program; user: string }) {
    const jobs = data.users.reduce((sum, one) => sum + one.jobs, 0);
    const cpu = data.users.reduce((sum, one) => sum + (one.cpu_s ?? 0), 0);
    const known = data.users.filter(({ wasted_s }) => wasted_s !== null);
    const wasted = known.length ? known.reduce((sum, one) => sum + (one.wasted_s ?? 0), 0) : null;
    const ofKnown = known.reduce((sum, one) => sum + (one.cpu_s ?? 0), 0);
    return (
        <>
            <p class="headline">
                {plural(Math.round(jobs), 'job')} of {plural(data.users.length, 'user')}, {seconds(cpu)} CPU time, {seconds(wasted)} of it wasted (efficiency {percent(wasted !== null && ofKnown > 0 ? 1 - wasted / ofKnown : null)}).{' '}
                <a href={addressOf(['jobs'], { program: data.program, user, last: 'all', order: 'ended' })}>All jobs</a>
            </p>
            {data.insights.length > 0 && (
                <section class="card" aria-label="Insights">
                    <h2>What stands out</h2>
                    <InsightItems insights={data.insights} />
                </section>
            )}
            <RunsOverTime data={data} />
            <Scaling data={data} />
            <div class="charts">
                <BarChart
                    name="routines"
                    title="MPI routines"
                    caption="Of the latest runs, at most 4 on each number of ranks"
                    of="Routine"
                    rows={data.routines.map((routine) => ({ name: routine.name, values: [routine.time_s] }))}
                    measures={[{ title: 'Time', fill: '--mpi', text: seconds, unit: 's' }]}
                />
                <section aria-label="Routines">
                    <h2>Calls and bytes</h2>
                    <Table
                        name="program-routines"
                        caption="Of the same runs"
                        rows={data.routines}
                        limit={12}
                        columns={[
                            { title: 'Routine', text: true, value: (row) => row.name },
                            { title: 'Calls', value: (row) => row.calls, show: (row) => count(row.calls) },
                            { title: 'Time', unit: 's', value: (row) => row.time_s, show: (row) => seconds(row.time_s) },
                            { title: 'Bytes', value: (row) => row.bytes, show: (row) => bytes(row.bytes) },
                        ]}
                    />
                </section>
            </div>
            {me.staff && data.users.length > 0 && !user && (
                <section aria-label="Users">
                    <h2>Users</h2>
                    <UsersTable rows={data.users} />
                </section>
            )}
        </>
    );
}

// ---- history ----

const MEASURES: Record<string, { title: string; of: (run: Run) => number | null; text: (value: number | null) => string }> = {
    wall: { title: 'Wall time', of: (run) => run.wall_s, text: seconds },
    efficiency: { title: 'Parallel efficiency', of: (run) => run.parallel, text: percent },
    mpi: { title: 'Time in MPI', of: (run) => run.mpi_fraction, text: percent },
};

interface Mark {
    at: number;
    text: string;
    worse: boolean;
}

/** What was different from the run before. */
function differences(runs: Run[]): Mark[] {
    const marks: Mark[] = [];
    let before: Run | null = null;
    for (const run of runs) {
        if (before && run.ended_at !== null) {
            const changed = [
                run.commit !== before.commit && run.commit ? `commit ${commitShort(run.commit)}` : '',
                run.build_id !== before.build_id && run.build_id && (run.commit ?? null) === (before.commit ?? null) ? `build ${run.build_id.slice(0, 10)}` : '',
                run.mpi !== before.mpi && run.mpi ? run.mpi : '',
            ].filter(Boolean);
            if (changed.length) marks.push({ at: run.ended_at, text: changed.join(', '), worse: false });
        }
        before = run;
    }
    return marks;
}

const MOST_MARKS = 8;

interface Day {
    day: string;
    at: number;
    factor: number;
}

/** The days on which the analysis has based what it says: times relative to those before the change. */
function daysOf(slower: Insight | undefined): Day[] {
    const days = slower?.details?.days;
    if (!Array.isArray(days)) return [];
    return (days as Record<string, unknown>[])
        .flatMap(({ day, factor }): Day[] => (typeof day === 'string' && typeof factor === 'number' ? [{ day, factor, at: Date.parse(`${day}T12:00:00Z`) / 1000 }] : []))
        .filter(({ at }) => Number.isFinite(at))
        .sort((a, b) => a.at - b.at);
}

/** Dates, and times of the day where several marks are on one day. */
const dates = (_u: uPlot, ticks: number[], _axis: number, _space: number, step: number) =>
    ticks.map((tick) => (step < 86400 ? new Date(tick * 1000).toISOString().slice(5, 16).replace('T', ' ') : new Date(tick * 1000).toISOString().slice(0, 10)));

function DayChart({ days, marks }: { days: Day[]; marks: Mark[] }) {
    const plotted = useMemo<uPlot.AlignedData>(() => [days.map(({ at }) => at), days.map(({ factor }) => factor)], [days]);
    const options = useMemo<Omit<uPlot.Options, 'width' | 'height'>>(
        () => ({
            legend: { show: false },
            padding: [14, 20, 0, 0],
            tzDate: (ts) => uPlot.tzDate(new Date(ts * 1000), 'Etc/UTC'),
            cursor: { drag: { x: false, y: false } },
            scales: { y: { range: (_u, _min, max) => [0, max * 1.1 || 1] } },
            axes: [
                { stroke: () => colour('--quiet'), grid: { stroke: () => colour('--line'), width: 1 }, space: 80, values: dates },
                { stroke: () => colour('--quiet'), grid: { stroke: () => colour('--line'), width: 1 }, size: 70, values: (_u, ticks) => ticks.map((tick) => percent(tick)) },
            ],
            series: [{}, { label: 'Time', stroke: () => colour('--program'), width: 0, paths: () => null, points: { show: true, size: 7, fill: () => colour('--program') } }],
            hooks: { draw: [(plot) => drawMarks(plot, marks)] },
        }),
        [marks],
    );
    const columns: Column<Day>[] = [
        { title: 'Day', text: true, value: ({ day }) => day },
        { title: 'Time', about: 'Median of the runs of the day, relative to before', value: ({ factor }) => factor, show: ({ factor }) => percentFine(factor) },
    ];
    const title = 'Wall time by day, relative to before';
    return (
        <ChartFrame
            name="days"
            title={title}
            caption="Each point is the median of a day, of runs with all numbers of ranks; 100 % is what they took before."
            table={() => <Table name="days" caption={title} rows={[...days].reverse()} columns={columns} limit={40} />}
        >
            <Plot label={`${title}: ${plural(days.length, 'day')}; the table has the numbers`} data={plotted} options={options} height={230} />
            <Marks marks={marks} />
        </ChartFrame>
    );
}

function Marks({ marks }: { marks: Mark[] }) {
    if (marks.length === 0) return null;
    return (
        <ul class="changes" data-part="marks">
            {marks.map((mark, i) => (
                <li key={i} class={mark.worse ? 'worse' : undefined}>
                    <span aria-hidden="true">{mark.worse ? '▲' : '┆'}</span> {moment(mark.at).slice(0, 10)}: <bdi>{mark.text}</bdi>
                </li>
            ))}
        </ul>
    );
}

function RunsOverTime({ data }: { data: Program }) {
    const sizes = useMemo(() => {
        const runs = new Map<number, number>();
        for (const { ranks } of data.runs) if (ranks !== null) runs.set(ranks, (runs.get(ranks) ?? 0) + 1);
        return [...runs].sort((a, b) => b[1] - a[1]);
    }, [data]);
    const asked = Number(param('ranks_of'));
    const slower = data.insights.find(({ kind, details }) => kind === 'slower' && typeof details?.ranks === 'number');
    const usual = sizes.some(([n]) => n === slower?.details?.ranks) ? (slower?.details?.ranks as number) : sizes[0]?.[0];
    const ranks = sizes.some(([n]) => n === asked) ? asked : usual;
    const runs = useMemo(() => data.runs.filter((run) => run.ranks === ranks && run.ended_at !== null), [data, ranks]);
    const days = useMemo(() => daysOf(slower), [slower]);
    // where there are many runs, the latest ones do not go back to the day of the change
    const beyond = days.length > 0 && (runs[0]?.ended_at ?? 0) > Number(slower?.details?.since_at ?? 0);
    const key = MEASURES[param('of')] ? param('of') : beyond || (param('of') === 'days' && days.length > 0) ? 'days' : 'wall';
    const measure = MEASURES[key] ?? MEASURES.wall;
    const marks = useMemo(() => {
        const changes = differences(runs);
        const slow = data.insights.flatMap((one): Mark[] => (one.kind === 'slower' && one.day ? [{ at: typeof one.details?.since_at === 'number' ? one.details.since_at : Date.parse(`${one.day}T00:00:00Z`) / 1000, text: 'it takes longer from here on', worse: true }] : []));
        return [...slow, ...(changes.length <= MOST_MARKS ? changes : [])];
    }, [runs, data]);
    // the axis counts in hours as soon as times are shown in hours
    const unit = key === 'wall' && Math.max(0, ...runs.map((run) => measure.of(run) ?? 0)) >= 36000 ? 3600 : 1;
    const plotted = useMemo<uPlot.AlignedData>(
        () => [runs.map((run) => run.ended_at as number), runs.map((run) => (measure.of(run) === null ? null : (measure.of(run) as number) / unit))] as uPlot.AlignedData,
        [runs, key, unit],
    );
    const options = useMemo<Omit<uPlot.Options, 'width' | 'height'>>(
        () => ({
            legend: { show: false },
            padding: [14, 20, 0, 0],
            tzDate: (ts) => uPlot.tzDate(new Date(ts * 1000), 'Etc/UTC'),
            cursor: { drag: { x: false, y: false } },
            scales: { y: { range: (_u, _min, max) => [0, key === 'wall' ? max * 1.1 || 1 : 1] } },
            axes: [
                { stroke: () => colour('--quiet'), grid: { stroke: () => colour('--line'), width: 1 }, space: 80, values: dates },
                { stroke: () => colour('--quiet'), grid: { stroke: () => colour('--line'), width: 1 }, size: 70, values: (_u, ticks) => ticks.map((tick) => (tick === 0 ? '0' : unit === 3600 ? `${count(tick)} h` : measure.text(tick))) },
            ],
            series: [{}, { label: measure.title, stroke: () => colour('--program'), width: 0, paths: () => null, points: { show: true, size: 7, fill: () => colour('--program') } }],
            hooks: { draw: [(plot) => drawMarks(plot, marks)] },
        }),
        [key, marks, unit],
    );
    if (runs.length === 0) return null;
    const columns: Column<Run>[] = [
        { title: 'Ended', text: true, value: (run) => run.ended_at, show: (run) => <a href={addressOf(['job', String(run.id)])}>{moment(run.ended_at)}</a> },
        { title: 'Ranks', value: (run) => run.ranks },
        { title: 'Wall time', unit: 's', value: (run) => run.wall_s, show: (run) => seconds(run.wall_s) },
        { title: 'Efficiency', value: (run) => run.parallel, show: (run) => percentFine(run.parallel) },
        { title: 'In MPI', value: (run) => run.mpi_fraction, show: (run) => percentFine(run.mpi_fraction) },
        { title: 'Build id', text: true, value: (run) => run.build_id, show: (run) => <code>{run.build_id?.slice(0, 12) ?? UNKNOWN}</code> },
        { title: 'Commit', text: true, value: (run) => run.commit, show: (run) => <bdi>{run.commit ? commitShort(run.commit) : UNKNOWN}</bdi> },
        { title: 'MPI', text: true, value: (run) => run.mpi },
    ];
    const title = `${measure.title} of the runs on ${plural(ranks ?? 0, 'rank')}`;
    return (
        <section aria-label="History" data-part="history">
            <div class="controls">
                <h2>History</h2>
                <label hidden={key === 'days'}>
                    on{' '}
                    <select data-choice="ranks_of" value={String(ranks)} onChange={(event) => setParam({ ranks_of: event.currentTarget.value })}>
                        {[...sizes]
                            .sort((a, b) => a[0] - b[0])
                            .map(([n, times]) => (
                                <option key={n} value={n}>
                                    {plural(n, 'rank')} ({plural(times, 'run')})
                                </option>
                            ))}
                    </select>
                </label>
                <label>
                    show{' '}
                    <select data-choice="of" value={key} onChange={(event) => setParam({ of: event.currentTarget.value })}>
                        {Object.entries(MEASURES).map(([name, { title: text }]) => (
                            <option key={name} value={name}>
                                {text}
                            </option>
                        ))}
                        {days.length > 0 && <option value="days">Wall time by day</option>}
                    </select>
                </label>
            </div>
            {key === 'days' ? (
                <DayChart days={days} marks={marks.filter(({ worse }) => worse)} />
            ) : (
                <ChartFrame
                    name="runs"
                    title={title}
                    caption="Each point is a run; the table leads to them."
                    table={() => <Table name="runs" caption={title} rows={[...runs].reverse()} columns={columns} limit={40} />}
                >
                    <Plot label={`${title}: ${plural(runs.length, 'point')}; the table has the numbers`} data={plotted} options={options} height={230} />
                    <Marks marks={marks} />
                </ChartFrame>
            )}
        </section>
    );
}

/** Solid where the program became slower, dashed where it was built anew or MPI changed. */
function drawMarks(plot: uPlot, marks: Mark[]): void {
    const { ctx, bbox } = plot;
    ctx.save();
    for (const { at, worse } of marks) {
        const x = plot.valToPos(at, 'x', true);
        if (x < bbox.left || x > bbox.left + bbox.width) continue;
        ctx.strokeStyle = colour(worse ? '--much' : '--quiet');
        ctx.lineWidth = (worse ? 2 : 1) * devicePixelRatio;
        ctx.setLineDash(worse ? [] : [4 * devicePixelRatio, 4 * devicePixelRatio]);
        ctx.beginPath();
        ctx.moveTo(x, bbox.top);
        ctx.lineTo(x, bbox.top + bbox.height);
        ctx.stroke();
    }
    ctx.restore();
}

// ---- scaling ----

const SCALING: Record<string, string> = { speed: 'Speed-up', efficiency: 'Parallel efficiency' };

/** The runs that the analysis has compared, because they have the same problem; null if it has not. */
function comparedOf(insight: Insight | undefined): Size[] | null {
    const points = insight?.details?.points;
    if (!Array.isArray(points)) return null;
    const number = (value: unknown) => (typeof value === 'number' ? value : null);
    const sizes = (points as Record<string, unknown>[]).flatMap((point): Size[] => {
        const [ranks, cpu, mpi] = [number(point.ranks), number(point.cpu_s), number(point.mpi_s)];
        if (ranks === null) return [];
        return [{ ranks, jobs: number(point.runs) ?? 0, wall_s: number(point.wall_s), cpu_s: cpu, parallel: number(point.efficiency), mpi_fraction: cpu && mpi !== null ? mpi / cpu : null, routines: [] }];
    });
    return sizes.length >= 2 ? sizes.sort((x, y) => x.ranks - y.ranks) : null;
}

/** Speed-up against the smallest number of ranks: strong scaling, if the runs compute the same. */
function Scaling({ data }: { data: Program }) {
    const sizes = useMemo(() => data.scaling.filter(({ wall_s, ranks }) => wall_s !== null && wall_s > 0 && ranks > 0).sort((a, b) => a.ranks - b.ranks), [data]);
    const insight = data.insights.find(({ kind }) => kind === 'scaling');
    const told = insight?.details?.best_ranks;
    const best = typeof told === 'number' ? told : null;
    const compared = useMemo(() => comparedOf(insight), [insight]);
    const curve = compared ?? sizes;
    const base = curve[0];
    const speedUp = (size: Size) => (base.wall_s ?? 0) / (size.wall_s ?? 1);
    // whoever computes a smaller problem on more ranks is not faster for it
    const alike = compared ? insight?.details?.mode === 'strong' : sizes.every((size) => speedUp(size) <= (1.5 * size.ranks) / base.ranks && speedUp(size) >= 0.4);
    const shown = SCALING[param('scaling')] ? param('scaling') : alike ? 'speed' : 'efficiency';
    const speed = shown === 'speed';
    const plotted = useMemo<uPlot.AlignedData>(
        () =>
            (base
                ? [curve.map(({ ranks }) => ranks), curve.map((size) => (speed ? speedUp(size) : size.parallel)), curve.map(({ ranks }) => (speed ? ranks / base.ranks : 1))]
                : [[]]) as uPlot.AlignedData,
        [curve, speed],
    );
    const options = useMemo<Omit<uPlot.Options, 'width' | 'height'>>(
        () => ({
            legend: { show: false },
            padding: [8, 24, 0, 0],
            cursor: { drag: { x: false, y: false } },
            scales: { x: { time: false, distr: 3, log: 2 }, y: speed ? { distr: 3, log: 2 } : { range: (_u, _min, max) => [0, Math.max(1, max) * 1.05] } },
            axes: [
                { stroke: () => colour('--quiet'), grid: { stroke: () => colour('--line'), width: 1 }, label: 'ranks', labelSize: 18, splits: () => curve.map(({ ranks }) => ranks), values: (_u, ticks) => ticks.map((tick) => String(tick)), filter: (_u, ticks) => ticks },
                { stroke: () => colour('--quiet'), grid: { stroke: () => colour('--line'), width: 1 }, size: 50, values: (_u, ticks) => ticks.map((tick) => (tick === null ? '' : speed ? count(Math.round(tick * 100) / 100) : percent(tick))) },
            ],
            series: [
                {},
                { label: 'measured', stroke: () => colour('--program'), width: 2, points: { show: true, size: 8 } },
                { label: 'ideal', stroke: () => colour('--quiet'), width: 1, dash: [6, 4], points: { show: false } },
            ],
            hooks: { draw: [(plot) => best !== null && curve.some(({ ranks }) => ranks === best) && drawMarks(plot, [{ at: best, text: '', worse: false }])] },
        }),
        [curve, best, speed],
    );
    if (curve.length < 2) return null;
    const routines = [...new Set(sizes.flatMap((size) => size.routines.slice(0, 4).map(({ name }) => name)))].slice(0, 8);
    const share = (size: Size, name: string) => {
        // medians of times and of CPU time may be those of different runs; parts of the MPI time add up
        const all = size.routines.reduce((sum, routine) => sum + (routine.time_s ?? 0), 0);
        const time = size.routines.find((routine) => routine.name === name)?.time_s;
        return time !== undefined && time !== null && all > 0 && size.mpi_fraction !== null ? (size.mpi_fraction * time) / all : null;
    };
    const columns: Column<Size>[] = [
        { title: 'Ranks', value: (size) => size.ranks, show: (size) => <a href={addressOf(['jobs'], { program: data.program, user: data.user ?? '', ranks_from: String(size.ranks), ranks_to: String(size.ranks), last: 'all', order: 'ended' })}>{count(size.ranks)}</a> },
        { title: 'Jobs', value: (size) => size.jobs },
        { title: 'Wall time', unit: 's', value: (size) => size.wall_s, show: (size) => seconds(size.wall_s) },
        ...(alike && !compared ? [{ title: 'Speed-up', value: speedUp, show: (size: Size) => speedUp(size).toFixed(2) }] : []),
        { title: 'CPU time', unit: 's', value: (size) => size.cpu_s, show: (size) => seconds(size.cpu_s) },
        { title: 'Efficiency', value: (size) => size.parallel, show: (size) => percentFine(size.parallel) },
        { title: 'In MPI', value: (size) => size.mpi_fraction, show: (size) => percentFine(size.mpi_fraction) },
        ...routines.map((name): Column<Size> => ({ title: name, about: 'Share of the CPU time', value: (size) => share(size, name), show: (size) => percentFine(share(size, name)) })),
    ];
    const table = <Table name="scaling" caption="Medians of the latest 2,000 runs; routines: share of the CPU time" rows={sizes} columns={columns} />;
    return (
        <section aria-label="Scaling" data-part="scaling">
            <div class="controls">
                <h2>Scaling</h2>
                <label>
                    show{' '}
                    <select data-choice="scaling" value={shown} onChange={(event) => setParam({ scaling: event.currentTarget.value })}>
                        {Object.entries(SCALING).map(([key, title]) => (
                            <option key={key} value={key}>
                                {title}
                            </option>
                        ))}
                    </select>
                </label>
            </div>
            <div class="columns scaling">
                <ChartFrame
                    name="scaling"
                    title={`${SCALING[shown]} against ranks`}
                    caption={
                        <>
                            Medians of the runs{compared && ' with the same problem'}{speed && `, against ${plural(base.ranks, 'rank')}`}; dashed: ideal{best !== null ? `; dashed upright: ${plural(best, 'rank')}, the best number` : ''}.{' '}
                            <Explain what={compared ? 'Inputs are told apart by the time outside MPI and I/O: the same sum over ranks is the same problem. Efficiency is relative to the fewest ranks.' : 'Speed-up is the wall time on the fewest ranks / the wall time on so many. It says how the program scales only if the runs compute the same; inputs are not recorded.'}>
                                {compared ? 'How they are chosen' : alike ? 'Speed-up holds if the runs compute the same.' : 'The runs do not compute the same: speed-up says little.'}
                            </Explain>
                        </>
                    }
                    table={() => table}
                >
                    <Plot label={`${SCALING[shown]} of ${curve.length} numbers of ranks; the table has the numbers`} data={plotted} options={options} height={260} />
                </ChartFrame>
                <div>{table}</div>
            </div>
        </section>
    );
}
