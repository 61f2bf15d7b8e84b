// SPDX-License-Identifier: BSD-3-Clause
// The columns of the job list, and which of them are shown: those in the address, else those that this browser remembers.
import type { ComponentChildren } from 'preact';

import { ColumnChoice, Menu } from '../parts/menu';
import { param, setParam } from '../state';
import { count, percent, percentFine, seconds, UNKNOWN } from '../text/units';
import type { Me, SiteJob } from './data';
import { Footprint, FootprintHeading, rate } from './footprint';
import { slowerOf } from './history_of';
import { FirstFinding, JobLink, ProgramLink, UserLink } from './links';

export interface JobColumn {
    key: string;
    title: string;
    heading?: ComponentChildren;
    about?: string;
    /** What the server can sort by. */
    order?: string;
    text?: boolean;
    /** Shown unless somebody chose otherwise. */
    usual?: boolean;
    staff?: boolean;
    show: (job: SiteJob, me: Me) => ComponentChildren;
    /** For CSV. */
    value: (job: SiteJob) => string | number | null;
}

/** "2026-03-31 14:05", UTC */
export function moment(at: number | null): string {
    return at === null ? UNKNOWN : new Date(at * 1000).toISOString().slice(0, 16).replace('T', ' ');
}

/** "+19 %" */
export function signed(fraction: number): string {
    const text = percentFine(Math.abs(fraction));
    return `${fraction < 0 ? '-' : '+'}${text}`;
}

const MUCH_SLOWER = 0.05;

function History({ job }: { job: SiteJob }) {
    const known = slowerOf(job);
    if (!known)
        return (
            <span class="quiet">
                <span aria-hidden="true">-</span>
                <span class="sr">no change is known</span>
            </span>
        );
    const { slower, since } = known;
    const title = since ? `The program takes longer since ${since}` : undefined;
    if (slower >= MUCH_SLOWER)
        return (
            <strong class="bad-word" title={title}>
                ▲ {signed(slower)} <span class="sr">slower</span>
            </strong>
        );
    return (
        <span class={slower <= -MUCH_SLOWER ? 'good-word' : undefined} title={title}>
            {signed(slower)}
        </span>
    );
}

export function Tags({ tags }: { tags: string[] }) {
    return (
        <>
            {tags.map((tag) => (
                <span key={tag} class="tag" title={tag.slice(0, 200)}>
                    <bdi>{tag}</bdi>
                </span>
            ))}
        </>
    );
}

function State({ job }: { job: SiteJob }) {
    if (job.complete === null) return <span class="quiet">{UNKNOWN}</span>;
    return job.complete ? <>complete</> : <strong class="bad-word">✕ {job.end || 'incomplete'}</strong>;
}

