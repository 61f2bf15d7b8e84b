// SPDX-License-Identifier: BSD-3-Clause
// The frame around every view: which job it is, the list of views, and the selected ranks.
import { useEffect, useState } from 'preact/hooks';

import { basename } from './text/names';
import { NoSlice, type Source } from './data/source';
import type { Summary } from './data/types';
import { type LiveState, ProfileContext } from './parts/use_slice';
import { addressOf, param, place, selectedRanks, setParam, viewAddress, viewName } from './state';
import { date, plural, seconds } from './text/units';
import { liveView, type View, views } from './views/views';

/** The page from which one came to this profile. */
export interface Back {
    title: string;
    address: string;
}

/** `live` while the job runs: then there is a new source for each version of its data. */
export function ProfilePage({ source, live, back }: { source: Source; live?: LiveState; back?: Back }) {
    const [summary, setSummary] = useState<Summary | null>(null);
    const [error, setError] = useState('');
    useEffect(() => {
        let current = true;
        source.slice<Summary>('summary').then(
            (next) => {
                if (!current) return;
                setSummary(next);
                setError('');
            },
            (failure: Error) =>
                current && setError(failure instanceof NoSlice ? 'There is no such profile.' : failure.message),
        );
        return () => {
            current = false;
        };
    }, [source]);
    if (error && !summary)
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
        <ProfileContext.Provider value={{ source, summary, live }}>
            <Header summary={summary} live={live} back={back} />
            <Navigation live={live !== undefined} />
            <Current live={live !== undefined} />
        </ProfileContext.Provider>
    );
}

const ALL: Back = { title: 'All profiles', address: addressOf(['list']) };

function Header({ summary: { job }, live, back = ALL }: { summary: Summary; live?: LiveState; back?: Back }) {
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
                {live && <strong class="running">running · </strong>}
                <strong>{seconds(live ? live.seconds : job.wall_s)}</strong> · {date(job.started)} · {job.mpi || 'no MPI'}
                {job.user && (
                    <>
                        {' '}
                        · <bdi>{job.user}</bdi>
                    </>
                )}
            </p>
            {place.value.length > 0 && (
                <p>
                    <a href={back.address}>{back.title}</a>
                </p>
            )}
            <Chip ranks={job.ranks} />
        </header>
    );
}

/** What is wrong with the selection in the address, which anybody may have written. */
function wrongSelection(ranks: number): string {
    const chosen = selectedRanks.value;
    if (chosen.length === 0) return 'this is no set of ranks, such as 0-3,7';
    const last = chosen[chosen.length - 1][1];
    const all = ranks === 1 ? 'only rank 0' : `ranks 0-${ranks - 1}`;
    if (last < ranks) return '';
    return `${chosen[0][0] >= ranks ? 'they do not exist' : 'some of them do not exist'}: the job has ${all}`;
}

/** The ranks that are selected in every view. */
function Chip({ ranks: all }: { ranks: number }) {
    const ranks = param('ranks');
    if (!ranks) return null;
    const wrong = wrongSelection(all);
    return (
        <p class="chip">
            Selected: {/^\d+$/.test(ranks) ? 'rank' : 'ranks'} <bdi>{ranks.length > 40 ? `${ranks.slice(0, 38)}..` : ranks}</bdi>
            {wrong && <strong role="alert"> ({wrong})</strong>}{' '}
            <button type="button" aria-label="Clear the selection of ranks" onClick={() => setParam({ ranks: '' })}>
                ×
            </button>
        </p>
    );
}

/** A running job has a view of its own, first. */
function viewsOf(live: boolean): View[] {
    return live ? [liveView, ...views] : views;
}

function Navigation({ live }: { live: boolean }) {
    const current = viewName.value;
    return (
        <nav class="views" aria-label="Views">
            <ul>
                {viewsOf(live).map((view) => (
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

function Current({ live }: { live: boolean }) {
    const view = viewsOf(live).find(({ name }) => name === viewName.value);
    const Component = view?.component;
    return (
        <main id="main" class="page" tabIndex={-1} data-view={view?.name ?? ''}>
            {Component ? <Component /> : <p class="problem">There is no view '{viewName.value}'.</p>}
        </main>
    );
}
