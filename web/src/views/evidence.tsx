// SPDX-License-Identifier: BSD-3-Clause
// The two small charts of a finding: which ones, by its rule, and their data.
import { useMemo } from 'preact/hooks';

import { rankRows } from '../data/rank_rows';
import { countRanks, hasRank, parseRanks } from '../data/rankset';
import type { Timer } from '../data/timers';
import type { Finding, Ranks, Summary } from '../data/types';
import { Loading } from '../parts/loading';
import { type Bar, type NamedBars, type SmallChart, SmallChartFrame } from '../parts/small_charts';
import { useProfile, useSlice } from '../parts/use_slice';
import { messageSize, requestSize } from '../text/sizes';
import { bytes, count, plural, seconds } from '../text/units';

interface Called {
    routine: string;
    time_s: number;
    calls: number;
    function: string | null;
    file: string | null;
    line: number | null;
}

interface Mpi {
    sites: Called[];
    sizes: { routine: string; from_bytes: number; to_bytes: number; calls: number }[];
    successions: { routine: string; first: Called; second: Called; mergeable: boolean; cost_s: number | null; count: number }[];
}

interface Size {
    from_bytes: number;
    to_bytes: number | null;
    reads: number;
    writes: number;
}

interface Io {
    sizes: Size[];
    classes: { name: string; time_s: number; read_s: number; write_s: number; metadata_s: number; reads: number; writes: number; sizes: Size[] }[];
}

/** What a chart is made from; null as long as it is not there, or if the profile does not have it. */
interface Known {
    finding: Finding;
    summary: Summary;
    ranks: Ranks | null;
    mpi: Mpi | null;
    io: Io | null;
    timers: Timer[] | null;
}

/** Null if the profile does not have the data. */
type Make = (known: Known) => SmallChart | null;

/** Which charts belong to a rule; one more if the profile lacks the data of another one. */
const CHARTS: Record<string, Make[]> = {
    imbalance: [work, groups, callSites],
    'serial-stage': [inMpi, fromEvidence(['stage_s', 'this rank alone'], ['others_longer_in_mpi_s', 'the others longer in MPI, each']), groups],
    'read-and-broadcast': [inMpi, classes(['reading', '--name-4', 'read_s']), groups],
    'slow-host': [work, hosts, groups],
    barrier: [inRoutine, callSites, inMpi],
    'late-sender': [inRoutine, callSites, inMpi],
    'late-receiver': [inRoutine, callSites, inMpi],
    'successive-reductions': [successions, inRoutine, inMpi],
    'small-messages': [messages, callSites, inRoutine],
    io: [inFiles, classes(['reading', '--name-4', 'read_s'], ['writing', '--name-1', 'write_s'], ['opening, closing', '--other', 'metadata_s']), groups],
    'small-io': [requests, requestClasses, inFiles],
    'first-event': [fromEvidence(['first_s', 'first event'], ['longest_other_s', 'longest other event']), events, work],
    drift: [fromEvidence(['first_half_avg_s', 'mean event, first half of the run'], ['second_half_avg_s', 'mean event, second half']), events, work],
    placement: [fromEvidence(['between_hosts_bytes', 'between hosts now'], ['between_hosts_then_bytes', 'with the other placement'], ['all_bytes', 'all messages']), traffic, inMpi],
    'no-cpu': [noCpu, fromEvidence(['ranks', 'ranks on a host'], ['cores', 'its cores']), work],
    memory: [memory, fromEvidence(['used_bytes', 'in use, at most'], ['limit_bytes', 'limit of the job'], ['memory_bytes', 'memory of the host']), work],
    incomplete: [limits, limitRanks],
};

const SHOWN = 6;

