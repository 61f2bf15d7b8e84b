// SPDX-License-Identifier: BSD-3-Clause
// The first page: the verdict, where the time goes, the factors of efficiency, the ranks, and what to do about it.
import { useMemo, useState } from 'preact/hooks';

import { formatRanks, hasRank, parseRanks } from '../data/rankset';
import type { Host, Ranks, Split, Summary } from '../data/types';
import { shade } from '../parts/colours';
import { Explain } from '../parts/explain';
import { RanksLink } from '../parts/links';
import { SliceView } from '../parts/slice_view';
import { useProfile } from '../parts/use_slice';
import { LONGEST_SELECTION, selectedRanks, setParam, viewAddress } from '../state';
import { percent, plural, seconds } from '../text/units';
import { Findings } from './findings';

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

interface SplitPart {
    key: string;
    name: string;
    value: number | null;
    what: string;
    view: string;
    estimated?: boolean;
}

/** MPI is one part where waiting and transfer are not told apart. */
function partsOf(split: Split): SplitPart[] {
    const mpi: SplitPart[] =
        split.waiting_s === null || split.transfer_s === null
            ? [{ key: 'mpi', name: 'MPI', value: split.mpi_s, what: 'Time in MPI routines: waiting for other ranks, and transfer of data.', view: 'mpi' }]
            : [
                  {
                      key: 'waiting',
                      name: 'waiting',
                      value: split.waiting_s,
                      what: `Time in MPI in which a rank waits for others: what calls take beyond those that do not wait; an estimate. MPI in all: ${percent(split.mpi_s / split.wall_s)}.`,
                      view: 'balance',
                      estimated: true,
                  },
                  {
                      key: 'transfer',
                      name: 'transfer',
                      value: split.transfer_s,
                      what: `Time in MPI that is not waiting; an estimate. MPI in all: ${percent(split.mpi_s / split.wall_s)}.`,
                      view: 'mpi',
                      estimated: true,
                  },
              ];
    return [
        { key: 'program', name: 'program', value: split.program_s, what: 'Computation: time outside MPI and file I/O.', view: 'paths' },
        ...mpi,
        { key: 'io', name: 'file I/O', value: split.io_s, what: 'Time in file I/O outside MPI.', view: 'io' },
        { key: 'no-cpu', name: 'no CPU', value: split.no_cpu_s, what: 'Time in which a rank could have run but had no CPU.', view: 'balance' },
    ];
}

function TimeSplit({ summary: { split, job } }: { summary: Summary }) {
    const parts = partsOf(split);
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
                        {part.estimated && <span class="quiet"> (estimated)</span>}
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
    ranks: number[];
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
            ranks: members,
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

/** A cell, or the first one of several. */
interface Start {
    row: number;
    cell: number;
}

function RankStrip({ ranks }: { ranks: Ranks }) {
    const { job } = useProfile().summary;
    const [start, setStart] = useState<Start | null>(null);
    const [refused, setRefused] = useState(false);
    const rows = useMemo(() => rowsOf(ranks, job.hosts_list), [ranks, job]);
    const cells = rows.flatMap((row) => row.cells);
    if (cells.length < 2) return null;
    const most = cells.reduce<Cell>((a, b) => ((b.lost ?? -1) > (a.lost ?? -1) ? b : a), cells[0]);
    const name = ({ ranks: of }: Cell) => (of.length === 1 ? `rank ${of[0]}` : `ranks ${of[0]}-${of[of.length - 1]}`);
    const select = (row: number, from: number, to: number) => {
        const [low, high] = [Math.min(from, to), Math.max(from, to)];
        const text = formatRanks(rows[row].cells.slice(low, high + 1).flatMap((cell) => cell.ranks));
        setRefused(text.length > LONGEST_SELECTION);
        if (text.length <= LONGEST_SELECTION) setParam({ ranks: text });
    };
    /** Arrow keys move along the cells, with Shift they select; Enter selects one, Escape none. */
    const key = (event: KeyboardEvent, row: number, cell: number) => {
        const end = rows[row].cells.length - 1;
        const step = { ArrowRight: 1, ArrowLeft: -1, Home: -end, End: end }[event.key];
        if (step !== undefined) {
            const next = Math.min(end, Math.max(0, cell + step));
            const from = start?.row === row ? start.cell : cell;
            const buttons = (event.currentTarget as HTMLElement).parentElement?.children;
            (buttons?.[next] as HTMLElement | undefined)?.focus();
            setStart(event.shiftKey ? { row, cell: from } : null);
            if (event.shiftKey) select(row, from, next);
        } else if (event.key === 'Enter' || event.key === ' ') select(row, cell, cell);
        else if (event.key === 'Escape') setParam({ ranks: '' });
        else return;
        event.preventDefault();
    };
    const chosen = selectedRanks.value;
    const several = rows.length > 1;
    const last = cells[cells.length - 1].ranks;
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
                    <div
                        class="strip"
                        role="group"
                        aria-label={`Ranks${several ? ` of ${row.host}` : ''}. Arrow keys move along them, with Shift they select, Enter selects, Escape clears the selection.`}
                    >
                        {row.cells.map((cell, i) => (
                            <button
                                key={i}
                                type="button"
                                class={chosen.length && cell.ranks.some((rank) => hasRank(chosen, rank)) ? 'chosen' : ''}
                                style={{ background: cell.lost === null ? 'none' : shade(cell.lost) }}
                                tabIndex={i === 0 ? 0 : -1}
                                aria-label={`${name(cell)}: ${percent(cell.lost)} lost`}
                                title={`${name(cell)}: ${percent(cell.lost)} lost`}
                                onPointerDown={() => setStart({ row: r, cell: i })}
                                onPointerUp={() => {
                                    select(r, start?.row === r ? start.cell : i, i);
                                    setStart(null);
                                }}
                                onKeyDown={(event) => key(event, r, i)}
                            />
                        ))}
                    </div>
                </div>
            ))}
            <p class="axis">
                <span>{several ? '' : cells[0].ranks[0]}</span>
                <span class="quiet">
                    most: {name(most)}, {percent(most.lost)}
                </span>
                <span>{several ? '' : last[last.length - 1]}</span>
            </p>
            {refused && (
                <p class="problem" role="alert">
                    These ranks are too scattered for an address. Select fewer.
                </p>
            )}
        </section>
    );
}
