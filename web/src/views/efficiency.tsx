// SPDX-License-Identifier: BSD-3-Clause
// How much of the time is lost, and to what: the factors of the run, of regions and of timers.
import { useMemo } from 'preact/hooks';

import { hasRank } from '../data/rankset';
import type { Efficiency, Factors, Ranks } from '../data/types';
import { Explain } from '../parts/explain';
import { Meter } from '../parts/meter';
import { type Column, Table } from '../parts/table';
import { isFromOutside, Uncounted } from '../parts/uncounted';
import { useProfile, useSlice } from '../parts/use_slice';
import { selectedRanks, viewAddress } from '../state';
import { percent, percentFine, plural, seconds } from '../text/units';

export function EfficiencyView() {
    const { job, efficiency } = useProfile().summary;
    return (
        <>
            <h2>Efficiency</h2>
            {isFromOutside(job) ? (
                <Uncounted />
            ) : efficiency.parallel === null && efficiency.openmp === null ? (
                <p class="verdict">Unknown: no MPI call was counted, and no threads of OpenMP were sampled.</p>
            ) : (
                <OfRun efficiency={efficiency} />
            )}
            <Parts kind="Region" parts={efficiency.regions} none='The program defines no regions: MPI_Pcontrol(1, "name") begins one, (-1, "name") ends it.' />
            <Parts kind="Timer" parts={efficiency.timers} none="The program has no timers (man fathom-timers)." />
        </>
    );
}

// ---- the run ----

interface Factor {
    key: keyof Efficiency & string;
    name: string;
    depth: number;
    value: number | null;
    definition: string;
    low: string;
    remark?: string;
}

/** Each factor is the product of those below it. */
function factorsOf(e: Efficiency): Factor[] {
    const hybrid = e.openmp !== null;
    const deeper = hybrid ? 1 : 0;
    const remark = (key: string) => (e.estimated.includes(key) ? 'estimated' : undefined);
    const list: Factor[] = [
        {
            key: 'parallel',
            name: hybrid ? 'MPI parallel efficiency' : 'parallel efficiency',
            depth: deeper,
            value: e.parallel,
            definition: 'mean work / wall time',
            low: 'much of the time of the ranks is spent in MPI',
        },
        {
            key: 'load_balance',
            name: 'load balance',
            depth: deeper + 1,
            value: e.load_balance,
            definition: 'mean / longest work',
            low: 'some ranks have more work than others, which wait for them',
        },
        {
            key: 'communication',
            name: 'communication',
            depth: deeper + 1,
            value: e.communication,
            definition: 'longest work / wall time',
            low: 'even the rank with the most work waits or transfers data',
        },
        {
            key: 'serialisation',
            name: 'serialisation',
            depth: deeper + 2,
            value: e.serialisation,
            definition: 'without waiting other than for load imbalance',
            low: 'ranks wait for each other in turn',
            remark: remark('serialisation'),
        },
        {
            key: 'transfer',
            name: 'transfer',
            depth: deeper + 2,
            value: e.transfer,
            definition: 'without the time that calls take if they do not wait',
            low: 'the calls themselves take long: much data, or many calls',
            remark: remark('transfer'),
        },
    ];
    if (!hybrid) return list;
    return [
        { key: 'hybrid', name: 'hybrid efficiency', depth: 0, value: e.hybrid, definition: 'MPI x OpenMP', low: 'see the two factors' },
        ...list,
        {
            key: 'openmp',
            name: 'OpenMP',
            depth: 1,
            value: e.openmp,
            definition: 'threads that do not wait, outside MPI',
            low: 'threads wait in barriers, or idle while one works alone',
            remark: `sampled${e.openmp_error !== null ? ` +- ${percentFine(e.openmp_error)}` : ''}, ${e.threads_per_process?.toFixed(1) ?? 'unknown'} threads per process`,
        },
    ];
}

const CORES: Record<string, string> = { 'fewer than ranks': 'fewer cores than ranks', preempted: 'they were preempted', 'not running': 'they were not running' };