export function Evidence({ finding, number }: { finding: Finding; number: number }) {
    const { summary } = useProfile();
    const ranks = useSlice<Ranks>('ranks');
    const mpi = useSlice<{ mpi: Mpi }>('mpi');
    const io = useSlice<{ io: Io }>('io');
    const timers = useSlice<{ timers: Timer[] }>('timers');
    const loading = [ranks, mpi, io, timers].some(({ state }) => state === 'loading');
    const charts = useMemo(() => {
        const known: Known = {
            finding,
            summary,
            ranks: ranks.state === 'ready' ? ranks.data : null,
            mpi: mpi.state === 'ready' ? mpi.data.mpi : null,
            io: io.state === 'ready' ? io.data.io : null,
            timers: timers.state === 'ready' ? timers.data.timers : null,
        };
        const makers = CHARTS[finding.rule] ?? [work, groups];
        return makers.map((make) => make(known)).filter((chart): chart is SmallChart => chart !== null).slice(0, 2);
    }, [finding, summary, ranks, mpi, io, timers]);
    if (loading) return <Loading />;
    return (
        <div class="two-charts">
            {charts.map((chart, i) => (
                <SmallChartFrame key={chart.title} name={`finding-${number}-${i + 1}`} chart={chart} />
            ))}
        </div>
    );
}

// ---- ranks ----

type OfRank = { title: string; colour: string; list: (ranks: Ranks) => (number | null)[] | undefined; how?: 'sum' | 'max'; ofBytes?: boolean };

function ofRanks({ finding, ranks }: Known, { title, colour, list, how = 'sum', ofBytes }: OfRank): SmallChart | null {
    if (!ranks) return null;
    const rows = rankRows(ranks);
    const values = rows.gather(list(ranks), how);
    if (rows.ranks.length < 2 || !values.some((value) => value !== null && value > 0)) return null;
    return { kind: 'ranks', title, colour, unit: ofBytes ? 'bytes' : 's', rows, values, marked: parseRanks(finding.ranks), show: ofBytes ? bytes : seconds, ofBytes };
}

function outside({ processes: { wall_s: wall, mpi_s: mpi } }: Ranks): (number | null)[] {
    return wall.map((value, i) => (value === null || mpi[i] === null ? null : value - (mpi[i] as number)));
}

function work(known: Known) {
    return ofRanks(known, { title: 'Work of each rank (time outside MPI)', colour: '--program', list: outside });
}

function inMpi(known: Known) {
    return ofRanks(known, { title: 'MPI time of each rank', colour: '--mpi', list: ({ processes }) => processes.mpi_s });
}

function inFiles(known: Known) {
    return ofRanks(known, { title: 'Time in file I/O of each rank', colour: '--io', list: ({ processes }) => processes.io_s });
}

function noCpu(known: Known) {
    return ofRanks(known, { title: 'Time without a CPU of each rank', colour: '--no-cpu', list: ({ processes }) => processes.runqueue_s });
}

function memory(known: Known) {
    return ofRanks(known, { title: 'High water of memory of each rank', colour: '--name-4', list: ({ processes }) => processes.memory_bytes, how: 'max', ofBytes: true });
}

/** The routine that the sentence names. */
function routineOf({ finding }: Known): string {
    return /\bMPI_\w+/.exec(finding.text)?.[0] ?? '';
}

function inRoutine(known: Known): SmallChart | null {
    const routine = routineOf(known);
    if (!known.ranks || !Object.hasOwn(known.ranks.balance.routines, routine)) return null;
    const { balance } = known.ranks;
    const rows = rankRows(known.ranks);
    const values = rows.arrange(balance.ranks_by_mpi_time, balance.routines[routine]);
    if (rows.ranks.length < 2) return null;
    return { kind: 'ranks', title: `Time in ${routine} of each rank`, colour: '--mpi', unit: 's', rows, values, marked: parseRanks(known.finding.ranks), show: seconds };
}

// ---- bars ----

function barsOf(title: string, bars: Bar[], more: Partial<NamedBars> = {}): SmallChart | null {
    const any = bars.some(({ values }) => values.some((value) => value !== null && value > 0));
    return any ? { kind: 'bars', title, unit: 's', series: [{ name: 'time', colour: '--mpi' }], show: seconds, ...more, bars } : null;
}