export const COLUMNS: JobColumn[] = [
    {
        key: 'job',
        title: 'Job',
        text: true,
        usual: true,
        value: (job) => job.job_id ?? job.id,
        show: (job) => (
            <>
                <JobLink job={job} />
                {job.complete === false && (
                    <span class="bad-word" title={job.end || 'incomplete'}>
                        {' '}
                        ✕<span class="sr"> incomplete</span>
                    </span>
                )}
            </>
        ),
    },
    { key: 'program', title: 'Program', text: true, usual: true, value: (job) => job.program, show: (job) => <ProgramLink program={job.program} /> },
    { key: 'user', title: 'User', text: true, usual: true, staff: true, value: (job) => job.user, show: (job) => <UserLink user={job.user} /> },
    { key: 'ended', title: 'Ended', about: 'In UTC', order: 'ended', text: true, usual: true, value: (job) => moment(job.ended_at), show: (job) => <span class="whole" title={`${moment(job.ended_at)} UTC`}>{moment(job.ended_at).slice(0, 10)}</span> },
    { key: 'ranks', title: 'Ranks', usual: true, value: (job) => job.ranks, show: (job) => count(job.ranks) },
    { key: 'hosts', title: 'Hosts', value: (job) => job.hosts, show: (job) => count(job.hosts) },
    { key: 'wall', title: 'Wall time', value: (job) => job.wall_s, show: (job) => seconds(job.wall_s) },
    { key: 'cpu', title: 'CPU time', about: 'Ranks x wall time', order: 'cpu', usual: true, value: (job) => job.cpu_s, show: (job) => seconds(job.cpu_s) },
    { key: 'wasted', title: 'Wasted', about: 'CPU time x (1 - parallel efficiency)', order: 'wasted', usual: true, value: (job) => job.wasted_s, show: (job) => seconds(job.wasted_s) },
    { key: 'efficiency', title: 'Efficiency', about: 'Parallel efficiency', order: 'efficiency', usual: true, value: (job) => job.parallel, show: (job) => percent(job.parallel) },
    { key: 'mpi', title: 'In MPI', about: 'Share of the CPU time in MPI', order: 'mpi', usual: true, value: (job) => job.mpi_fraction, show: (job) => percent(job.mpi_fraction) },
    { key: 'footprint', title: 'Footprint', heading: <FootprintHeading />, text: true, usual: true, value: () => null, show: (job, me) => <Footprint job={job} me={me} /> },
    { key: 'finding', title: 'First finding', text: true, usual: true, value: (job) => job.finding?.text ?? '', show: (job) => <FirstFinding job={job} /> },
    { key: 'history', title: 'History', about: 'How much longer the program takes than it did before, where that has changed', usual: true, value: (job) => slowerOf(job)?.slower ?? null, show: (job) => <History job={job} /> },
    { key: 'tags', title: 'Tags', text: true, usual: true, value: (job) => job.tags.join(' '), show: (job) => <Tags tags={job.tags} /> },
    { key: 'state', title: 'End', text: true, value: (job) => (job.complete ? 'complete' : job.end || 'incomplete'), show: (job) => <State job={job} /> },
    { key: 'account', title: 'Account', text: true, value: (job) => job.account, show: (job) => <bdi>{job.account ?? UNKNOWN}</bdi> },
    { key: 'partition', title: 'Partition', text: true, value: (job) => job.partition, show: (job) => <bdi>{job.partition ?? UNKNOWN}</bdi> },
    { key: 'waiting', title: 'Waiting', about: 'Share of the CPU time, estimated', value: (job) => job.waiting_fraction, show: (job) => percent(job.waiting_fraction) },
    { key: 'io', title: 'I/O', about: 'Share of the CPU time', value: (job) => job.io_fraction, show: (job) => percent(job.io_fraction) },
    { key: 'memory', title: 'Memory', about: 'Of the host with the least free', value: (job) => job.memory_fraction, show: (job) => percent(job.memory_fraction) },
    { key: 'balance', title: 'Load balance', value: (job) => job.load_balance, show: (job) => percent(job.load_balance) },
    { key: 'instructions', title: 'Instructions', value: (job) => job.instruction_rate, show: (job) => rate(job.instruction_rate) },
    { key: 'fp', title: 'Floating point', value: (job) => job.fp_rate, show: (job) => rate(job.fp_rate) },
    { key: 'l2', title: 'L2 misses', value: (job) => job.l2_miss_rate, show: (job) => rate(job.l2_miss_rate) },
];

/** What fits on a small screen. */
const FEW = ['job', 'program', 'wasted', 'footprint', 'finding'];
const KEPT = 'fathom.site.columns';

function kept(): string {
    try {
        return localStorage.getItem(KEPT) ?? '';
    } catch {
        return ''; // no storage: nothing is remembered
    }
}

export function shownColumns(me: Me): JobColumn[] {
    const possible = COLUMNS.filter((column) => me.staff || !column.staff);
    const chosen = (param('columns') || kept()).split(',');
    const some = possible.filter(({ key }) => chosen.includes(key) || key === 'job');
    if (some.length > 1) return some;
    const few = window.matchMedia('(max-width: 700px)').matches;
    return possible.filter(({ key, usual }) => usual && (!few || FEW.includes(key)));
}

function choose(keys: string[]): void {
    try {
        localStorage.setItem(KEPT, keys.join(','));
    } catch {
        // the address has them
    }
    setParam({ columns: keys.join(',') });
}

export function ColumnsMenu({ me, shown }: { me: Me; shown: JobColumn[] }) {
    return (
        <Menu title="Columns" part="columns">
            <ColumnChoice
                legend="Show (this browser remembers it)"
                all={COLUMNS.filter((column) => column.key !== 'job' && (me.staff || !column.staff))}
                shown={shown.map(({ key }) => key)}
                onShown={choose}
            />
        </Menu>
    );
}
