// SPDX-License-Identifier: BSD-3-Clause
// A job: its record as a page, and where it stands among others. Where the profile is kept, its views are a link away.
import { type ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { Explain } from '../parts/explain';
import { Meter } from '../parts/meter';
import { Table } from '../parts/table';
import { addressOf } from '../state';
import { bytes, count, date, percent, percentFine, plural, seconds, UNKNOWN } from '../text/units';
import { Answer } from './answer';
import { type Figure, FIGURES, type Me, query, type Reference, type SiteJob, tell } from './data';
import { rate } from './footprint';
import { slowerOf } from './history_of';
import { signed } from './job_columns';
import { HostLink, jobName, placeOf, profilePlace, ProgramLink, UserLink } from './links';
import { References } from './range';

/** Of the record only what the page shows; everything can be missing. */
interface JobRecord {
    job?: Record<string, string | number | boolean | null | undefined> & { environment?: Record<string, string> };
    mpi?: {
        time_s?: number;
        routines?: { name: string; calls?: number; time_s?: number; bytes?: number; count_arguments?: number; comm_calls?: number }[];
        regions?: { path: string; wall_s?: number; mpi_s?: number; entries?: number }[];
    };
    split?: { program_s?: number; io_s?: number; no_cpu_s?: number; waiting_s?: number };
    efficiency?: { parallel?: number; load_balance?: number; communication?: number; serialisation?: number; transfer?: number };
    io?: { read_bytes?: number; written_bytes?: number; calls?: number };
    memory?: { high_water_bytes?: number; host_bytes?: number };
    counters?: { instructions?: number; fp_instructions?: number; l2_misses?: number; cycles?: number; instructions_mpi?: number; time_s?: number };
    findings?: { rule: string; text?: string; cost_s?: number; measured?: boolean; function?: string; file?: string; line?: number }[];
    timers?: { name: string; time_s?: number; events?: number }[];
    hosts?: { name: string; ranks?: number; slowness?: number }[];
    left_out?: Record<string, number>;
}

interface JobDocument {
    job: SiteJob;
    record: JobRecord;
    advice?: (string | null)[];
    reference?: Partial<Record<Figure, { value: number | null; program?: Reference; site?: Reference; better?: 'high' | 'low' }>>;
}

export function JobPage({ me, id }: { me: Me; id: string }) {
    return (
        <Answer<JobDocument> path={query(`job/${encodeURIComponent(id)}`, {})} missing="There is no such job, or it is not yours.">
            {(document) => <One me={me} document={document} />}
        </Answer>
    );
}

function One({ document: { job, record, advice, reference }, me }: { me: Me; document: JobDocument }) {
    const slower = slowerOf(job);
    useEffect(() => {
        document.title = `${job.program ?? 'a job'}, ${plural(job.ranks ?? 0, 'rank')} - Fathom`;
    }, [job]);
    return (
        <>
            <h1>
                <ProgramLink program={job.program} user={me.staff ? job.user : undefined} /> on {job.ranks === null ? UNKNOWN : plural(job.ranks, 'rank')}
                {job.hosts !== null && `, ${plural(job.hosts, 'host')}`}{' '}
                <small>
                    job <bdi>{jobName(job)}</bdi>
                </small>
            </h1>
            <p>
                <strong>{seconds(job.wall_s)}</strong> · ended {when(job.ended_at)} · {me.staff ? <UserLink user={job.user} /> : <bdi>{job.user}</bdi>}
                {job.complete === false && (
                    <>
                        {' '}
                        · <strong class="bad-word">✕ <bdi>{job.end || 'incomplete'}</bdi></strong>
                    </>
                )}
                {slower && (
                    <>
                        {' '}
                        ·{' '}
                        <a class={slower.slower >= 0.05 ? 'bad-word' : undefined} href={addressOf(['program', job.program ?? ''], { user: me.staff ? (job.user ?? '') : '' })}>
                            {slower.slower >= 0.05 && '▲ '}
                            {signed(slower.slower)} against earlier runs{slower.since && `, since ${slower.since}`}
                        </a>
                    </>
                )}
            </p>
            {job.profile && (
                <p class="card" data-part="profile">
                    <a href={addressOf(['profile', String(job.id), 'overview'])}>
                        <strong>The full report of this job</strong>
                    </a>
                    : ranks, call paths, lines of source, topology and timers.
                </p>
            )}
            <TagEditor id={job.id} tags={job.tags} known={me.tags} />
            <div class="first">
                <div>
                    <Efficiency of={record.efficiency ?? {}} />
                    <section class="card" aria-label="Where the time goes">
                        <h2>Where the time goes</h2>
                        <Split job={job} record={record} />
                    </section>
                </div>
                <div>
                    <Findings job={job} record={record} advice={advice ?? []} />
                    <section class="card" aria-label="Among others">
                        <h2>Among others</h2>
                        {reference ? (
                            <References
                                rows={FIGURES.map((figure) => ({
                                    figure,
                                    value: reference[figure]?.value ?? null,
                                    sets: [
                                        { of: `runs of ${(job.program ?? 'the program').slice(0, 40)}`, reference: reference[figure]?.program },
                                        { of: 'users of the site', reference: reference[figure]?.site },
                                    ],
                                }))}
                            />
                        ) : (
                            <p class="quiet">{UNKNOWN}</p>
                        )}
                    </section>
                </div>
            </div>
            <Routines record={record} />
            <div class="columns">
                <Parts record={record} />
                <Hosts record={record} />
            </div>
            <Facts job={job} record={record} />
        </>
    );
}

function when(at: number | null): string {
    return at === null ? UNKNOWN : date(new Date(at * 1000).toISOString().replace('.000', ''));
}

// ---- tags ----

function TagEditor({ id, tags: given, known }: { id: number; tags: string[]; known: string[] }) {
    const [tags, setTags] = useState(given);
    const [problem, setProblem] = useState('');
    const change = async (verb: 'tag' | 'untag', tag: string) => {
        try {
            await tell(query(`job/${id}/${verb}`, { tag }));
            setTags((before) => (verb === 'tag' ? [...before.filter((one) => one !== tag), tag].sort() : before.filter((one) => one !== tag)));
            setProblem('');
            return true;
        } catch (error) {
            setProblem((error as Error).message);
            return false;
        }
    };
    const add = async (event: Event) => {
        event.preventDefault();
        const form = event.currentTarget as HTMLFormElement;
        const tag = (form.elements.namedItem('tag') as HTMLInputElement).value.trim();
        if (tag && (await change('tag', tag))) form.reset();
    };
    return (
        <div class="tags" data-part="tags">
            <span>Tags:</span>
            {tags.map((tag) => (
                <span key={tag} class="tag">
                    <a href={addressOf(['jobs'], { tag, last: 'all', order: 'ended' })}>
                        <bdi>{tag}</bdi>
                    </a>{' '}
                    <button type="button" aria-label={`Remove tag ${tag}`} onClick={() => change('untag', tag)}>
                        ×
                    </button>
                </span>
            ))}
            {tags.length === 0 && <span class="quiet">none</span>}
            <form onSubmit={add}>
                <input name="tag" aria-label="New tag" placeholder="new tag" maxLength={40} size={12} list="known-tags" autocomplete="off" />
                <datalist id="known-tags">
                    {known.map((tag) => (
                        <option key={tag} value={tag} />
                    ))}
                </datalist>{' '}
                <button type="submit">Add</button>
            </form>
            {problem && (
                <span class="problem" role="alert">
                    {problem}
                </span>
            )}
        </div>
    );
}

// ---- efficiency and split ----

const FACTORS: [keyof NonNullable<JobRecord['efficiency']>, string, number, string][] = [
    ['parallel', 'Parallel efficiency', 0, 'Mean work / wall time; work is time outside MPI'],
    ['load_balance', 'load balance', 1, 'Mean / longest work. Low: some ranks have more work than others'],
    ['communication', 'communication', 1, 'Longest work / wall time. Low: even the rank with the most work waits or transfers data'],
    ['serialisation', 'serialisation', 2, 'Estimated: without waiting other than for load imbalance'],
    ['transfer', 'transfer', 2, 'Estimated: without the time that calls take if they do not wait'],
];

function Efficiency({ of }: { of: NonNullable<JobRecord['efficiency']> }) {
    return (
        <section class="card" aria-label="Efficiency" data-part="efficiency">
            <h2>
                Parallel efficiency <span class="whole">{percent(of.parallel)}</span>
            </h2>
            {FACTORS.slice(1)
                .filter(([key]) => of[key] !== undefined)
                .map(([key, name, depth, about]) => (
                    <div key={key} class="factor" style={{ paddingLeft: `${1.2 * (depth - 1)}rem` }} data-value={key}>
                        <Explain what={`${about}. Each factor is the product of those below it.`}>{name}</Explain>
                        <span class="grow">
                            <Meter value={of[key] ?? null} />
                        </span>
                    </div>
                ))}
        </section>
    );
}

function Split({ job, record }: { job: SiteJob; record: JobRecord }) {
    const all = job.cpu_s ?? 0;
    const { program_s, io_s, no_cpu_s, waiting_s } = record.split ?? {};
    // Time in MPI by the clock contains what a rank was without a CPU there; what is left of the sum does not.
    const left = !all || program_s === undefined ? undefined : Math.max(0, all - program_s - (io_s ?? 0) - (no_cpu_s ?? 0));
    const mpi = left ?? record.mpi?.time_s;
    const parts: [string, string, number | undefined][] = [
        ['program', 'program', program_s],
        ...(waiting_s !== undefined && mpi !== undefined
            ? ([
                  ['waiting', 'waiting in MPI (estimated)', waiting_s],
                  ['transfer', 'transfer in MPI (estimated)', Math.max(0, mpi - waiting_s)],
              ] as [string, string, number][])
            : ([['mpi', 'MPI', mpi]] as [string, string, number | undefined][])),
        ['io', 'file I/O', io_s],
        ['no-cpu', 'no CPU', no_cpu_s],
    ];
    const known = parts.filter((part): part is [string, string, number] => part[2] !== undefined);
    const sum = known.reduce((total, [, , value]) => total + value, 0);
    if (sum <= 0) return <p class="quiet">{UNKNOWN}</p>;
    return (
        <>
            <div class="split" role="img" aria-label={known.map(([, name, value]) => `${name} ${percent(value / sum)}`).join(', ')}>
                {known.map(([key, , value]) => (
                    <span key={key} class={`part-${key}`} style={{ flexGrow: value, flexBasis: 0 }} />
                ))}
            </div>
            <ul class="legend" data-part="split">
                {known.map(([key, name, value]) => (
                    <li key={key}>
                        <span class={`swatch part-${key}`} aria-hidden="true" />
                        {name} {percent(value / sum)} <span class="quiet">{seconds(value)}</span>
                    </li>
                ))}
            </ul>
            <p class="quiet">
                Sum over ranks: {seconds(all)}. Wasted, CPU time x (1 - parallel efficiency): {seconds(job.wasted_s)}.
            </p>
        </>
    );
}

// ---- lists ----

const EFFICIENT = 0.8;

function NoFinding({ parallel }: { parallel: number | undefined }) {
    if (parallel === undefined || parallel > EFFICIENT) return <p class="calm">Fathom found nothing that costs much time.</p>;
    return <p>{percent(1 - parallel)} of the time is lost, and no rule of Fathom names a cause.</p>;
}

function Findings({ job, record, advice }: { job: SiteJob; record: JobRecord; advice: (string | null)[] }) {
    const findings = record.findings ?? [];
    return (
        <section class="card" aria-label="Findings" data-part="findings">
            <h2>What to do about it</h2>
            {findings.length === 0 && <NoFinding parallel={record.efficiency?.parallel} />}
            <ol class="plain-findings">
                {findings.map((finding, i) => {
                    const place = placeOf({ function: finding.function ?? null, file: finding.file ?? null, line: finding.line ?? null });
                    return (
                        <li key={i}>
                            <span class="what">
                                <bdi>{finding.text ?? finding.rule}</bdi>{' '}
                                <span class="quiet">
                                    <a href={addressOf(['jobs'], { rule: finding.rule, program: job.program ?? '', last: 'all' })}>
                                        <code>{finding.rule}</code>
                                    </a>
                                    {finding.measured === false && ', estimated'}
                                </span>
                                {place && (
                                    <span class="place">
                                        {job.profile ? (
                                            <a href={profilePlace(job.id, { function: finding.function ?? null, file: finding.file ?? null, line: finding.line ?? null })}>
                                                <bdi>{place}</bdi>
                                            </a>
                                        ) : (
                                            <bdi>{place}</bdi>
                                        )}
                                    </span>
                                )}
                                {advice[i] && (
                                    <span class="advice">
                                        <strong>What to try:</strong> {advice[i]}
                                    </span>
                                )}
                            </span>
                            <span class="cost">
                                {seconds(finding.cost_s)}
                                {job.cpu_s && finding.cost_s !== undefined ? <span class="quiet"> {percent(finding.cost_s / job.cpu_s)}</span> : null}
                            </span>
                        </li>
                    );
                })}
            </ol>
        </section>
    );
}

function Routines({ record }: { record: JobRecord }) {
    const routines = record.mpi?.routines ?? [];
    if (routines.length === 0) return null;
    const total = record.mpi?.time_s ?? 0;
    return (
        <section aria-label="MPI routines">
            <h2>MPI routines</h2>
            <Table
                name="routines"
                caption="Sums over ranks"
                rows={routines}
                sortedBy={1}
                columns={[
                    { title: 'Routine', text: true, value: (row) => row.name },
                    { title: 'Time', unit: 's', bar: true, value: (row) => row.time_s ?? null, show: (row) => seconds(row.time_s) },
                    { title: '% of MPI', value: (row) => (row.time_s !== undefined && total > 0 ? row.time_s / total : null), show: (row) => percentFine(row.time_s !== undefined && total > 0 ? row.time_s / total : null) },
                    { title: 'Calls', value: (row) => row.calls ?? null, show: (row) => count(row.calls) },
                    { title: 'Time/call', unit: 's', value: (row) => perCall(row.time_s, row.calls), show: (row) => seconds(perCall(row.time_s, row.calls)) },
                    { title: 'Bytes', about: 'See doc/BYTES.md', value: (row) => row.bytes ?? null, show: (row) => (row.bytes === undefined ? <span class="quiet">-</span> : bytes(row.bytes)) },
                    { title: 'Bytes/call', value: (row) => perCall(row.bytes, row.calls), show: (row) => (row.bytes === undefined ? <span class="quiet">-</span> : bytes(perCall(row.bytes, row.calls))) },
                ]}
            />
        </section>
    );
}

function perCall(sum: number | undefined, calls: number | undefined): number | null {
    return sum !== undefined && calls ? sum / calls : null;
}

function Parts({ record }: { record: JobRecord }) {
    const regions = record.mpi?.regions ?? [];
    const timers = record.timers ?? [];
    if (regions.length + timers.length === 0) return null;
    return (
        <div>
            {regions.length > 0 && (
                <section aria-label="Regions">
                    <h2>Regions</h2>
                    <Table
                        name="regions"
                        caption="Sums over ranks"
                        rows={regions}
                        limit={12}
                        columns={[
                            { title: 'Region', text: true, value: (row) => row.path },
                            { title: 'Wall time', unit: 's', bar: true, value: (row) => row.wall_s ?? null, show: (row) => seconds(row.wall_s) },
                            { title: 'In MPI', unit: 's', value: (row) => row.mpi_s ?? null, show: (row) => seconds(row.mpi_s) },
                            { title: 'Entries', value: (row) => row.entries ?? null, show: (row) => count(row.entries) },
                        ]}
                    />
                </section>
            )}
            {timers.length > 0 && (
                <section aria-label="Timers">
                    <h2>Timers</h2>
                    <Table
                        name="timers"
                        caption="Sums over ranks"
                        rows={timers}
                        limit={12}
                        columns={[
                            { title: 'Timer', text: true, value: (row) => row.name },
                            { title: 'Time', unit: 's', bar: true, value: (row) => row.time_s ?? null, show: (row) => seconds(row.time_s) },
                            { title: 'Events', value: (row) => row.events ?? null, show: (row) => count(row.events) },
                        ]}
                    />
                </section>
            )}
        </div>
    );
}

function Hosts({ record }: { record: JobRecord }) {
    const hosts = record.hosts ?? [];
    if (hosts.length === 0) return null;
    const left = record.left_out?.hosts;
    return (
        <section aria-label="Hosts">
            <h2>Hosts</h2>
            <Table
                name="hosts"
                caption={`Time of its ranks outside MPI, against that of all ranks${left ? `; ${plural(left, 'host')} that differ less are left out` : ''}`}
                rows={hosts}
                limit={12}
                columns={[
                    { title: 'Host', text: true, value: (row) => row.name, show: (row) => <HostLink host={row.name} /> },
                    { title: 'Ranks', value: (row) => row.ranks ?? null, show: (row) => count(row.ranks) },
                    { title: 'Slower', value: (row) => (row.slowness === undefined ? null : row.slowness - 1), show: (row) => (row.slowness === undefined ? UNKNOWN : signed(row.slowness - 1)) },
                ]}
            />
        </section>
    );
}

// ---- facts ----

function Group({ title, facts }: { title: string; facts: [string, ComponentChildren][] }) {
    return (
        <section aria-label={title}>
            <h3>{title}</h3>
            <dl class="facts">
                {facts.map(([name, value]) => (
                    <div key={name}>
                        <dt>{name}</dt>
                        <dd>{value === '' || value === null || value === undefined ? UNKNOWN : value}</dd>
                    </div>
                ))}
            </dl>
        </section>
    );
}

function Facts({ job, record }: { job: SiteJob; record: JobRecord }) {
    const text = (key: string): ComponentChildren => {
        const value = record.job?.[key];
        return value === undefined || value === null || value === '' ? '' : <bdi>{String(value)}</bdi>;
    };
    const c = record.counters ?? {};
    const perSecond = (value: number | undefined) => (value !== undefined && c.time_s ? rate(value / c.time_s) : UNKNOWN);
    return (
        <>
            <Group
                title="Job"
                facts={[
                    ['Job id', text('id')],
                    ['User', text('user')],
                    ['Account', text('account')],
                    ['Partition', text('partition')],
                    ['Started', when(job.started_at)],
                    ['Ended', when(job.ended_at)],
                    ['Ranks', count(job.ranks)],
                    ['Hosts', count(job.hosts)],
                    ['Cores', typeof record.job?.cores === 'number' ? count(record.job.cores) : ''],
                    ['CPU time', seconds(job.cpu_s)],
                    ['Stands for', job.weight !== null && job.weight !== 1 ? `${job.weight} jobs (the site thins small ones)` : 'one job'],
                ]}
            />
            <Group
                title="Program"
                facts={[
                    ['Command', text('command')],
                    ['Build id', text('build_id')],
                    ['Commit', text('commit')],
                    ['MPI', text('mpi')],
                    ['Language', text('language')],
                    ['Compiler', text('compiler')],
                    ['Launcher', text('launcher')],
                    ['Another tool', text('tool') || 'none'],
                    ['Time taken by Fathom', typeof record.job?.overhead_s === 'number' ? seconds(record.job.overhead_s) : ''],
                    ['Version of Fathom', text('version')],
                ]}
            />
            <Group
                title="I/O, memory and counters"
                facts={[
                    ['Read', bytes(record.io?.read_bytes)],
                    ['Written', bytes(record.io?.written_bytes)],
                    ['I/O calls', count(record.io?.calls)],
                    ['Memory, highest of a rank', bytes(record.memory?.high_water_bytes)],
                    ['Memory of the host', bytes(record.memory?.host_bytes)],
                    ['Instructions outside MPI', `${count(c.instructions)} (${perSecond(c.instructions)})`],
                    ['Floating point', `${count(c.fp_instructions)} (${perSecond(c.fp_instructions)})`],
                    ['Level-2 misses', `${count(c.l2_misses)} (${perSecond(c.l2_misses)})`],
                    ['Instructions per cycle', c.instructions !== undefined && c.cycles ? (c.instructions / c.cycles).toFixed(2) : ''],
                    ['Instructions in MPI', count(c.instructions_mpi)],
                ]}
            />
            {record.job?.environment && Object.keys(record.job.environment).length > 0 && (
                <section aria-label="Settings">
                    <h3>Settings of MPI</h3>
                    <Table
                        name="environment"
                        caption="Environment variables"
                        rows={Object.entries(record.job.environment)}
                        columns={[
                            { title: 'Name', text: true, value: ([name]) => name },
                            { title: 'Value', text: true, value: ([, value]) => value },
                        ]}
                    />
                </section>
            )}
        </>
    );
}