/** The ranks of a finding against the others, on average. */
function groups({ finding, ranks }: Known): SmallChart | null {
    if (!ranks) return null;
    const chosen = parseRanks(finding.ranks);
    const { rank, mpi_s: mpi } = ranks.processes;
    const work = outside(ranks);
    const sums = [{ n: 0, work: 0, mpi: 0 }, { n: 0, work: 0, mpi: 0 }];
    rank.forEach((value, i) => {
        if (value === null || work[i] === null) return;
        const group = sums[hasRank(chosen, value) ? 0 : 1];
        group.n++;
        group.work += work[i] as number;
        group.mpi += mpi[i] ?? 0;
    });
    if (!sums[0].n || !sums[1].n) return null;
    return barsOf(
        'Its ranks against the others, means',
        sums.map(({ n, work: outer, mpi: inner }, i) => ({ name: n === 1 ? (i ? 'the other rank' : 'this rank') : `${i ? 'the other' : 'these'} ${plural(n, 'rank')}`, values: [outer / n, inner / n] })),
        { series: [{ name: 'work', colour: '--program' }, { name: 'MPI', colour: '--mpi' }] },
    );
}

/** Numbers of the evidence that are of one kind, with their names. */
function fromEvidence(...names: [key: string, name: string][]): Make {
    return ({ finding }) => {
        const bars = names
            .filter(([key]) => typeof finding.evidence[key] === 'number')
            .map(([key, name]) => ({ name, values: [finding.evidence[key] as number] }));
        const key = names[0][0];
        const [unit, show] = key.endsWith('_bytes') ? ['bytes', bytes] as const : key.endsWith('_s') ? ['s', seconds] as const : ['', count] as const;
        return barsOf(bars.map(({ name }) => name).join(', ').replace(/^./, (c) => c.toUpperCase()), bars, { unit, show, series: [{ name: 'value', colour: '--program' }] });
    };
}

/** Mean work of a rank by host; the host of the finding stands out. */
function hosts({ finding, summary: { job }, ranks }: Known): SmallChart | null {
    if (!ranks || job.hosts_list.length < 2) return null;
    const work = outside(ranks);
    const sums = job.hosts_list.map(() => ({ n: 0, work: 0 }));
    ranks.processes.host.forEach((host, i) => {
        if (host === null || work[i] === null || !sums[host]) return;
        sums[host].n++;
        sums[host].work += work[i] as number;
    });
    const chosen = parseRanks(finding.ranks);
    const bars = job.hosts_list.map(({ name, ranks: here }, h) => ({
        name,
        values: [sums[h].n ? sums[h].work / sums[h].n : null],
        marked: parseRanks(here).some(([first]) => hasRank(chosen, first)),
    }));
    return barsOf('Mean work of a rank, by host', largest(bars), { series: [{ name: 'work', colour: '--program' }] });
}

function largest(bars: Bar[]): Bar[] {
    const sum = ({ values }: Bar) => values.reduce<number>((all, value) => all + (value ?? 0), 0);
    return [...bars].sort((a, b) => Number(b.marked ?? false) - Number(a.marked ?? false) || sum(b) - sum(a)).slice(0, SHOWN);
}

function placeOf({ function: name, file, line }: Called): string {
    return [name, file && (line ? `${file}:${line}` : file)].filter(Boolean).join(' ') || 'unknown place';
}

/** Where the routine of the finding, or any if it names none, is called. */
function callSites(known: Known): SmallChart | null {
    const routine = routineOf(known);
    const { file, line } = known.finding;
    const sites = (known.mpi?.sites ?? []).filter((site) => !routine || site.routine === routine);
    return barsOf(
        `Time in ${routine || 'MPI'} by call site`,
        largest(sites.map((site) => ({
            name: routine ? placeOf(site) : `${site.routine} ${placeOf(site)}`,
            values: [site.time_s],
            marked: file !== null && site.file === file && site.line === line,
        }))),
    );
}

function successions(known: Known): SmallChart | null {
    const routine = routineOf(known);
    const pairs = (known.mpi?.successions ?? []).filter((pair) => pair.mergeable && (!routine || pair.routine === routine));
    return barsOf(
        'Time of the second calls, by pair of call sites',
        largest(pairs.map((pair) => ({ name: `${placeOf(pair.first)}, then ${placeOf(pair.second)}`, values: [pair.cost_s] }))),
    );
}

