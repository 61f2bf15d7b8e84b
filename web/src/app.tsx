// SPDX-License-Identifier: BSD-3-Clause
// The frame around every view: which job it is, the list of views, and the selected ranks.
import { useEffect, useState } from 'preact/hooks';

import { basename } from './text/names';
import { NoSlice, type Source } from './data/source';
import type { Summary } from './data/types';
import { ProfileContext } from './parts/use_slice';
import { param, setParam, viewAddress, viewName } from './state';
import { date, plural, seconds } from './text/units';
import { views } from './views/views';

export function ProfilePage({ source }: { source: Source }) {
    const [summary, setSummary] = useState<Summary | null>(null);
    const [error, setError] = useState('');
    useEffect(() => {
        setSummary(null);
        setError('');
        source.slice<Summary>('summary').then(setSummary, (failure: Error) =>
            setError(failure instanceof NoSlice ? 'There is no such profile.' : failure.message),
        );
    }, [source]);
    if (error)
        return (
            <main class="page">
                <p class="problem" role="alert">
                    The profile cannot be shown: {error}
                </p>
            </main>
        );
    if (!summary)
        return (
            <main class="page">
                <p class="quiet" role="status">
                    Loading ...
                </p>
            </main>
        );
    return (
        <ProfileContext.Provider value={{ source, summary }}>
            <Header summary={summary} />
            <Navigation />
            <Current />
        </ProfileContext.Provider>
    );
}

function Header({ summary: { job } }: { summary: Summary }) {
    const name = basename(job.executable || job.command[0] || 'a program');
    useEffect(() => {
        document.title = `${name}, ${plural(job.ranks, 'rank')} - Fathom`;
    }, [name, job.ranks]);
    return (
        <header class="top">
            <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById('main')?.focus(); }}>
                Skip to the content
            </a>
            <h1>
                <bdi title={job.command.join(' ').slice(0, 2000)}>{name}</bdi> on {plural(job.ranks, 'rank')},{' '}
                {plural(job.hosts, 'host')}
            </h1>
            <p>
                <strong>{seconds(job.wall_s)}</strong> · {date(job.started)} · {job.mpi || 'no MPI'}
                {job.user && (
                    <>
                        {' '}
                        · <bdi>{job.user}</bdi>
                    </>
                )}
            </p>
            <Chip />
        </header>
    );
}

/** The ranks that are selected in every view. */
function Chip() {
    const ranks = param('ranks');
    if (!ranks) return null;
    return (
        <p class="chip">
            Selected: ranks {ranks.length > 40 ? `${ranks.slice(0, 38)}..` : ranks}{' '}
            <button type="button" aria-label="Clear the selection of ranks" onClick={() => setParam({ ranks: '' })}>
                ×
            </button>
        </p>
    );
}

function Navigation() {
    const current = viewName.value;
    return (
        <nav class="views" aria-label="Views">
            <ul>
                {views.map((view) => (
                    <li key={view.name}>
                        <a href={viewAddress(view.name)} aria-current={view.name === current ? 'page' : undefined}>
                            {view.title}
                        </a>
                    </li>
                ))}
            </ul>
        </nav>
    );
}

function Current() {
    const view = views.find(({ name }) => name === viewName.value);
    const Component = view?.component;
    return (
        <main id="main" class="page" tabIndex={-1} data-view={view?.name ?? ''}>
            {Component ? <Component /> : <p class="problem">There is no view '{viewName.value}'.</p>}
        </main>
    );
}
