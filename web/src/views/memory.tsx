// SPDX-License-Identifier: BSD-3-Clause
// How much memory did ranks use and hosts have left, and what has the network of the hosts carried.
import { useMemo } from 'preact/hooks';

import { rankRows, type Values } from '../data/rank_rows';
import { countRanks, parseRanks } from '../data/rankset';
import type { Ranks, Spread, Summary } from '../data/types';
import { type Figure, RankChart } from '../parts/rank_chart';
import { SliceView } from '../parts/slice_view';
import { Table } from '../parts/table';
import { RankOf } from '../parts/rank_of';
import { isFromOutside, Uncounted } from '../parts/uncounted';
import { useProfile } from '../parts/use_slice';
import { bytes, count, percentFine } from '../text/units';

export function MemoryView() {
    const { summary } = useProfile();
    return (
        <>
            <h2>Memory</h2>
            {isFromOutside(summary.job) ? <Uncounted /> : <SliceView<Ranks> name="ranks">{(ranks) => <OfRanks ranks={ranks} />}</SliceView>}
            <Hosts summary={summary} />
            <Network summary={summary} />
        </>
    );
}

function difference(end: Values, start: Values): Values {
    return end.map((value, row) => {
        const before = start[row];
        return value === null || before === null ? null : value - before;
    });
}

function OfRanks({ ranks }: { ranks: Ranks }) {
    const { summary } = useProfile();
    const { memory, job } = summary;
    const { rows, figures, growth, sum } = useMemo(() => {
        const table = rankRows(ranks);
        const figure = (key: string, name: string, list: Values | undefined, colour: string, about: string): Figure => ({
            key,
            name,
            colour,
            values: table.gather(list, 'max'),
            show: bytes,
            unit: 'bytes',
            about,
            ofBytes: true,
        });
        const of = ranks.processes;
        const high = figure('high', 'High water', of.memory_bytes, '--name-11', 'The most memory that was resident at any time');
        const init = figure('init', 'After MPI_Init', of.memory_init_bytes, '--name-4', 'Resident memory at the end of MPI_Init (without MPI: at the start)');
        const end = figure('end', 'At the end', of.memory_end_bytes, '--name-0', 'Resident memory at the end; unknown of a rank that was killed');
        const grown: Figure = {
            key: 'growth',
            name: 'Growth',
            colour: '--name-1',
            values: difference(end.values, init.values),
            show: bytes,
            unit: 'bytes',
            about: 'The difference of the last two; it can be negative',
        };
        let total = 0;
        for (const value of high.values) total += value ?? 0;
        return { rows: table, figures: [high, init, end].filter(({ values }) => values.some((value) => value !== null)), growth: grown, sum: total };
    }, [ranks]);
    const high = memory.high_water_bytes;
    const spreads: [string, Spread | null, string][] = [
        ['High water', high, 'The most memory that was resident at any time'],
        ['After MPI_Init', memory.after_init_bytes, 'Resident memory at the end of MPI_Init'],
        ['At the end', memory.end_bytes, 'Resident memory at the end'],
        ['Growth', memory.growth_bytes, 'The difference of the last two, for each rank'],
    ];
    const many = job.ranks_measured > 1;
    return (
        <>
            <p class="verdict">
                {!high
                    ? 'The memory of the ranks is unknown.'
                    : many
                      ? `The ranks used up to ${bytes(sum)} of memory in total, rank ${high.max_rank} most: ${bytes(high.max)}${growthText(memory.growth_bytes, true)}.`
                      : `The process used up to ${bytes(high.max)} of memory${growthText(memory.growth_bytes, false)}.`}
            </p>
            <Table
                name="memory"
                caption="Memory per rank"
                rows={spreads.filter(([, spread]) => spread !== null) as [string, Spread, string][]}
                rowKey={([name]) => name}
                columns={[
                    { title: 'Per rank', text: true, value: ([name]) => name, show: ([name, , about]) => <span title={about}>{name}</span> },
                    { title: 'Min', unit: 'bytes', value: ([, s]) => s.min, show: ([, s]) => <RankOf value={bytes(s.min)} rank={s.min_rank} /> },
                    { title: 'Avg', unit: 'bytes', value: ([, s]) => s.avg, show: ([, s]) => bytes(s.avg) },
                    { title: 'Max', unit: 'bytes', value: ([, s]) => s.max, show: ([, s]) => <RankOf value={bytes(s.max)} rank={s.max_rank} /> },
                ]}
            />
            {figures.length > 0 && (
                <RankChart
                    name="memory-ranks"
                    title="Memory of each rank"
                    caption="Resident memory, all panels on one scale."
                    rows={rows}
                    hosts={job.hosts_list.map(({ name }) => name)}
                    figures={figures.length === 3 ? [...figures, growth] : figures}
                    panels={panelsOf(figures)}
                />
            )}
        </>
    );
}

