// SPDX-License-Identifier: BSD-3-Clause
// A comparison of runs: how the program scales, what stops it, and where. From the server, or as one file.
import { type ComponentChildren, Fragment } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type uPlot from 'uplot';

import { runName, type Scale, type ScaleDocument, type ScaleRun, type Verdict } from '../data/scale';
import { fetchDocument, type Source } from '../data/source';
import { ChartFrame, Plot } from '../parts/chart';
import { colour } from '../parts/colours';
import { Loading } from '../parts/loading';
import { type Column, Table } from '../parts/table';
import { addressOf, param, place, setParam } from '../state';
import { basename } from '../text/names';
import { count, percent, percentFine, seconds, UNKNOWN } from '../text/units';
import { ScaleTreeView } from './scale_tree';

const VIEWS = ['calls', 'callers', 'flat', 'mpi', 'timers'];
export const MODES: Record<string, string> = {
    strong: 'same problem on more ranks (strong scaling)',
    weak: 'problem grows with the ranks (weak scaling)',
    same: 'two versions or repetitions (A and B)',
};

// ---- where the comparison comes from ----

/** #/scale/ID,ID?mode=strong&view=calls */
export function ServedScale() {
    const mode = MODES[param('mode')] ? param('mode') : 'strong';
    const view = VIEWS.includes(param('view')) ? param('view') : '';
    const query = `mode=${mode}&profiles=${(place.value[1] ?? '').split(',').map(encodeURIComponent).join(',')}${view ? `&view=${view}` : ''}`;
    const [document, setDocument] = useState<ScaleDocument | null>(null);
    const [problem, setProblem] = useState('');
    useEffect(() => {
        let current = true;
        setProblem('');
        fetchDocument<ScaleDocument>(`/api/scale?${query}`).then(
            (made) => current && setDocument(made),
            (error: Error) => current && setProblem(error.message),
        );
        return () => {
            current = false;
        };
    }, [query]);
    return (
        <>
            {problem && (
                <main class="page">
                    <p class="problem" role="alert">
                        The runs cannot be compared: {problem}
                    </p>
                    <ul>
                        {Object.entries(MODES).map(([name, about]) => (
                            <li key={name}>
                                <a href={addressOf(['scale', place.value[1] ?? ''], { mode: name })}>Compare as: {about}</a>
                            </li>
                        ))}
                        <li>
                            <a href="#/">All profiles</a>
                        </li>
                    </ul>
                </main>
            )}
            {!problem && !document && (
                <main class="page">
                    <p class="quiet" role="status">
                        Comparing the runs ...
                    </p>
                </main>
            )}
            {!problem && document && <ScalePage scale={document.scale} views={VIEWS} modes />}
        </>
    );
}

/** A comparison in one file. */
export function FileScale({ source }: { source: Source }) {
    const [views, setViews] = useState<string[]>([]);
    const [document, setDocument] = useState<ScaleDocument | null>(null);
    const [problem, setProblem] = useState('');
    const view = views.includes(param('view')) ? param('view') : views[0];
    useEffect(() => {
        source.slice<{ views: string[] }>('scale').then(
            (list) => setViews(list.views),
            (error: Error) => setProblem(error.message),
        );
    }, [source]);
    useEffect(() => {
        if (view)
            source.slice<ScaleDocument>(`scale/${view}`).then(setDocument, (error: Error) => setProblem(error.message));
    }, [source, view]);
    if (problem || !document)
        return (
            <main class="page">
                {problem ? <p class="problem">The comparison cannot be shown: {problem}</p> : <Loading />}
            </main>
        );
    return <ScalePage scale={document.scale} views={views} />;
}

// ---- the page ----

