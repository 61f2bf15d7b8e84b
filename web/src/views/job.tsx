// SPDX-License-Identifier: BSD-3-Clause
// What is known about the job itself, and notes on its measurement.
import { Table } from '../parts/table';
import { RanksLink } from '../parts/links';
import { useProfile } from '../parts/use_slice';
import { bytes, date, seconds, UNKNOWN } from '../text/units';

export function JobView() {
    const { job } = useProfile().summary;
    const facts: [string, string][] = [
        ['Command', job.command.join(' ')],
        ['Program', job.executable],
        ['Directory', job.directory],
        ['User', job.user],
        ['Job id', job.id],
        ['Started', date(job.started)],
        ['Ended', date(job.ended)],
        ['Wall time', seconds(job.wall_s)],
        ['MPI', job.mpi],
        ['MPI library', job.mpi_library],
        ['Launcher', job.launcher],
        ['Language', job.language],
        ['Build id', job.build_id],
        ['Commit', job.commit ?? ''],
        ['Process grid', job.cart_dims.join(' x ')],
        ['Time taken by Fathom', seconds(job.overhead_s)],
        ['Version of Fathom', job.versions.runtime ?? ''],
    ];
    return (
        <>
            <h2>Job</h2>
            <dl class="facts">
                {facts.map(([name, value]) => (
                    <div key={name}>
                        <dt>{name}</dt>
                        <dd>
                            <bdi>{value || UNKNOWN}</bdi>
                        </dd>
                    </div>
                ))}
            </dl>
            {job.ends.length > 0 && (
                <>
                    <h3>Ranks that did not end normally</h3>
                    <ul>
                        {job.ends.map((end) => (
                            <li key={end.ranks}>
                                <RanksLink ranks={end.ranks} />: {end.how}
                                {end.inside && <>, inside {end.inside}</>}
                            </li>
                        ))}
                    </ul>
                </>
            )}
            {job.notes.length > 0 && (
                <>
                    <h3>Notes on the measurement</h3>
                    <ul>
                        {job.notes.map((note, i) => (
                            <li key={i}>
                                <bdi>{note.text}</bdi>
                                {note.amount > 0 && <>: {note.amount.toLocaleString('en')}</>}
                                {note.ranks && <> ({note.ranks.length > 40 ? `${note.ranks.slice(0, 38)}..` : `ranks ${note.ranks}`})</>}
                            </li>
                        ))}
                    </ul>
                </>
            )}
            <h3>Hosts</h3>
            <Table
                name="hosts"
                caption="Hosts of the job"
                limit={50}
                rows={job.hosts_list}
                columns={[
                    { title: 'Host', text: true, value: (host) => host.name },
                    { title: 'CPU', text: true, value: (host) => host.cpu },
                    { title: 'Cores', value: (host) => host.cores },
                    { title: 'Memory', unit: 'bytes', value: (host) => host.memory_bytes, show: (host) => bytes(host.memory_bytes) },
                    { title: 'Ranks', text: true, value: (host) => host.ranks, show: (host) => <RanksLink ranks={host.ranks} /> },
                ]}
            />
            {Object.keys(job.environment).length > 0 && (
                <>
                    <h3>Settings of MPI and OpenMP</h3>
                    <Table
                        name="environment"
                        caption="Environment variables"
                        rows={Object.entries(job.environment)}
                        columns={[
                            { title: 'Name', text: true, value: ([name]) => name },
                            { title: 'Value', text: true, value: ([, value]) => value },
                        ]}
                    />
                </>
            )}
        </>
    );
}
