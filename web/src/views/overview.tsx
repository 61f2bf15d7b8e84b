// SPDX-License-Identifier: BSD-3-Clause
// The first page: the verdict, where the time goes, the factors of efficiency, the ranks, and what to do about it.
import { useMemo, useState } from 'preact/hooks';

import { hasRank, parseRanks } from '../data/rankset';
import type { Finding, Host, Ranks, Summary } from '../data/types';
import { shade } from '../parts/colours';
import { Explain } from '../parts/explain';
import { PlaceLink, RanksLink } from '../parts/links';
import { SliceView } from '../parts/slice_view';
import { useProfile } from '../parts/use_slice';
import { selectedRanks, setParam, viewAddress } from '../state';
import { count, percent, plural, seconds } from '../text/units';

export function Overview() {
    const { summary } = useProfile();
    return (
        <>
            <p class="headline" data-part="headline">
                <bdi>{summary.headline}</bdi>
            </p>
            <Incomplete summary={summary} />
            <div class="first">
                <EfficiencyTree summary={summary} />
                <div>
                    <TimeSplit summary={summary} />
                    <SliceView<Ranks> name="ranks">{(ranks) => <RankStrip ranks={ranks} />}</SliceView>
                </div>
            </div>
            <Findings summary={summary} />
        </>
    );
}

function Incomplete({ summary: { job } }: { summary: Summary }) {
    if (job.complete) return null;
    return (
        <div class="warning" role="note">
            <strong>Incomplete:</strong> not all ranks ended normally; the figures cover the time until then.
            <ul>
                {job.ends.slice(0, 4).map((end) => (
                    <li key={end.ranks}>
                        <RanksLink ranks={end.ranks} view="job" />: {end.how}
                        {end.inside && <>, inside {end.inside}</>}
                    </li>
                ))}
            </ul>
        </div>
    );
}

// ---- efficiency ----

interface FactorProps {
    name: string;
    value: number | null;
    what: string;
    estimated?: boolean;
}

function Factor({ name, value, what, estimated }: FactorProps) {
    return (
        <span class="factor">
            <Explain what={what}>
                {name} <strong>{percent(value)}</strong>
            </Explain>
            {estimated && value !== null && <span class="quiet"> (estimated)</span>}
            {value !== null && (
                <span class="meter" aria-hidden="true">
                    <span style={{ width: `${100 * Math.min(1, value)}%` }} />
                </span>
            )}
        </span>
    );
}

function EfficiencyTree({ summary: { efficiency: e } }: { summary: Summary }) {
    const estimated = (key: string) => e.estimated.includes(key);
    if (e.parallel === null)
        return (
            <section class="card" aria-label="Efficiency">
                <h2>Parallel efficiency</h2>
                <p class="quiet">Unknown: the program made no MPI calls, or they were not counted.</p>
                {e.openmp !== null && (
                    <Factor name="OpenMP efficiency" value={e.openmp} what="Use of the threads of OpenMP outside MPI, from samples." />
                )}
            </section>
        );
    return (
        <section class="card" aria-label="Efficiency" data-part="efficiency">
            <h2>
                <Explain what="The share of the run time that ranks spend outside MPI, on average: load balance times communication efficiency. 100 % would be perfect.">
                    Parallel efficiency <strong data-value="parallel">{percent(e.parallel)}</strong>
                </Explain>
            </h2>
            <ul class="tree">
                <li>
                    <Factor name="Load balance" value={e.load_balance} what="Mean over longest time outside MPI of all ranks. Low: some ranks have more work than others." />
                </li>
                <li>
                    <Factor
                        name="Communication"
                        value={e.communication}
                        what="Longest time outside MPI over run time. Low: even the busiest rank waits or transfers data."
                    />
                    <ul>
                        <li>
                            <Factor
                                name="Serialisation"
                                value={e.serialisation}
                                estimated={estimated('serialisation')}
                                what="What communication would be on a network that takes no time. Low: ranks wait for each other in turn."
                            />
                        </li>
                        <li>
                            <Factor
                                name="Transfer"
                                value={e.transfer}
                                estimated={estimated('transfer')}
                                what="Communication over serialisation. Low: transferring data takes long."
                            />
                        </li>
                    </ul>
                </li>
                {e.openmp !== null && (
                    <li>
                        <Factor
                            name="OpenMP"
                            value={e.openmp}
                            what={`Use of ${e.threads_per_process?.toFixed(1) ?? 'the'} threads per process outside MPI, from samples; +- ${percent(e.openmp_error)}.`}
                        />
                    </li>
                )}
            </ul>
            {e.cores !== 'enough' && (
                <p class="quiet">Ranks did not have cores of their own ({e.cores === 'fewer than ranks' ? 'fewer cores than ranks' : e.cores}): all factors include waiting for a core.</p>
            )}
            <p class="tools">
                <a href={viewAddress('efficiency')}>By region and timer</a>
            </p>
        </section>
    );
}

