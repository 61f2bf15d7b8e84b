// SPDX-License-Identifier: BSD-3-Clause
// Pages that only the server has: the list of profiles and running jobs, and the profile that the address names.
import { useEffect, useMemo, useState } from 'preact/hooks';

import { type Back, ProfilePage } from './app';
import { fetchDocument, type Reading, serverSource } from './data/source';
import { HistoryPage } from './history';
import { Jobs, LiveJob } from './jobs';
import { Loading } from './parts/loading';
import { Table } from './parts/table';
import { address, addressOf, place } from './state';
import { commonDirectory } from './text/names';
import { date, percent, seconds } from './text/units';
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

/** A profile whose slices are below an address of the server. */
export function OneProfile({ base, back }: { base: string; back?: Back }) {
    const [reading, setReading] = useState<Reading | null>(null);
    const source = useMemo(() => serverSource(base, setReading), [base]);
    return (
        <>
            {reading !== null && (
                <p class="quiet" role="status" data-part="reading">
                    {reading.done !== null && <progress value={reading.done} aria-label="Reading the profile" />} The server is reading
                    the profile: {reading.done !== null && `${percent(reading.done)}, `}
                    {seconds(reading.seconds)} so far.
                </p>
            )}
            <ProfilePage source={source} back={back} />
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

/** Profiles come and go, and findings are looked for after the list was first shown. */
const LIST_MS = 5000;

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
    const directory = commonDirectory((list ?? []).map(({ file }) => file));
    return (
        <main id="main" class="page" tabIndex={-1}>
            <h1>Jobs and profiles</h1>
            <h2>Running now</h2>
            <Jobs />
            <h2>Profiles</h2>
            {list && list.length > 1 && (
                <p>
                    <a href={addressOf(['history'])}>History: what became slower since when</a>
                </p>
            )}
            {error && <p class="problem">{error}</p>}
            {!list && !error && <Loading />}
            {list && (
                <Table
                    name="profiles"
                    caption={directory ? `Profiles in ${directory}` : 'Profiles'}
                    rows={list}
                    rowKey={(row) => row.id}
                    columns={[
                        {
                            title: 'Profile',
                            text: true,
                            value: (row) => row.file,
                            show: (row) =>
                                row.error ? (
                                    <bdi title={row.file}>{row.file.slice(directory.length)}</bdi>
                                ) : (
                                    <a href={addressOf(['profile', row.id, 'overview'])}>
                                        <bdi title={row.file}>{row.file.slice(directory.length)}</bdi>
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
            {list && <Compare directory={directory} profiles={list.filter(({ error: failed }) => !failed)} />}
        </main>
    );
}
