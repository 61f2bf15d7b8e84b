// SPDX-License-Identifier: BSD-3-Clause
// Pages that only the server has: the list of profiles and running jobs, and the profile that the address names.
import { useEffect, useMemo, useState } from 'preact/hooks';

import { ProfilePage } from './app';
import { fetchDocument, serverSource } from './data/source';
import { HistoryPage } from './history';
import { Table } from './parts/table';
import { addressOf, place } from './state';
import { date, percent, seconds } from './text/units';

export function ServerPage() {
    const [kind, id] = place.value;
    if (kind === 'profile') return <OneProfile base={`api/profile/${id}`} />;
    if (kind === 'live') return <OneProfile base={`api/job/${id}`} />;
    if (kind === 'history') return <HistoryPage source={null} />;
    return <List />;
}

function OneProfile({ base }: { base: string }) {
    const [done, setDone] = useState<number | null>(null);
    const source = useMemo(() => serverSource(base, setDone), [base]);
    return (
        <>
            {done !== null && (
                <p class="quiet" role="status">
                    Reading the profile: {percent(done)}
                </p>
            )}
            <ProfilePage source={source} />
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
    parallel_efficiency: number | null;
    end: string;
    finding: string | null;
    error?: string;
}

function List() {
    const [list, setList] = useState<Listed[] | null>(null);
    const [error, setError] = useState('');
    useEffect(() => {
        document.title = 'Profiles - Fathom';
        fetchDocument<{ profiles: Listed[] }>('/api/list').then(
            ({ profiles }) => {
                setList(profiles);
                if (profiles.length === 1) window.location.replace(addressOf(['profile', profiles[0].id, 'overview']));
            },
            (failure: Error) => setError(failure.message),
        );
    }, []);
    return (
        <main id="main" class="page" tabIndex={-1}>
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
                            show: (row) => (
                                <a href={addressOf(['profile', row.id, 'overview'])}>
                                    <bdi>{row.file}</bdi>
                                </a>
                            ),
                        },
                        { title: 'Program', text: true, value: (row) => row.program },
                        { title: 'User', text: true, value: (row) => row.user },
                        { title: 'Ranks', value: (row) => row.ranks },
                        { title: 'Wall time', unit: 's', value: (row) => row.wall_s, show: (row) => seconds(row.wall_s) },
                        { title: 'Started', text: true, value: (row) => row.started, show: (row) => date(row.started) },
                        { title: 'In MPI', value: (row) => row.mpi_fraction, show: (row) => percent(row.mpi_fraction) },
                        { title: 'Efficiency', value: (row) => row.parallel_efficiency, show: (row) => percent(row.parallel_efficiency) },
                        { title: 'First finding', text: true, value: (row) => row.finding ?? '' },
                    ]}
                />
            )}
        </main>
    );
}
