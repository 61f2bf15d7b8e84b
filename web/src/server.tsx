// SPDX-License-Identifier: BSD-3-Clause
// Pages that only the server has: the list of profiles and running jobs, and the profile that the address names.
import { useEffect, useMemo, useState } from 'preact/hooks';

import { ProfilePage } from './app';
import { fetchDocument, serverSource } from './data/source';
import { HistoryPage } from './history';
import { Table } from './parts/table';
import { type LiveState } from './parts/use_slice';
import { address, addressOf, param, place } from './state';
import { date, percent, plural, seconds } from './text/units';
import { Compare } from './views/compare';
import { ServedScale } from './views/scale';

export function ServerPage() {
    const [kind, id] = place.value;
    if (kind === 'profile') return <OneProfile key={id} base={`api/profile/${id}`} />;
    if (kind === 'live') return <LiveJob key={id} job={id} />;
    if (kind === 'scale') return <ServedScale />;
    if (kind === 'history') return <HistoryPage source={null} />;
    return <List />;
}

function OneProfile({ base }: { base: string }) {
    const [reading, setReading] = useState<number | null>(null);
    const source = useMemo(() => serverSource(base, setReading), [base]);
    return (
        <>
            {reading !== null && (
                <p class="quiet" role="status">
                    The server is reading the profile, for {seconds(reading)} so far.
                </p>
            )}
            <ProfilePage source={source} />
        </>
    );
}

/** A new version of the data replaces the old one at most every 2 seconds: the page stays calm, and the job is read less. */
const VERSION_MS = 2000;
const AGAIN_MS = 1000;

/** Follows a running job; when it has ended, the page becomes its report. */
function LiveJob({ job }: { job: string }) {
    const [state, setState] = useState<LiveState>({ version: 0, seconds: 0, live: null });
    const [ended, setEnded] = useState(false);
    useEffect(() => {
        let stream: EventSource;
        let again: ReturnType<typeof setTimeout>;
        let last = 0;
        const receive = (event: MessageEvent<string>) => {
            const next = JSON.parse(event.data) as LiveState & { ended?: boolean; profile?: string | null };
            if (next.ended) {
                stream.close();
                setEnded(true);
                if (next.profile) window.location.replace(addressOf(['profile', next.profile, 'overview'], { ranks: param('ranks') }));
            } else if (Date.now() - last >= VERSION_MS) {
                last = Date.now();
                setState(next);
            }
        };
        const open = () => {
            stream = new EventSource(`/api/job/${job}/stream`);
            stream.onmessage = receive;
            // A browser gives up if the answer is no stream: while the server is still reading the job for the first time.
            stream.onerror = () => {
                if (stream.readyState === EventSource.CLOSED) again = setTimeout(open, AGAIN_MS);
            };
        };
        open();
        return () => {
            clearTimeout(again);
            stream.close();
        };
    }, [job]);
    const source = useMemo(() => serverSource(`api/job/${job}`, () => undefined), [job, state.version]);
    return (
        <>
            {ended && (
                <p class="ended" role="status">
                    The job has ended. Its profile was not found; the page shows what was known last.
                </p>
            )}
            <ProfilePage source={source} live={ended ? undefined : state} />
        </>
    );
}

interface Listed {
    id: string;
    file: string;
    program: string;
    user: string;
    ranks: number;
    wall_s: number;
    started: string | null;
    mpi_fraction: number;
    parallel: number | null;
    complete: boolean;
    end: string;
    finding_text: string | null;
    error?: string;
}

/** What is to be said first about a run: why it cannot be read, how it ended if not well, or its first finding. */
function remark({ error, complete, end, finding_text }: Listed): string {
    if (error) return error;
    return [complete === false ? end : '', finding_text ?? ''].filter(Boolean).join('; ');
}

interface Running {
    key: string;
    program: string;
    ranks: number;
    since: string | null;
    seconds: number;
}

const JOBS_MS = 3000;
/** Profiles come and go, and findings are looked for after the list was first shown. */
const LIST_MS = 5000;