function ScalePage({ scale, views, modes }: { scale: Scale; views: string[]; modes?: boolean }) {
    const same = scale.mode === 'same';
    const name = basename(scale.runs[scale.other].program || 'a program');
    const title = same ? `${name}: two runs compared` : `Scaling of ${name}`;
    useEffect(() => {
        window.document.title = `${title} - Fathom`;
    }, [title]);
    return (
        <>
            <header class="top">
                <h1>
                    <bdi>{title}</bdi>
                </h1>
                <p>
                    {same ? 'A and B' : `${scale.runs.map(({ ranks }) => count(ranks)).join(', ')} ranks`} · {MODES[scale.mode]}
                </p>
                {modes && (
                    <p>
                        <label>
                            Compare as{' '}
                            <select value={scale.mode} onChange={(event) => setParam({ mode: event.currentTarget.value, node: '', at: '', open: '', zoom: '', top: '' })}>
                                {Object.keys(MODES).map((mode) => (
                                    <option key={mode} value={mode} disabled={mode === 'same' && scale.runs.length > 2}>
                                        {mode}
                                    </option>
                                ))}
                            </select>
                        </label>{' '}
                        <a href="#/">All profiles</a>
                    </p>
                )}
            </header>
            <main id="main" class="page scale" tabIndex={-1} data-view="scale">
                <div class="first">
                    <Conclusions scale={scale} />
                    {same ? <Sides scale={scale} /> : <SpeedUp scale={scale} />}
                </div>
                <ScaleTreeView key={`${scale.mode} ${scale.view}`} scale={scale} views={views} />
                <Runs scale={scale} />
                <Costs scale={scale} />
            </main>
        </>
    );
}

function VerdictItem({ verdict }: { verdict: Verdict }) {
    return (
        <li>
            {verdict.text}
            {verdict.lines.length > 0 && (
                <ul>
                    {verdict.lines.map((line, i) => (
                        <li key={i}>
                            <a
                                href={addressOf(place.value, { ...(param('mode') ? { mode: param('mode') } : {}), view: param('view'), q: line.file ? `${line.file}:${line.line}` : '' })}
                                title={line.path?.slice(0, 300)}
                            >
                                <bdi>
                                    {line.file}:{line.line}
                                </bdi>
                            </a>{' '}
                            <span class="quiet">{percentFine(line.x)}</span>
                        </li>
                    ))}
                </ul>
            )}
        </li>
    );
}

function Conclusions({ scale }: { scale: Scale }) {
    return (
        <section class="card" aria-label="Conclusions">
            <h2>{scale.headline ?? 'Conclusions'}</h2>
            {scale.advice && <p data-part="advice">{scale.advice}</p>}
            {scale.verdicts.length > 0 && (
                <>
                    <h3>{scale.mode === 'same' ? 'What takes more time in B' : 'What stops it'}</h3>
                    <ol class="verdicts" data-part="verdicts">
                        {scale.verdicts.map((verdict, i) => (
                            <VerdictItem key={i} verdict={verdict} />
                        ))}
                    </ol>
                </>
            )}
            {scale.gains.length > 0 && (
                <>
                    <h3>What takes less time than expected</h3>
                    <ol class="verdicts">
                        {scale.gains.map((verdict, i) => (
                            <VerdictItem key={i} verdict={verdict} />
                        ))}
                    </ol>
                </>
            )}
            {scale.projection && (
                <p>
                    Projection, not measured: on {count(scale.projection.ranks)} ranks efficiency {scale.projection.efficiency.toFixed(2)} ({scale.projection.low.toFixed(2)} to {scale.projection.high.toFixed(2)}).
                </p>
            )}
            {scale.notes.map((note) => (
                <p class="quiet" key={note}>
                    Note: {note}.
                </p>
            ))}
        </section>
    );
}

