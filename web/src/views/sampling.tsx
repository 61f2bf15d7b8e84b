// SPDX-License-Identifier: BSD-3-Clause
// Sampling from outside, as by `fathom attach`: how it begins, goes on and ends. It is never begun without a click.
import { useState } from 'preact/hooks';

import { post } from '../data/source';
import type { LiveState } from '../parts/use_slice';
import { addressOf } from '../state';
import { count, seconds } from '../text/units';

interface Props {
    job: string;
    /** What is sampled, for those who do not see where the button is. */
    label?: string;
    text?: string;
}

/** Begins to sample, and shows the job. */
export function SampleButton({ job, label, text }: Props) {
    const [error, setError] = useState('');
    const [asked, setAsked] = useState(false);
    const begin = () => {
        setAsked(true);
        setError('');
        post(`/api/job/${job}/sample`).then(
            () => (window.location.hash = addressOf(['live', job, 'live'])),
            (failure: Error) => setError(failure.message),
        ).finally(() => setAsked(false));
    };
    return (
        <>
            <button type="button" onClick={begin} disabled={asked} aria-label={label ? `Sample ${label}` : undefined}
                title="As fathom attach does: its threads are stopped 10 times per second, for some tens of microseconds each">
                {text ?? 'Sample'}
            </button>
            {error && <span class="problem" role="alert"> {error}</span>}
        </>
    );
}

function StopButton({ job }: { job: string }) {
    return (
        <button type="button" onClick={() => void post(`/api/job/${job}/stop`).catch(() => undefined)}>
            Stop sampling
        </button>
    );
}

/** What the sampling of a job does now, and what it has said. */
export function SamplingState({ job, live: { sampling, live } }: { job: string; live: LiveState }) {
    if (!sampling) return <p role="status">Sampling begins. If the job has ranks on other hosts, this takes some seconds.</p>;
    const stops = live?.stops;
    return (
        <section aria-label="Sampling" data-part="sampling">
            {sampling.runs ? (
                <p>
                    Sampled from outside for {seconds(sampling.seconds)}, of at most {sampling.limit_seconds / 60} minutes
                    {stops && stops.count > 0 && `; threads were stopped ${count(stops.count)} times, for ${seconds(stops.median_ns / 1e9)} (median) and at most ${seconds(stops.max_ns / 1e9)}`}
                    . <StopButton job={job} />
                </p>
            ) : (
                <p role="status">
                    {live ? 'Sampling has ended; the figures are those until then.' : 'The job could not be sampled.'} <SampleButton job={job} text="Sample again" />
                </p>
            )}
            {sampling.note && (
                <p class="problem">
                    <bdi>{sampling.note}</bdi>
                </p>
            )}
        </section>
    );
}

/** Ranks on hosts that are not seen, and how to see them. */
export function Unseen({ job, live: { unseen, sampling } }: { job: string; live: LiveState }) {
    if (!unseen) return null;
    return (
        <p class="unseen" data-part="unseen">
            Ranks {unseen.ranks}{' '}
            {unseen.hosts ? (
                <>
                    on <bdi>{unseen.hosts.split(',').join(', ')}</bdi>
                </>
            ) : (
                'on other hosts'
            )}
            : not visible from here.{' '}
            {!sampling?.runs && (
                <>
                    <SampleButton job={job} text="Show all hosts" /> <span class="quiet">starts Fathom on them with the job's launcher, as fathom attach does</span>
                </>
            )}
        </p>
    );
}
