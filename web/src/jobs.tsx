// SPDX-License-Identifier: BSD-3-Clause
// The jobs that run now: the list of them, and the page of one. A job that is not measured can be sampled on request.
import { useEffect, useMemo, useState } from 'preact/hooks';

import { ProfilePage } from './app';
import { fetchDocument, serverSource } from './data/source';
import type { LiveState } from './parts/use_slice';
import { addressOf, param } from './state';
import { plural, seconds } from './text/units';
import { SampleButton, SamplingState } from './views/sampling';

/** A new version of the data replaces the old one at most every 2 seconds: the page stays calm, and the job is read less. */
const VERSION_MS = 2000;
const AGAIN_MS = 1000;

interface Event extends LiveState {
    ended?: boolean;
    profile?: string | null;
}

const NOTHING: LiveState = { version: 0, seconds: 0, live: null, sampling: null, unseen: null };

/** Follows a running job; when it has ended, the page becomes its report. */
export function LiveJob({ job }: { job: string }) {
    const [state, setState] = useState<LiveState>(NOTHING);
    const [hasData, setHasData] = useState(false);
    const [absent, setAbsent] = useState(false);
    const [ended, setEnded] = useState(false);
    useEffect(() => {
        let stream: EventSource;
        let again: ReturnType<typeof setTimeout>;
        let due: ReturnType<typeof setTimeout> | undefined;
        let last = 0;
        let latest: LiveState = NOTHING;
        const show = () => {
            due = undefined;
            last = Date.now();
            setState(latest);
            setAbsent(false);
            if (latest.live) setHasData(true);
        };
        const receive = (event: MessageEvent<string>) => {
            const next = JSON.parse(event.data) as Event;
            if (next.ended) {
                stream.close();
                setEnded(true);
                if (next.profile) window.location.replace(addressOf(['profile', next.profile, 'overview'], { ranks: param('ranks') }));
                return;
            }
            latest = next;
            due ??= setTimeout(show, Math.max(0, last + VERSION_MS - Date.now()));
        };
        const open = () => {
            stream = new EventSource(`/api/job/${job}/stream`);
            stream.onmessage = receive;
            stream.onopen = () => setAbsent(false);
            // A browser gives up if the answer is no stream: while the server is still reading the job for the first time, or
            // if nobody samples it.
            stream.onerror = () => {
                if (stream.readyState !== EventSource.CLOSED) return;
                setAbsent(true);
                again = setTimeout(open, AGAIN_MS);
            };
        };
        open();
        return () => {
            clearTimeout(again);
            clearTimeout(due);
            stream.close();
        };
    }, [job]);
    const source = useMemo(() => serverSource(`api/job/${job}`, () => undefined), [job, state.version]);
    const byPid = job.startsWith('pid-');
    if (byPid && !hasData)
        return (
            <main id="main" class="page" tabIndex={-1} data-view="sampling">
                <h1>A job that is not measured</h1>
                {ended ? (
                    <p role="status">The job has ended, before there were samples of it.</p>
                ) : absent ? (
                    <>
                        <p>It is not being sampled now.</p>
                        <SampleButton job={job} />
                    </>
                ) : (
                    <SamplingState job={job} live={state} />
                )}
                <p>
                    <a href={addressOf(['list'])}>All jobs and profiles</a>
                </p>
            </main>
        );
    return (
        <>
            {ended && (
                <p class="ended" role="status">
                    The job has ended. {byPid ? 'It was not measured; the page shows what was sampled.' : 'Its profile was not found; the page shows what was known last.'}
                </p>
            )}
            <ProfilePage source={source} live={ended ? undefined : state} />
        </>
    );
}

interface Running {
    key: string;
    program: string;
    ranks: number | null;
    processes_here: number;
    seconds: number;
}

interface NotMeasured extends Running {
    pid: number;
    other_hosts: string;
    under_fathom: boolean;
}

interface RunningJobs {
    jobs: Running[];
    not_measured: NotMeasured[];
}

const JOBS_MS = 3000;

/** The jobs that run now, asked for again and again. */
export function Jobs() {
    const [{ jobs, not_measured }, setJobs] = useState<RunningJobs>({ jobs: [], not_measured: [] });
    useEffect(() => {
        const look = () => {
            if (!document.hidden) fetchDocument<RunningJobs>('/api/jobs').then(setJobs, () => undefined);
        };
        look();
        const timer = setInterval(look, JOBS_MS);
        return () => clearInterval(timer);
    }, []);
    if (jobs.length + not_measured.length === 0) return <p class="quiet">No MPI job of yours, and nothing under Fathom, runs on this machine now.</p>;
    return (
        <>
            {jobs.length > 0 && (
                <ul class="running-jobs" data-part="jobs">
                    {jobs.map((job) => (
                        <li key={job.key}>
                            <a href={addressOf(['live', job.key, 'live'])}>
                                <bdi>{job.program}</bdi> on {plural(job.ranks ?? 0, 'rank')}
                            </a>
                            , running for {seconds(job.seconds)}
                            {job.ranks !== null && job.ranks > job.processes_here && `; ${plural(job.processes_here, 'rank')} on this host`}
                        </li>
                    ))}
                </ul>
            )}
            {not_measured.length > 0 && (
                <>
                    <h2>Not measured</h2>
                    <p class="quiet">MPI jobs that are not measured here. They can be sampled from outside, as by fathom attach.</p>
                    <ul class="running-jobs" data-part="not-measured">
                        {not_measured.map((job) => (
                            <Unmeasured key={job.key} job={job} />
                        ))}
                    </ul>
                </>
            )}
        </>
    );
}

function Unmeasured({ job }: { job: NotMeasured }) {
    return (
        <li data-pid={job.pid}>
            <bdi>{job.program || 'A job on other hosts'}</bdi>
            {job.ranks !== null && ` on ${plural(job.ranks, 'rank')}`}, process {job.pid}, running for {seconds(job.seconds)}
            {job.other_hosts && (
                <>
                    ; also on <bdi>{job.other_hosts.split(',').join(', ')}</bdi>
                </>
            )}
            {job.under_fathom && '; it runs under Fathom, with another FATHOM_DIR'}{' '}
            <SampleButton job={job.key} label={job.program} />
        </li>
    );
}