// ---- split ----

function TimeSplit({ summary: { split, job } }: { summary: Summary }) {
    const parts: { key: string; name: string; value: number | null; what: string; view: string }[] = [
        { key: 'program', name: 'program', value: split.program_s, what: 'Computation: time outside MPI and file I/O.', view: 'paths' },
        { key: 'mpi', name: 'MPI', value: split.mpi_s, what: 'Time in MPI routines: waiting for other ranks, and transfer of data.', view: 'mpi' },
        { key: 'io', name: 'file I/O', value: split.io_s, what: 'Time in file I/O outside MPI.', view: 'io' },
        { key: 'no-cpu', name: 'no CPU', value: split.no_cpu_s, what: 'Time in which a rank could have run but had no CPU.', view: 'balance' },
    ];
    const known = parts.filter((part) => (part.value ?? 0) > 0);
    return (
        <section class="card" aria-label="Where the time goes" data-part="split">
            <h2>
                Where the time goes{' '}
                <small>
                    sum over {plural(job.ranks_measured, 'rank')}: {seconds(split.wall_s)}
                </small>
            </h2>
            <div class="split" aria-hidden="true">
                {known.map((part) => (
                    <a
                        key={part.key}
                        href={viewAddress(part.view)}
                        tabIndex={-1}
                        class={`part-${part.key}`}
                        style={{ flexGrow: (part.value ?? 0) / split.wall_s }}
                        title={`${part.name}: ${seconds(part.value)}`}
                    />
                ))}
            </div>
            <ul class="legend">
                {parts.map((part) => (
                    <li key={part.key}>
                        <span class={`swatch part-${part.key}`} aria-hidden="true" />
                        <Explain what={`${part.what} ${part.value === null ? 'It is unknown in this profile.' : `${seconds(part.value)} over all ranks.`}`}>
                            <a href={viewAddress(part.view)}>{part.name}</a>{' '}
                            <strong data-value={part.key}>{part.value === null ? 'unknown' : percent(part.value / split.wall_s)}</strong>
                        </Explain>
                    </li>
                ))}
            </ul>
        </section>
    );
}

// ---- ranks ----

const CELLS = 256;
const HOSTS = 16;

interface Cell {
    first: number;
    last: number;
    /** Of the time; null if unknown. */
    lost: number | null;
}

interface Row {
    host: string;
    cells: Cell[];
}

/** The share of the time that a rank does not spend in the program, by rank. */
function lostShares(ranks: Ranks): Map<number, number | null> {
    const { per_rank } = ranks.split;
    const shares = new Map<number, number | null>();
    let i = 0;
    for (const [first, last] of parseRanks(per_rank.ranks))
        for (let rank = first; rank <= last; rank++, i++) {
            const wall = per_rank.wall_s[i];
            shares.set(rank, wall > 0 ? 1 - per_rank.program_s[i] / wall : null);
        }
    return shares;
}

/** One cell per rank, or per group of neighbouring ranks if there are many: the mean of its ranks. */
function cellsOf(ranks: number[], shares: Map<number, number | null>): Cell[] {
    const group = Math.ceil(ranks.length / CELLS);
    const cells: Cell[] = [];
    for (let i = 0; i < ranks.length; i += group) {
        const members = ranks.slice(i, i + group);
        const known = members.map((rank) => shares.get(rank) ?? null).filter((share): share is number => share !== null);
        cells.push({
            first: members[0],
            last: members[members.length - 1],
            lost: known.length ? known.reduce((sum, share) => sum + share, 0) / known.length : null,
        });
    }
    return cells;
}