/** The jobs that run now, asked for again and again. */
function Jobs() {
    const [jobs, setJobs] = useState<Running[]>([]);
    useEffect(() => {
        const look = () => fetchDocument<{ jobs: Running[] }>('/api/jobs').then((answer) => setJobs(answer.jobs), () => undefined);
        look();
        const timer = setInterval(look, JOBS_MS);
        return () => clearInterval(timer);
    }, []);
    if (jobs.length === 0) return <p class="quiet">No job of yours runs under Fathom on this machine now.</p>;
    return (
        <ul class="running-jobs" data-part="jobs">
            {jobs.map((job) => (
                <li key={job.key}>
                    <a href={addressOf(['live', job.key, 'live'])}>
                        <bdi>{job.program}</bdi> on {plural(job.ranks, 'rank')}
                    </a>
                    , running for {seconds(job.seconds)}
                </li>
            ))}
        </ul>
    );
}

function List() {
    const [list, setList] = useState<Listed[] | null>(null);
    const [error, setError] = useState('');
    useEffect(() => {
        document.title = 'Profiles - Fathom';
        let current = true;
        let shown = '';
        const show = ({ profiles }: { profiles: Listed[] }) => {
            const next = JSON.stringify(profiles);
            if (!current || next === shown) return;
            shown = next;
            setError('');
            setList([...profiles.filter(({ error: failed }) => !failed), ...profiles.filter(({ error: failed }) => failed)]);
            // Only who opens the server is sent on: a link to the list shows the list.
            if (profiles.length === 1 && address.peek().path.length === 0)
                window.location.replace(addressOf(['profile', profiles[0].id, 'overview']));
        };
        const look = () => {
            if (!document.hidden) fetchDocument<{ profiles: Listed[] }>('/api/list').then(show, (failure: Error) => current && setError(failure.message));
        };
        look();
        const timer = setInterval(look, LIST_MS);
        return () => {
            current = false;
            clearInterval(timer);
        };
    }, []);
    return (
        <main id="main" class="page" tabIndex={-1}>
            <h1>Running jobs</h1>
            <Jobs />
            <h1>Profiles</h1>
            {list && list.length > 1 && (
                <p>
                    <a href={addressOf(['history'])}>History: what became slower since when</a>
                </p>
            )}
            {error && <p class="problem">{error}</p>}
            {!list && !error && <p class="quiet">Loading ...</p>}
            {list && (
                <Table
                    name="profiles"
                    caption="Profiles"
                    rows={list}
                    rowKey={(row) => row.id}
                    columns={[
                        {
                            title: 'Profile',
                            text: true,
                            value: (row) => row.file,
                            show: (row) =>
                                row.error ? (
                                    <bdi>{row.file}</bdi>
                                ) : (
                                    <a href={addressOf(['profile', row.id, 'overview'])}>
                                        <bdi>{row.file}</bdi>
                                    </a>
                                ),
                        },
                        { title: 'Program', text: true, value: (row) => row.program ?? null },
                        { title: 'User', text: true, value: (row) => row.user ?? null },
                        { title: 'Ranks', value: (row) => row.ranks ?? null },
                        { title: 'Wall time', unit: 's', value: (row) => row.wall_s ?? null, show: (row) => seconds(row.wall_s) },
                        { title: 'Started', text: true, value: (row) => row.started, show: (row) => <span class="whole">{date(row.started)}</span> },
                        { title: 'In MPI', value: (row) => row.mpi_fraction, show: (row) => percent(row.mpi_fraction) },
                        { title: 'Efficiency', value: (row) => row.parallel, show: (row) => percent(row.parallel) },
                        { title: 'First finding', text: true, value: remark, show: (row) => <span class={row.error ? 'problem' : undefined}>{remark(row)}</span> },
                    ]}
                />
            )}
            {list && <Compare profiles={list.filter(({ error: failed }) => !failed)} />}
        </main>
    );
}
