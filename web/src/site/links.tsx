// SPDX-License-Identifier: BSD-3-Clause
// From each name to its page: a user, a program, a job, the jobs of a host.
import type { ComponentChildren } from 'preact';

import { addressOf, param } from '../state';
import { UNKNOWN } from '../text/units';
import type { Insight, SiteJob } from './data';

/** The period of the page is passed on. */
export function period(): Record<string, string> {
    return { last: param('last'), from: param('from'), to: param('to') };
}

export function UserLink({ user }: { user: string | null }) {
    if (!user) return <span class="quiet">{UNKNOWN}</span>;
    return (
        <a class="name" href={addressOf(['user', user], period())} title={user.slice(0, 300)}>
            <bdi>{user}</bdi>
        </a>
    );
}

export function ProgramLink({ program, user }: { program: string | null; user?: string | null }) {
    if (!program) return <span class="quiet">{UNKNOWN}</span>;
    return (
        <a class="name" href={addressOf(['program', program], { user: user ?? '' })} title={program.slice(0, 300)}>
            <bdi>{program}</bdi>
        </a>
    );
}

export function HostLink({ host }: { host: string }) {
    return (
        <a class="name" href={addressOf(['jobs'], { host, last: 'all' })} title={`Jobs on ${host.slice(0, 300)}`}>
            <bdi>{host}</bdi>
        </a>
    );
}

export function jobName(job: SiteJob): string {
    return job.job_id || `no. ${job.id}`;
}

export function JobLink({ job }: { job: SiteJob }) {
    return (
        <a class="name" href={addressOf(['job', String(job.id)])} title={jobName(job).slice(0, 300)}>
            <bdi>{jobName(job)}</bdi>
        </a>
    );
}

/** "step, ocean.f90:44" */
export function placeOf(finding: { function: string | null; file: string | null; line: number | null }): string {
    const where = finding.file ? (finding.line ? `${finding.file}:${finding.line}` : finding.file) : '';
    return [finding.function, where].filter(Boolean).join(', ');
}

/** The line in the call paths of the profile. */
export function profilePlace(id: number, finding: { function: string | null; file: string | null; line: number | null }): string {
    return addressOf(['profile', String(id), 'paths'], { find: finding.function ?? finding.file ?? '', line: finding.line ? String(finding.line) : '' });
}

/** The first finding of a job and its place; where its profile is kept, the place is a link to the line. */
export function FirstFinding({ job }: { job: SiteJob }): ComponentChildren {
    const { finding } = job;
    if (!finding) return <span class="quiet">none</span>;
    const place = placeOf(finding);
    const text = finding.text ?? finding.rule;
    const shown = <bdi>{place || ' '}</bdi>;
    return (
        <span class="two-lines" title={text.slice(0, 300)}>
            <bdi>{text}</bdi>
            {job.profile && place ? <a href={profilePlace(job.id, finding)}>{shown}</a> : <span class="quiet">{shown}</span>}
        </span>
    );
}

/** Where an insight leads: to the program, the user, or the jobs of the host. */
export function InsightLinks({ insight }: { insight: Insight }) {
    return (
        <>
            {insight.program && (
                <>
                    program <ProgramLink program={insight.program} user={insight.user} />
                </>
            )}
            {insight.user && (
                <>
                    {insight.program && ' · '}user <UserLink user={insight.user} />
                </>
            )}
            {insight.host && (
                <>
                    jobs on <HostLink host={insight.host} />
                </>
            )}
        </>
    );
}