function messages(known: Known): SmallChart | null {
    const routine = routineOf(known);
    const sizes = (known.mpi?.sizes ?? []).filter((size) => size.routine === routine);
    return barsOf(
        `Calls of ${routine} by message size`,
        sizes.map((size) => ({ name: messageSize(size.from_bytes, size.to_bytes), values: [size.calls] })).slice(0, 2 * SHOWN),
        { unit: '', show: count, series: [{ name: 'calls', colour: '--mpi' }] },
    );
}

type TimeOfClass = 'read_s' | 'write_s' | 'metadata_s';

function classes(...parts: [name: string, colour: string, key: TimeOfClass][]): Make {
    return ({ io }) =>
        barsOf(
            `Time in files by class${parts.length === 1 ? `: ${parts[0][0]}` : ''}`,
            largest((io?.classes ?? []).map((one) => ({ name: one.name, values: parts.map(([, , key]) => one[key]) }))),
            { series: parts.map(([name, colour]) => ({ name, colour })) },
        );
}

const READS_AND_WRITES = { unit: '', show: count, series: [{ name: 'reads', colour: '--name-4' }, { name: 'writes', colour: '--name-1' }] };

/** Of the class that the sentence names. */
function requests({ io, finding }: Known): SmallChart | null {
    const named = io?.classes.find(({ name }) => finding.text.includes(name));
    return barsOf(
        `Requests${named ? ` for ${named.name}` : ''} by size`,
        (named ?? io)?.sizes.map((size) => ({ name: requestSize(size.from_bytes, size.to_bytes), values: [size.reads, size.writes] })) ?? [],
        READS_AND_WRITES,
    );
}

function requestClasses({ io, finding }: Known): SmallChart | null {
    return barsOf(
        'Requests by class of files',
        largest((io?.classes ?? []).map((one) => ({ name: one.name, values: [one.reads, one.writes], marked: finding.text.includes(one.name) }))),
        READS_AND_WRITES,
    );
}

/** How long the events of the timer take that the sentence names. */
function events({ timers, finding }: Known): SmallChart | null {
    const timer = timers?.find(({ name }) => finding.text.includes(`timer '${name}'`));
    const sums = new Map<number, { to: number; events: number }>();
    for (const group of timer?.histograms ?? []) {
        const ranks = countRanks(parseRanks(group.ranks));
        for (const bin of group.bins) {
            const sum = sums.get(bin.from_ns) ?? { to: bin.to_ns, events: 0 };
            sum.events += bin.avg * ranks;
            sums.set(bin.from_ns, sum);
        }
    }
    const bars = [...sums.entries()].sort((a, b) => a[0] - b[0]).map(([from, { to, events: n }]) => ({ name: `${seconds(from / 1e9)} to ${seconds(to / 1e9)}`, values: [Math.round(n)] }));
    return barsOf(`Events of timer ${timer?.name ?? ''} by duration`, bars.slice(-2 * SHOWN), { unit: '', show: count, series: [{ name: 'events', colour: '--program' }] });
}

function traffic({ summary }: Known): SmallChart | null {
    return barsOf(
        'Traffic of the network, by host',
        largest(summary.network.hosts.map((host) => ({ name: host.name, values: [host.sent_bytes, host.received_bytes] }))),
        { unit: 'bytes', show: bytes, series: [{ name: 'sent', colour: '--name-1' }, { name: 'received', colour: '--name-4' }] },
    );
}

/** Notes about what was left out. */
function limits({ finding }: Known): SmallChart | null {
    const bars = Object.entries(finding.evidence).map(([name, value]) => ({ name, values: [typeof value === 'number' ? value : null] }));
    return barsOf('What was left out', bars, { unit: '', show: count, series: [{ name: 'amount', colour: '--other' }] });
}

function limitRanks({ finding, summary }: Known): SmallChart | null {
    const notes = summary.job.notes.filter(({ code }) => code in finding.evidence);
    return barsOf(
        'Ranks concerned',
        notes.map(({ code, ranks }) => ({ name: code, values: [countRanks(parseRanks(ranks))] })),
        { unit: '', show: count, series: [{ name: 'ranks', colour: '--other' }] },
    );
}