function SpeedUp({ scale }: { scale: Scale }) {
    const { runs } = scale;
    const first = runs[0].ranks;
    const data = useMemo<uPlot.AlignedData>(
        () => [runs.map(({ ranks }) => ranks), runs.map(({ ranks }) => ranks / first), runs.map(({ speedup }) => speedup)],
        [scale],
    );
    const options = useMemo<Omit<uPlot.Options, 'width' | 'height'>>(() => {
        const text = () => colour('--text');
        const grid = { stroke: () => colour('--line'), width: 1 };
        const axis = { stroke: text, grid, ticks: grid };
        const ranks = runs.map((run) => run.ranks);
        return {
            legend: { show: false },
            cursor: { show: false },
            scales: { x: { time: false, distr: 3, log: 2 }, y: { distr: 3, log: 2 } },
            axes: [
                { ...axis, label: 'ranks', splits: () => ranks, values: (_, splits) => splits.map((split) => String(split)) },
                { ...axis, label: 'speed-up', values: (_, splits) => splits.map((split) => (split === null ? '' : String(Number(split.toPrecision(3))))) },
            ],
            series: [
                {},
                { label: 'ideal', stroke: () => colour('--quiet'), dash: [6, 4], width: 1.5, points: { show: false } },
                { label: 'measured', stroke: () => colour('--program'), width: 2.5, points: { show: true, size: 9, fill: () => colour('--program') } },
            ],
        };
    }, [scale]);
    return (
        <section class="card" aria-label="Speed-up">
            <ChartFrame
                name="speedup"
                title={`Speed-up against ${runName(scale, 0)}`}
                caption={
                    <>
                        <span class="line-key measured" /> measured <span class="line-key ideal" /> ideal; both axes are logarithmic
                    </>
                }
                table={() => <RunTable scale={scale} />}
            >
                <Plot label={`Speed-up: ${runs.map((run) => `${run.speedup.toFixed(2)} on ${run.ranks} ranks`).join(', ')}`} data={data} options={options} height={290} />
            </ChartFrame>
        </section>
    );
}

/** The name of its file, which may be broken after its parts. */
function RunName({ run }: { run: ScaleRun }) {
    return (
        <bdi title={run.profile.slice(0, 500)}>
            {basename(run.profile)
                .slice(0, 300)
                .split(/(?<=[._-])/)
                .map((part, i) => (
                    <Fragment key={i}>
                        {i > 0 && <wbr />}
                        {part}
                    </Fragment>
                ))}
        </bdi>
    );
}