function OfRun({ efficiency: e }: { efficiency: Efficiency }) {
    const { job } = useProfile().summary;
    const factors = factorsOf(e);
    const least = leastOf(e);
    return (
        <section data-part="run">
            <p class="verdict">
                {e.from_first
                    ? `Efficiency from the first ${e.from_first.kind === 'region' ? 'entry of region' : 'start of timer'} '${e.from_first.name}' on`
                    : 'Efficiency of the whole run'}
                , {plural(e.from_first?.ranks_in_it ?? job.ranks_measured, 'rank')}; each factor is the product of those below it.
                {least && (
                    <>
                        {' '}
                        Most is lost to <strong>{least.name}</strong>: {least.low}.
                    </>
                )}
            </p>
            {e.cores !== 'enough' && (
                <p class="warning">Ranks had no cores of their own ({CORES[e.cores] ?? e.cores}): the factors include waiting for a core.</p>
            )}
            <ul class="factors">
                {factors.map((factor) => (
                    <li key={factor.key}>
                        <span style={{ paddingLeft: `${1.4 * factor.depth}rem` }}>
                            <Explain what={`${factor.definition}. Low: ${factor.low}.`}>
                                {factor.depth === 0 ? <strong>{factor.name}</strong> : factor.name}
                            </Explain>
                        </span>
                        <span data-value={factor.key}>
                            <Meter value={factor.value} fine />
                        </span>
                        <span class="quiet">
                            {factor.definition}
                            {factor.remark && factor.value !== null && ` (${factor.remark})`}
                        </span>
                    </li>
                ))}
            </ul>
            <p class="quiet">
                Work is time outside MPI.{' '}
                {e.serialisation !== null &&
                    'Estimates, from the durations of calls: transfer is reduced by the time that calls take without waiting, serialisation by waiting other than for load imbalance. '}
                {e.openmp !== null && 'OpenMP, from samples: the share of the time outside MPI in which threads do not wait. '}
                <a href={viewAddress('balance')}>Work and waiting of each rank</a>
            </p>
            <Startup efficiency={e} />
            {e.parallel !== null && <OfSelected />}
        </section>
    );
}

/** From the times of the processes of these ranks, as fm_factors_of does for all of them. */
function factorsOfSelected({ processes: { rank, wall_s: wall, mpi_s: mpi } }: Ranks, chosen: ReturnType<typeof selectedRanks.peek>) {
    let n = 0;
    let sum = 0;
    let work = 0;
    let longest = 0;
    rank.forEach((value, i) => {
        const whole = wall[i];
        const inMpi = mpi[i];
        if (value === null || !hasRank(chosen, value) || whole === null || inMpi === null) return;
        const outside = Math.max(0, whole - inMpi);
        n++;
        sum += outside;
        work = Math.max(work, outside);
        longest = Math.max(longest, whole);
    });
    if (n === 0 || !(longest > 0) || !(work > 0)) return null;
    return { n, load_balance: sum / n / work, communication: work / longest, parallel: sum / n / longest };
}

const OF_SELECTED = [
    ['parallel', 'parallel efficiency', 'mean work / wall time'],
    ['load_balance', 'load balance', 'mean / longest work'],
    ['communication', 'communication', 'longest work / wall time'],
] as const;

/** The factors of the selected ranks by themselves, as far as there are times of each rank. */
function OfSelected() {
    const chosen = selectedRanks.value;
    const loaded = useSlice<Ranks>('ranks');
    const factors = useMemo(() => (loaded.state === 'ready' && chosen.length > 0 ? factorsOfSelected(loaded.data, chosen) : null), [loaded, chosen]);
    if (!factors) return null;
    return (
        <div data-part="selected">
            <h3>The selected {factors.n === 1 ? 'rank' : plural(factors.n, 'rank')}, whole run</h3>
            <ul class="factors">
                {OF_SELECTED.map(([key, name, definition], i) => (
                    <li key={key}>
                        <span style={{ paddingLeft: `${i ? 1.4 : 0}rem` }}>{i ? name : <strong>{name}</strong>}</span>
                        <span data-value={key}>
                            <Meter value={factors[key]} fine />
                        </span>
                        <span class="quiet">{definition}, of the selected ranks</span>
                    </li>
                ))}
            </ul>
            <p class="quiet">Serialisation, transfer, regions and timers are known for all ranks together only.</p>
        </div>
    );
}