/** A row per host, if there are several but not too many; else one row for all. */
function rowsOf(ranks: Ranks, hosts: Host[]): Row[] {
    const shares = lostShares(ranks);
    if (hosts.length < 2 || hosts.length > HOSTS) return [{ host: '', cells: cellsOf([...shares.keys()], shares) }];
    return hosts.map((host) => {
        const here = parseRanks(host.ranks).flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => first + i));
        return { host: host.name, cells: cellsOf(here, shares) };
    });
}

function RankStrip({ ranks }: { ranks: Ranks }) {
    const { job } = useProfile().summary;
    const [from, setFrom] = useState<number | null>(null);
    const rows = useMemo(() => rowsOf(ranks, job.hosts_list), [ranks, job]);
    const cells = rows.flatMap((row) => row.cells);
    if (cells.length < 2) return null;
    const most = cells.reduce<Cell>((a, b) => ((b.lost ?? -1) > (a.lost ?? -1) ? b : a), cells[0]);
    const name = (cell: Cell) => (cell.first === cell.last ? `rank ${cell.first}` : `ranks ${cell.first}-${cell.last}`);
    const select = (first: number, last: number) =>
        setParam({ ranks: first === last ? `${first}` : `${Math.min(first, last)}-${Math.max(first, last)}` });
    const chosen = selectedRanks.value;
    const several = rows.length > 1;
    return (
        <section class="card" aria-label="Ranks" data-part="ranks">
            <h2>
                Ranks <small>colour: share of the time lost to MPI, file I/O or no CPU; click or drag to select</small>
            </h2>
            {rows.map((row, r) => (
                <div class={several ? 'strip-row' : ''} key={row.host || r}>
                    {several && (
                        <span class="host" title={row.host}>
                            <bdi>{row.host}</bdi>
                        </span>
                    )}
                    <div class="strip" role="group" aria-label={several ? `Ranks of ${row.host}` : 'Ranks'}>
                        {row.cells.map((cell, i) => (
                            <button
                                key={i}
                                type="button"
                                class={chosen.length && hasRank(chosen, cell.first) ? 'chosen' : ''}
                                style={{ background: cell.lost === null ? 'none' : shade(cell.lost) }}
                                tabIndex={i === 0 ? 0 : -1}
                                aria-label={`${name(cell)}: ${percent(cell.lost)} lost`}
                                title={`${name(cell)}: ${percent(cell.lost)} lost`}
                                onPointerDown={() => setFrom(cell.first)}
                                onPointerUp={() => {
                                    select(from ?? cell.first, cell.last);
                                    setFrom(null);
                                }}
                                onKeyDown={(event) => moveAlong(event, () => select(cell.first, cell.last))}
                            />
                        ))}
                    </div>
                </div>
            ))}
            <p class="axis">
                <span>{several ? '' : cells[0].first}</span>
                <span class="quiet">
                    most: {name(most)}, {percent(most.lost)}
                </span>
                <span>{several ? '' : cells[cells.length - 1].last}</span>
            </p>
        </section>
    );
}

/** Arrow keys move along the cells; Enter selects. */
function moveAlong(event: KeyboardEvent, select: () => void): void {
    const cell = event.currentTarget as HTMLElement;
    const next = event.key === 'ArrowRight' ? cell.nextElementSibling : event.key === 'ArrowLeft' ? cell.previousElementSibling : null;
    if (next instanceof HTMLElement) {
        next.focus();
        event.preventDefault();
    } else if (event.key === 'Enter' || event.key === ' ') {
        select();
        event.preventDefault();
    }
}

// ---- findings ----

function Findings({ summary }: { summary: Summary }) {
    const { findings } = summary;
    if (findings.length === 0)
        return (
            <section aria-label="Findings" data-part="findings">
                <h2>Findings</h2>
                <p class="calm">Fathom found nothing that costs much time.{summary.balance_sentence && ` ${summary.balance_sentence}`}</p>
            </section>
        );
    return (
        <section aria-label="Findings" data-part="findings">
            <h2>What to do about it</h2>
            <ol class="findings">
                {findings.map((finding, i) => (
                    <FindingRow key={i} finding={finding} />
                ))}
            </ol>
        </section>
    );
}