function panelsOf(figures: Figure[]) {
    let upTo = 0;
    for (const { values } of figures) for (const value of values) upTo = Math.max(upTo, value ?? 0);
    return figures.map(({ name, colour, values, show }, i) => ({
        title: name,
        height: i === 0 ? 110 : 70,
        series: [{ name, colour, values }],
        show,
        ofBytes: true,
        upTo,
    }));
}

function growthText(growth: Spread | null, many: boolean): string {
    if (!growth || growth.max <= 0) return '';
    return many
        ? `; after MPI_Init they grew by up to ${bytes(growth.max)} (rank ${growth.max_rank})`
        : `; after MPI_Init it grew by ${bytes(growth.max)}`;
}

function Hosts({ summary: { memory, job } }: { summary: Summary }) {
    const ranks = useMemo(() => new Map(job.hosts_list.map((host) => [host.name, host.ranks])), [job]);
    const ranksOf = (name: string) => countRanks(parseRanks(ranks.get(name)));
    if (memory.hosts.length === 0) return null;
    const limits = memory.hosts.some(({ limit_bytes }) => limit_bytes !== null);
    const free = (host: Summary['memory']['hosts'][number]) =>
        host.least_free_bytes === null || !host.total_bytes ? null : host.least_free_bytes / host.total_bytes;
    return (
        <section>
            <h3>Hosts</h3>
            <Table
                name="memory-hosts"
                caption="Memory of hosts. Least free: the least that was available while the job ran, whichever program used the rest"
                rows={memory.hosts}
                limit={30}
                columns={[
                    { title: 'Host', text: true, value: (host) => host.name },
                    { title: 'Ranks', value: (host) => ranksOf(host.name), show: (host) => count(ranksOf(host.name)) },
                    { title: 'Memory', unit: 'bytes', value: (host) => host.total_bytes, show: (host) => bytes(host.total_bytes) },
                    { title: 'Least free', unit: 'bytes', value: (host) => host.least_free_bytes, show: (host) => bytes(host.least_free_bytes) },
                    { title: '% free', about: 'Least free / memory', value: free, show: (host) => percentFine(free(host)) },
                    ...(limits
                        ? [
                              {
                                  title: 'Limit',
                                  unit: 'bytes',
                                  about: 'The lowest memory limit of the control groups of its ranks',
                                  value: (host: Summary['memory']['hosts'][number]) => host.limit_bytes,
                                  show: (host: Summary['memory']['hosts'][number]) => (host.limit_bytes === null ? 'none' : bytes(host.limit_bytes)),
                              },
                              {
                                  title: 'Used of it',
                                  unit: 'bytes',
                                  about: 'The most that the control group with this limit has used',
                                  value: (host: Summary['memory']['hosts'][number]) => host.limit_high_water_bytes,
                                  show: (host: Summary['memory']['hosts'][number]) => bytes(host.limit_high_water_bytes),
                              },
                          ]
                        : []),
                    { title: 'NUMA nodes', value: (host) => host.numa_nodes, show: (host) => count(host.numa_nodes) },
                ]}
            />
        </section>
    );
}

function Network({ summary: { network } }: { summary: Summary }) {
    const known = network.hosts.filter(({ received_bytes, sent_bytes }) => received_bytes !== null || sent_bytes !== null);
    return (
        <section>
            <h3>Network</h3>
            {known.length === 0 ? (
                <p class="quiet">What the network has carried is unknown.</p>
            ) : (
                <Table
                    name="network"
                    caption="Network of the whole host while the job ran, by all programs; what goes from rank to rank within a host is not in it"
                    rows={network.hosts}
                    limit={30}
                    columns={[
                        { title: 'Host', text: true, value: (host) => host.name },
                        { title: 'Received', unit: 'bytes', bar: true, value: (host) => host.received_bytes, show: (host) => bytes(host.received_bytes) },
                        { title: 'Sent', unit: 'bytes', bar: true, value: (host) => host.sent_bytes, show: (host) => bytes(host.sent_bytes) },
                        { title: 'Packets received', value: (host) => host.received_packets, show: (host) => count(host.received_packets) },
                        { title: 'Packets sent', value: (host) => host.sent_packets, show: (host) => count(host.sent_packets) },
                    ]}
                />
            )}
        </section>
    );
}