const GOOD = 0.95;

/** The lowest factor that has no factors itself. */
function leastOf(e: Efficiency): Factor | null {
    const leaves = factorsOf(e).filter(({ key, value }) => {
        if (value === null || key === 'parallel' || key === 'hybrid') return false;
        return key !== 'communication' || e.serialisation === null;
    });
    leaves.sort((a, b) => (a.value ?? 1) - (b.value ?? 1));
    return leaves.length > 0 && (leaves[0].value ?? 1) < GOOD ? leaves[0] : null;
}

const MUCH = 0.05;

/** Starting MPI takes a fixed time, which can be most of what a short run seems to transfer. */
function Startup({ efficiency: e }: { efficiency: Efficiency }) {
    const { job } = useProfile().summary;
    const loaded = useSlice<{ mpi: { routines: { name: string; time_s: number }[] } }>('mpi');
    if (loaded.state !== 'ready' || e.from_first || e.serialisation === null) return null;
    let sum = 0;
    for (const { name, time_s } of loaded.data.mpi.routines) if (name.startsWith('MPI_Init')) sum += time_s;
    if (!(job.wall_sum_s > 0) || sum / job.wall_sum_s < MUCH) return null;
    return (
        <p>
            MPI_Init takes {percent(sum / job.wall_sum_s)} of the time, which counts as transfer: less in a longer run, and nothing with{' '}
            <code>--from-first REGION</code>.
        </p>
    );
}

// ---- regions and timers ----

type Part = Efficiency['regions'][number];

function Parts({ kind, parts, none }: { kind: 'Region' | 'Timer'; parts: Part[]; none: string }) {
    const factor = (title: string, about: string, pick: (row: Factors) => number | null): Column<Part> => ({
        title,
        about,
        value: pick,
        show: (row) => (pick(row) === null ? <span class="quiet">unknown</span> : <Meter value={pick(row)} fine />),
    });
    const unmeasured = parts.length > 0 && parts.every(({ parallel }) => parallel === null);
    return (
        <section>
            <h3>{kind}s</h3>
            {parts.length === 0 ? (
                <p class="quiet">{none}</p>
            ) : (
                <Table
                    name={`efficiency-${kind.toLowerCase()}s`}
                    caption={`Efficiency of each ${kind.toLowerCase()}`}
                    rows={parts}
                    rowKey={(row) => row.name}
                    limit={30}
                    columns={[
                        {
                            title: kind,
                            text: true,
                            value: (row) => row.name,
                            show: (row) => (
                                <span class="function" title={row.name.slice(0, 2000)}>
                                    <bdi>{row.name}</bdi>
                                </span>
                            ),
                        },
                        { title: 'Wall/rank', unit: 's', about: 'Mean wall time of a rank', bar: true, value: (row) => row.wall_s.avg, show: (row) => seconds(row.wall_s.avg) },
                        factor('Parallel', 'Mean work / longest wall time of a rank', (row) => row.parallel),
                        factor('Load balance', 'Mean / longest work', (row) => row.load_balance),
                        factor('Communication', 'Longest work / wall time', (row) => row.communication),
                        ...(kind === 'Region'
                            ? [
                                  factor('Serialisation', 'Estimated: without waiting other than for load imbalance', (row) => row.serialisation),
                                  factor('Transfer', 'Estimated: without the time that calls take if they do not wait', (row) => row.transfer),
                              ]
                            : []),
                        {
                            title: 'Wall balance',
                            about: 'Mean / longest wall time of the ranks in it',
                            value: (row) => row.wall_balance,
                            show: (row) => percentFine(row.wall_balance),
                        },
                    ]}
                />
            )}
            {kind === 'Timer' && unmeasured && (
                <p class="quiet">The time in MPI inside timers is unknown: the version of Fathom that measured this job did not record it.</p>
            )}
        </section>
    );
}