function FindingRow({ finding }: { finding: Finding }) {
    const [open, setOpen] = useState(false);
    return (
        <li>
            <details onToggle={(event) => setOpen(event.currentTarget.open)}>
                <summary>
                    <span class="what">{finding.text}</span>
                </summary>
                <div class="evidence">
                    <p>
                        <strong>What to try:</strong> {finding.advice}
                    </p>
                    {finding.trace && <p>{finding.trace}</p>}
                    {open && <SliceView<Ranks> name="ranks">{(ranks) => <TwoGroups ranks={ranks} of={finding.ranks} />}</SliceView>}
                    <p>
                        <RanksLink ranks={finding.ranks} /> · rule <code>{finding.rule}</code> ·{' '}
                        {finding.measured ? 'the cost is measured' : 'the cost is estimated'}
                    </p>
                    <dl class="facts small">
                        {Object.entries(finding.evidence).map(([name, value]) => (
                            <div key={name}>
                                <dt>{name.replace(/_(s|ns|bytes)$/, '').replace(/_/g, ' ')}</dt>
                                <dd>{evidenceText(name, value)}</dd>
                            </div>
                        ))}
                    </dl>
                </div>
            </details>
            <span class="place">{(finding.file || finding.function) && <PlaceLink {...finding} />}</span>
            <span class="cost">
                {finding.cost_s > 0 ? (
                    <>
                        <strong>{seconds(finding.cost_s)}</strong> {percent(finding.cost_fraction)}
                    </>
                ) : (
                    <span class="quiet">no time</span>
                )}
            </span>
        </li>
    );
}

/** The ranks of a finding against the others: time in the program and in MPI, on average. */
function TwoGroups({ ranks, of }: { ranks: Ranks; of: string }) {
    const chosen = parseRanks(of);
    const { rank, wall_s: wall, mpi_s: mpi } = ranks.processes;
    const sums = { in: { n: 0, program: 0, mpi: 0 }, out: { n: 0, program: 0, mpi: 0 } };
    rank.forEach((value, i) => {
        if (value === null || wall[i] === null || mpi[i] === null) return;
        const group = hasRank(chosen, value) ? sums.in : sums.out;
        group.n++;
        group.program += (wall[i] ?? 0) - (mpi[i] ?? 0);
        group.mpi += mpi[i] ?? 0;
    });
    if (!sums.in.n || !sums.out.n) return null;
    const rows = [
        { name: `these ${plural(sums.in.n, 'rank')}`, ...sums.in },
        { name: `the other ${plural(sums.out.n, 'rank')}`, ...sums.out },
    ].map((row) => ({ ...row, program: row.program / row.n, mpi: row.mpi / row.n }));
    const widest = Math.max(...rows.map((row) => row.program + row.mpi));
    return (
        <div class="two-groups" role="group" aria-label="Its ranks against the others, on average">
            {rows.map((row) => (
                <div key={row.name}>
                    <span>{row.name}</span>
                    <span class="track" aria-hidden="true">
                        <span class="part-program" style={{ width: `${(100 * row.program) / widest}%` }} />
                        <span class="part-mpi" style={{ width: `${(100 * row.mpi) / widest}%` }} />
                    </span>
                    <span>
                        {seconds(row.program)} outside MPI, {seconds(row.mpi)} in MPI
                    </span>
                </div>
            ))}
        </div>
    );
}

function evidenceText(name: string, value: number | string | null): string {
    if (value === null) return 'unknown';
    if (typeof value === 'string') return value;
    if (name.endsWith('_s')) return seconds(value);
    if (name.endsWith('_ns')) return seconds(value / 1e9);
    if (name.endsWith('fraction') || name.endsWith('share')) return percent(value);
    return Number.isInteger(value) || value >= 1000 ? count(Math.round(value)) : String(Number(value.toPrecision(3)));
}
