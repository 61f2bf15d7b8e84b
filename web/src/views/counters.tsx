// SPDX-License-Identifier: BSD-3-Clause
// How well does the program use the processor, without what it does while it waits in MPI.
import { useMemo } from 'preact/hooks';

import { rankRows } from '../data/rank_rows';
import type { Note, Ranks, Spread } from '../data/types';
import { Explain } from '../parts/explain';
import { RanksLink } from '../parts/links';
import { type Figure, RankChart } from '../parts/rank_chart';
import { RankOf } from '../parts/rank_of';
import type { Panel } from '../parts/rank_panels';
import { SliceView } from '../parts/slice_view';
import { type Column, Table } from '../parts/table';
import { isFromOutside, Uncounted } from '../parts/uncounted';
import { useProfile } from '../parts/use_slice';
import { bytes, count, percent, percentFine, seconds } from '../text/units';

export interface Counter {
    name: string;
    software: boolean;
    total: number;
    program: number | null;
    mpi: number | null;
    rate_per_s: number | null;
    rate_program_per_s: number | null;
    scaled: boolean;
    enabled_s: number;
    running_s: number;
    ranks: string;
    spread: Spread | null;
    per_rank: (number | null)[];
    per_rank_mpi: (number | null)[];
}

export interface Counters {
    source: string | null;
    instructions_per_cycle: number | null;
    instructions_per_cycle_program: number | null;
    flops_per_s: number | null;
    flops_per_cycle: number | null;
    peak_flops_per_cycle: number | null;
    fraction_of_peak: number | null;
    memory_bytes_estimate: number | null;
    memory_bytes_per_s_estimate: number | null;
    list: Counter[];
}

export function CountersView() {
    const { job } = useProfile().summary;
    return (
        <>
            <h2>Counters</h2>
            {isFromOutside(job) ? (
                <Uncounted />
            ) : (
                <SliceView<{ counters: Counters }> name="counters">{({ counters }) => <OfCounters counters={counters} />}</SliceView>
            )}
        </>
    );
}

/** Clocks count nanoseconds. */
function isClock({ name, software }: Counter): boolean {
    return software && name.includes('-clock');
}

function shown(counter: Counter, value: number | null): string {
    return isClock(counter) ? seconds(value === null ? null : value / 1e9) : count(value === null ? null : Math.round(value));
}

function Notes({ notes }: { notes: Note[] }) {
    const about = notes.filter(({ code }) => code === 'no-counters' || code === 'unknown-counter');
    if (about.length === 0) return null;
    return (
        <ul>
            {about.map((note, i) => (
                <li key={i}>
                    <bdi>{note.text}</bdi> {note.ranks && <RanksLink ranks={note.ranks} />}
                </li>
            ))}
        </ul>
    );
}

function OfCounters({ counters }: { counters: Counters }) {
    const { job } = useProfile().summary;
    const told = job.notes.some(({ code }) => code === 'no-counters' || code === 'unknown-counter');
    if (counters.list.length === 0)
        return (
            <>
                <p class="verdict">
                    No counters{told ? ':' : <>: they were switched off (<code>--counters off</code>, <code>FATHOM_COUNTERS=off</code>), or the profile is from an older version of Fathom.</>}
                </p>
                <Notes notes={job.notes} />
            </>
        );
    const hardware = counters.source !== 'perf: software';
    const split = counters.list.every(({ mpi }) => mpi !== null);
    return (
        <>
            <p class="verdict">
                {hardware
                    ? 'Events in user space, counted by the processor (perf).'
                    : job.environment.FATHOM_COUNTERS !== undefined
                      ? 'Software events, counted by the kernel (perf).'
                      : 'There are no hardware counters on this machine (no PMU, as in most virtual machines): software events of the kernel instead.'}
            </p>
            <Notes notes={job.notes} />
            <Derived counters={counters} />
            <Totals counters={counters} />
            {counters.list.some(({ scaled }) => scaled) && (
                <p class="quiet">Scaled: the event shared a hardware counter with others; extrapolated from the time in which it was counted.</p>
            )}
            {!split && (
                <p class="quiet">
                    {counters.list.some(({ mpi }) => mpi !== null) ? 'Some are not' : 'Not'} split between program and MPI: reading these events takes a system
                    call, too slow for every MPI call.
                </p>
            )}
            <SliceView<Ranks> name="ranks">{(ranks) => <PerRank ranks={ranks} counters={counters} />}</SliceView>
        </>
    );
}

// ---- derived ----

interface Derivation {
    key: string;
    name: string;
    value: string;
    what: string;
}

function derivations(c: Counters): Derivation[] {
    const list: Derivation[] = [];
    const add = (key: string, name: string, value: number | null, show: (v: number) => string, what: string) => {
        if (value !== null) list.push({ key, name, value: show(value), what });
    };
    const two = (value: number) => value.toFixed(2);
    add('ipc_program', 'Instructions per cycle, program', c.instructions_per_cycle_program, two, 'Instructions / cycles outside MPI, of all ranks.');
    add('ipc', `Instructions per cycle${c.instructions_per_cycle_program === null ? '' : ', with MPI'}`, c.instructions_per_cycle, two, 'Instructions / cycles, of all ranks. Busy waiting in MPI inflates it.');
    add('flops', 'Floating point per second', c.flops_per_s, count, 'Floating-point operations, or instructions where the processor counts only those (the name of the counter says which), of the program, per second of the run, all ranks.');
    add('flops_cycle', 'Floating point per cycle', c.flops_per_cycle, two, 'The same, per cycle of the program.');
    add('peak', 'Of the estimated peak', c.fraction_of_peak, percentFine, `Of ${c.peak_flops_per_cycle ?? 'unknown'} operations in double precision per cycle, an estimate from the vectors that the processor has.`);
    add('memory', 'From memory', c.memory_bytes_estimate, (v) => `about ${bytes(v)}`, 'Estimate: misses of the last-level cache times the size of a cache line.');
    add('memory_rate', 'From memory per second', c.memory_bytes_per_s_estimate, (v) => `about ${bytes(v, '/s')}`, 'The same, per second of the run, all ranks.');
    return list;
}

