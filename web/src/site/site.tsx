// SPDX-License-Identifier: BSD-3-Clause
// The pages of a site: the frame, who looks at it, and which page the address names.
//
//   #/jobs?user=..&order=..   the job list, also without a path
//   #/site                    the whole machine, for the staff
//   #/user/NAME               a user
//   #/program/NAME?user=..    a program, of everybody or of a user
//   #/job/ID                  a job: its record
//   #/profile/ID/VIEW         the views of its profile, if it is kept
//   #/insights                what the analysis of all jobs found
import { useEffect, useState } from 'preact/hooks';

import { OneProfile } from '../server';
import { address, addressOf } from '../state';
import { ask, loginNeeded, type Me, query } from './data';
import { InsightsPage } from './insights';
import { JobPage } from './job';
import { JobList } from './job_list';
import { Login, SignOut } from './login';
import { ProgramPage } from './program';
import { SiteOverview } from './overview';
import { UserPage } from './user';

export function SitePage() {
    const [me, setMe] = useState<Me | null>(null);
    const [error, setError] = useState('');
    const [visit, setVisit] = useState(0);
    useEffect(() => {
        setError('');
        ask<Me>(query('me', {})).then(setMe, (failure: Error) => setError(failure.message));
    }, [visit]);
    if (loginNeeded.value)
        return (
            <Login
                onDone={() => {
                    loginNeeded.value = false;
                    setVisit(visit + 1);
                }}
            />
        );
    if (!me)
        return (
            <main class="page">
                {error ? (
                    <p class="problem" role="alert">
                        The site does not answer: {error}
                    </p>
                ) : (
                    <p class="quiet" role="status">
                        Loading ...
                    </p>
                )}
            </main>
        );
    const [kind, name] = address.value.path;
    if (kind === 'profile' && name) return <OneProfile key={name} base={`api/site/profile/${encodeURIComponent(name)}`} back={{ title: 'The job in the list', address: addressOf(['job', name]) }} />;
    return (
        <>
            <Frame me={me} />
            <main id="main" class="page site" tabIndex={-1} data-view={kind || 'jobs'}>
                <Current me={me} />
            </main>
        </>
    );
}

function Frame({ me }: { me: Me }) {
    const [kind = 'jobs', name] = address.value.path;
    const places: [string, string, boolean][] = [
        [me.staff ? 'Jobs' : 'My jobs', addressOf(['jobs']), kind === 'jobs'],
        ...(me.staff ? ([['Machine', addressOf(['site']), kind === 'site']] as [string, string, boolean][]) : []),
        ...(!me.staff || me.users.includes(me.user) ? ([[me.staff ? 'My summary' : 'Summary', addressOf(['user', me.user]), kind === 'user' && name === me.user]] as [string, string, boolean][]) : []),
        ['Insights', addressOf(['insights']), kind === 'insights'],
    ];
    return (
        <nav class="views" aria-label="Pages">
            <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById('main')?.focus(); }}>
                Skip to the content
            </a>
            <ul>
                {places.map(([title, to, current]) => (
                    <li key={title}>
                        <a href={to} aria-current={current ? 'page' : undefined}>
                            {title}
                        </a>
                    </li>
                ))}
                <li class="who">
                    <bdi>{me.user}</bdi>
                    {me.staff && ' (staff)'}
                </li>
                {me.known_by === 'token' && (
                    <li class="leave">
                        <SignOut />
                    </li>
                )}
            </ul>
        </nav>
    );
}

function Current({ me }: { me: Me }) {
    const [kind = 'jobs', name] = address.value.path;
    if (kind === 'jobs') return <JobList me={me} />;
    if (kind === 'site' && me.staff) return <SiteOverview me={me} />;
    if (kind === 'user' && name) return <UserPage key={name} me={me} user={name} />;
    if (kind === 'program' && name) return <ProgramPage key={name} me={me} program={name} />;
    if (kind === 'job' && name) return <JobPage key={name} me={me} id={name} />;
    if (kind === 'insights') return <InsightsPage me={me} />;
    return <p class="problem">There is no page &apos;{kind}&apos;.</p>;
}