/** Two versions side by side. */
function Sides({ scale }: { scale: Scale }) {
    const rows: [string, (run: ScaleRun) => ComponentChildren][] = [
        ['Profile', (run) => <RunName run={run} />],
        ['Ranks', (run) => count(run.ranks)],
        ['Time per process', (run) => seconds(run.time_s)],
        ['In MPI', (run) => percentFine(run.mpi_fraction)],
        ['Parallel efficiency', (run) => percentFine(run.factors.parallel)],
        ['Load balance', (run) => percentFine(run.factors.load_balance)],
        ['Communication', (run) => percentFine(run.factors.communication)],
        ['All ranks ended normally', (run) => (run.complete ? 'yes' : 'no')],
    ];
    return (
        <section class="card" aria-label="Both runs">
            <table class="sides">
                <caption>Both runs side by side</caption>
                <thead>
                    <tr>
                        <th scope="col" class="text">Figure</th>
                        <th scope="col" class="number">A</th>
                        <th scope="col" class="number">B</th>
                    </tr>
                </thead>
                <tbody>
                    {rows.map(([title, show]) => (
                        <tr key={title}>
                            <th scope="row" class="text">{title}</th>
                            <td class="number"><bdi>{show(scale.runs[0])}</bdi></td>
                            <td class="number"><bdi>{show(scale.runs[1])}</bdi></td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </section>
    );
}

const FACTORS: [key: string, title: string, about: string][] = [
    ['global', 'Global', 'Parallel efficiency times computation scaling'],
    ['computation', 'Computation', 'Time outside MPI in the first run over that in this one'],
    ['instructions', 'Instructions', 'Instructions of the program in the first run over those in this one'],
    ['ipc', 'IPC', 'Instructions per cycle in this run over those in the first one'],
    ['frequency', 'Frequency', 'Cycles per second in this run over those in the first one'],
    ['parallel', 'Parallel', 'Parallel efficiency of the run'],
    ['load_balance', 'Load balance', 'Mean over longest time outside MPI'],
    ['communication', 'Communication', 'Longest time outside MPI over run time'],
];

function RunTable({ scale }: { scale: Scale }) {
    const efficiency = (of: { efficiency: number; error: number } | null) =>
        of ? `${of.efficiency.toFixed(2)}${of.error >= 0.005 ? ` ± ${of.error.toFixed(2)}` : ''}` : '';
    const known = FACTORS.filter(([key]) => scale.runs.some(({ factors }) => factors[key] !== null && factors[key] !== undefined));
    const columns: Column<ScaleRun>[] = [
        { title: 'Run', text: true, value: (run) => run.profile, show: (run) => <RunName run={run} /> },
        { title: 'Ranks', value: ({ ranks }) => ranks, show: ({ ranks }) => count(ranks) },
        { title: 'Time', unit: 's', about: 'Mean per process, threads added up', value: (run) => run.time_s, show: (run) => seconds(run.time_s) },
        { title: 'Speed-up', about: 'Relative to the first run', value: ({ speedup }) => speedup, show: ({ speedup }) => speedup.toFixed(2) },
        { title: 'Efficiency', about: 'Relative to the first run, with the error due to sampling', value: (run) => run.to_first.efficiency, show: (run) => efficiency(run.to_first) },
        { title: 'To previous', about: 'Efficiency relative to the run before', value: (run) => run.to_previous?.efficiency ?? null, show: (run) => efficiency(run.to_previous) },
        { title: 'In MPI', value: (run) => run.mpi_fraction, show: (run) => percentFine(run.mpi_fraction) },
        ...known.map(
            ([key, title, about]): Column<ScaleRun> => ({
                title,
                about,
                value: ({ factors }) => factors[key] ?? null,
                show: ({ factors }) => percentFine(factors[key]),
            }),
        ),
        { title: 'Cores', text: true, about: 'Whether times include waiting for a core', value: (run) => (run.lacks_cores ? 'too few' : 'enough') },
    ];
    return <Table name="runs" caption="Runs, and the factors of their efficiency" rows={scale.runs} columns={columns} />;
}

function Runs({ scale }: { scale: Scale }) {
    return (
        <section aria-label="Runs">
            <h2>Runs and factors of efficiency</h2>
            <RunTable scale={scale} />
        </section>
    );
}

interface Cost {
    name: string;
    runs: ({ time_s: number; fraction: number } | undefined)[];
}

function Costs({ scale }: { scale: Scale }) {
    const rows = useMemo(() => {
        const costs = new Map<string, Cost>();
        scale.runs.forEach((run, i) =>
            run.costs.forEach(({ name, ...cost }) => {
                let row = costs.get(name);
                if (!row) costs.set(name, (row = { name, runs: [] }));
                row.runs[i] = cost;
            }),
        );
        return [...costs.values()];
    }, [scale]);
    return (
        <section aria-label="Costs">
            <h2>Computation and MPI routines</h2>
            <Table
                name="costs"
                caption="Time over all processes, and its share of the run"
                limit={12}
                rows={rows}
                columns={[
                    { title: 'Part', text: true, value: ({ name }) => name },
                    ...scale.runs.flatMap((_, i): Column<Cost>[] => [
                        { title: runName(scale, i), unit: 's', value: ({ runs }) => runs[i]?.time_s ?? null, show: ({ runs }) => (runs[i] ? seconds(runs[i]!.time_s) : UNKNOWN) },
                        { title: `share, ${runName(scale, i)}`, value: ({ runs }) => runs[i]?.fraction ?? null, show: ({ runs }) => percent(runs[i]?.fraction), bar: true },
                    ]),
                ]}
            />
        </section>
    );
}