function Derived({ counters }: { counters: Counters }) {
    const list = derivations(counters);
    if (list.length === 0) return null;
    return (
        <ul class="figures" data-part="derived">
            {list.map(({ key, name, value, what }) => (
                <li key={key} class="card">
                    <Explain what={what}>{name}</Explain>
                    <strong data-value={key}>{value}</strong>
                </li>
            ))}
        </ul>
    );
}

// ---- totals ----

function SplitBar({ counter }: { counter: Counter }) {
    if (counter.program === null || counter.mpi === null || !(counter.total > 0)) return <span class="quiet">not split</span>;
    const program = counter.program / counter.total;
    return (
        <span class="gauge" title={`program ${percentFine(program)}, MPI ${percentFine(1 - program)}`}>
            <span class="number">{percent(program)}</span>
            <span class="two" aria-hidden="true">
                <span class="part-program" style={{ width: `${100 * program}%` }} />
                <span class="part-mpi" style={{ width: `${100 * (1 - program)}%` }} />
            </span>
        </span>
    );
}

function Totals({ counters }: { counters: Counters }) {
    const split = counters.list.some(({ mpi }) => mpi !== null);
    const number = (title: string, about: string, pick: (row: Counter) => number | null): Column<Counter> => ({
        title,
        about,
        value: pick,
        show: (row) => shown(row, pick(row)),
    });
    return (
        <Table
            name="counters"
            caption="Counters, sums over ranks. The small number beside a value is its rank"
            rows={counters.list}
            rowKey={(row) => row.name}
            columns={[
                {
                    title: 'Counter',
                    text: true,
                    value: (row) => row.name,
                    show: (row) => (
                        <span class="function" title={row.name.slice(0, 2000)}>
                            <bdi>{row.name}</bdi>
                            {row.scaled && <span class="quiet"> scaled</span>}
                        </span>
                    ),
                },
                number('Total', 'In the program and in MPI', (row) => row.total),
                ...(split
                    ? [
                          number('Program', 'Outside MPI', (row) => row.program),
                          number('In MPI', 'Busy waiting inflates it', (row) => row.mpi),
                          {
                              title: '% program',
                              about: 'Share of the program; the bar is program and MPI',
                              value: (row: Counter) => (row.program === null || !(row.total > 0) ? null : row.program / row.total),
                              show: (row: Counter) => <SplitBar counter={row} />,
                          },
                      ]
                    : []),
                {
                    title: 'Per s',
                    about: 'Total per second of the run',
                    value: (row) => row.rate_per_s,
                    show: (row) => (isClock(row) ? <span class="quiet">-</span> : count(row.rate_per_s === null ? null : Math.round(row.rate_per_s))),
                },
                ...(split
                    ? [
                          {
                              title: 'Program/s',
                              about: 'What the program has of it, per second of the run',
                              value: (row: Counter) => row.rate_program_per_s,
                              show: (row: Counter) => count(row.rate_program_per_s === null ? null : Math.round(row.rate_program_per_s)),
                          },
                      ]
                    : []),
                {
                    title: 'Min/rank',
                    value: (row) => row.spread?.min ?? null,
                    show: (row) => (row.spread ? <RankOf value={shown(row, row.spread.min)} rank={row.spread.min_rank} /> : 'unknown'),
                },
                {
                    title: 'Max/rank',
                    value: (row) => row.spread?.max ?? null,
                    show: (row) => (row.spread ? <RankOf value={shown(row, row.spread.max)} rank={row.spread.max_rank} /> : 'unknown'),
                },
            ]}
        />
    );
}

// ---- ranks ----

function PerRank({ ranks, counters }: { ranks: Ranks; counters: Counters }) {
    const { job } = useProfile().summary;
    const { rows, figures, panels } = useMemo(() => {
        const table = rankRows(ranks);
        const all = counters.list.map((counter) => {
            const total = table.gather(counter.per_rank, 'sum');
            const mpi = table.gather(counter.per_rank_mpi, 'sum');
            const program = total.map((value, row) => (value === null || mpi[row] === null ? null : value - (mpi[row] ?? 0)));
            const show = (value: number | null) => shown(counter, value);
            const figure: Figure = { key: counter.name, name: counter.name, colour: '--program', values: total, show, unit: isClock(counter) ? 'ns' : '', about: 'In the program and in MPI' };
            const panel: Panel = {
                title: counter.name,
                height: 70,
                show,
                series:
                    counter.mpi === null
                        ? [{ name: counter.name, colour: '--name-6', values: total }]
                        : [
                              { name: 'program', colour: '--program', values: program },
                              { name: 'MPI', colour: '--mpi', values: mpi },
                          ],
            };
            return { figure, panel };
        });
        return { rows: table, figures: all.map(({ figure }) => figure), panels: all.map(({ panel }) => panel) };
    }, [ranks, counters]);
    return (
        <RankChart
            name="counters-ranks"
            title="Counters of each rank"
            rows={rows}
            hosts={job.hosts_list.map(({ name }) => name)}
            figures={figures}
            panels={panels}
        />
    );
}
