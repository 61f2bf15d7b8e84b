// SPDX-License-Identifier: BSD-3-Clause
// Which files take time, who reads and writes them, and in which requests.
import { useMemo } from 'preact/hooks';

import { rankRows } from '../data/rank_rows';
import { paleUnless } from '../data/rankset';
import type { Ranks, Spread } from '../data/types';
import { ChartFrame } from '../parts/chart';
import { RanksLink } from '../parts/links';
import { type Figure, RankChart } from '../parts/rank_chart';
import { SizeBars, type SizeClass } from '../parts/size_bars';
import { SliceView } from '../parts/slice_view';
import { type Column, Table } from '../parts/table';
import { useProfile } from '../parts/use_slice';
import { selectedRanks } from '../state';
import { requestSize, sizeFrom } from '../text/sizes';
import { bytes, count, percent, percentFine, seconds } from '../text/units';

interface Size {
    from_bytes: number;
    to_bytes: number | null;
    reads: number;
    writes: number;
}

interface Use {
    opens: number;
    reads: number;
    writes: number;
    seeks: number;
    syncs: number;
    read_bytes: number;
    written_bytes: number;
    rewritten_bytes: number;
    read_s: number;
    write_s: number;
    metadata_s: number;
    time_s: number;
    mpi: number;
    stdio: number;
    fortran: number;
    ranks: string;
}

interface Class extends Use {
    name: string;
    files: number;
    files_at_most: boolean;
    small_requests: number;
    sizes: Size[];
    per_rank: { time_s: Spread | null; bytes: Spread | null };
}

interface File extends Use {
    path: string;
    class: string;
    access: string;
    shared: boolean;
}

interface Io {
    measured: boolean;
    time_s: number;
    mpi_time_s: number;
    read_bytes: number;
    written_bytes: number;
    rewritten_bytes: number;
    calls: number;
    reads: number;
    writes: number;
    small_requests: number;
    sizes: Size[];
    classes: Class[];
    files: File[];
}

export function IoView() {
    return (
        <>
            <h2>File I/O</h2>
            <SliceView<{ io: Io }> name="io">{({ io }) => <OfIo io={io} />}</SliceView>
        </>
    );
}

function OfIo({ io }: { io: Io }) {
    if (!io.measured)
        return (
            <p class="verdict">
                File I/O was not measured: it was off (<code>--io off</code>, <code>FATHOM_IO=off</code>), or the profile is of an older Fathom.
            </p>
        );
    if (io.classes.length === 0) return <p class="verdict">The program did no I/O on files.</p>;
    return (
        <>
            <Verdict io={io} />
            <Classes io={io} />
            <Files io={io} />
            <Sizes io={io} />
            <SliceView<Ranks> name="ranks">{(ranks) => <PerRank ranks={ranks} />}</SliceView>
        </>
    );
}

// ---- sentences ----

const MOST = 0.5;
const MANY = 1000;

function Verdict({ io }: { io: Io }) {
    const { job } = useProfile().summary;
    const most = job.per_rank.io_s;
    const first = io.classes[0];
    const file = io.files.find((one) => one.class === first.name && one.mpi === first.mpi);
    const heaviest = file && file.time_s >= MOST * first.time_s ? file : null;
    const requests = io.sizes.reduce((sum, { reads, writes }) => sum + reads + writes, 0);
    const small = [...io.classes].sort((a, b) => b.small_requests - a.small_requests)[0];
    return (
        <>
            <p class="verdict" data-part="verdict">
                File I/O: <strong>{percentFine(job.wall_sum_s > 0 ? io.time_s / job.wall_sum_s : null)}</strong> of the time (
                {seconds(io.time_s)}
                {job.ranks_measured > 1 && ' over all ranks'})
                {job.ranks_measured > 1 && most && most.max > 0 && `, most on rank ${most.max_rank} (${seconds(most.max)})`}
                {io.mpi_time_s > 0 && `, and ${seconds(io.mpi_time_s)} in MPI-IO`}; {bytes(io.read_bytes)} read, {bytes(io.written_bytes)} written.
                Heaviest {heaviest ? 'file' : 'files'}: <bdi>{(heaviest ? shortPath(heaviest.path, job.directory) : first.name).slice(0, 300)}</bdi> (
                {seconds((heaviest ?? first).time_s)}, <RanksLink ranks={(heaviest ?? first).ranks} />
                ).
            </p>
            {io.small_requests >= MANY && requests > 0 && io.small_requests / requests >= MOST && (
                <p>
                    {percent(io.small_requests / requests)} of the {count(requests)} requests are smaller than 4 KiB, most of them on{' '}
                    <bdi>{small.name}</bdi>.
                </p>
            )}
        </>
    );
}

/** Relative to the directory of the job. */
function shortPath(path: string, directory: string): string {
    return directory.length > 1 && path.startsWith(`${directory}/`) && path.length > directory.length + 1 ? path.slice(directory.length + 1) : path;
}

// ---- tables ----

function interfaceOf({ mpi, stdio, fortran }: Use): string {
    return mpi ? 'MPI-IO' : fortran && stdio ? 'Fortran, stdio' : fortran ? 'Fortran' : stdio ? 'stdio' : 'POSIX';
}

function timeColumns<T extends Use>(wall: number): Column<T>[] {
    const share = (row: T) => (wall > 0 ? row.time_s / wall : null);
    return [
        { title: 'Time', unit: 's', about: 'Reading, writing, opening, closing and seeking; sum over ranks', bar: true, value: (row) => row.time_s, show: (row) => seconds(row.time_s) },
        { title: '% wall', about: 'Share of the wall times of all ranks', value: share, show: (row) => percentFine(share(row)) },
        { title: 'Reading', unit: 's', value: (row) => row.read_s, show: (row) => seconds(row.read_s) },
        { title: 'Writing', unit: 's', about: 'With syncs', value: (row) => row.write_s, show: (row) => seconds(row.write_s) },
        { title: 'Metadata', unit: 's', about: 'Opening, closing, seeking', value: (row) => row.metadata_s, show: (row) => seconds(row.metadata_s) },
        { title: 'Read', unit: 'bytes', value: (row) => row.read_bytes, show: (row) => (row.reads ? bytes(row.read_bytes) : <span class="quiet">-</span>) },
        { title: 'Written', unit: 'bytes', value: (row) => row.written_bytes, show: (row) => (row.writes ? bytes(row.written_bytes) : <span class="quiet">-</span>) },
    ];
}

interface UsesProps<T> {
    name: string;
    title: string;
    caption: string;
    rows: T[];
    first: Column<T>;
    more: Column<T>[];
}

/** What was used how long and by whom: classes or files. What the selected ranks do not use is pale. */
function Uses<T extends Use>({ name, title, caption, rows, first, more }: UsesProps<T>) {
    const { job } = useProfile().summary;
    const ranks: Column<T> = { title: 'Ranks', text: true, value: (row) => row.ranks, show: (row) => <RanksLink ranks={row.ranks} /> };
    return (
        <section>
            <h3>{title}</h3>
            <Table
                name={name}
                caption={caption}
                rows={rows}
                rowClass={paleUnless(selectedRanks.value)}
                sortedBy={1}
                limit={12}
                columns={[first, ...timeColumns<T>(job.wall_sum_s), ...more, ranks]}
            />
        </section>
    );
}

function Name({ text, full }: { text: string; full: string }) {
    return (
        <span class="function" title={full.slice(0, 2000)}>
            <bdi>{text}</bdi>
        </span>
    );
}

function Classes({ io }: { io: Io }) {
    const perCall = (row: Class) => (row.reads + row.writes > 0 ? (row.read_bytes + row.written_bytes) / (row.reads + row.writes) : null);
    return (
        <Uses
            name="io-classes"
            title="Classes of files"
            caption="Files by extension and the first levels of their path; * stands for numbers and random parts"
            rows={io.classes}
            first={{
                title: 'Files',
                text: true,
                value: (row) => row.name,
                show: (row) => <Name text={row.mpi ? `${row.name} (MPI-IO)` : row.name} full={row.name} />,
            }}
            more={[
                {
                    title: 'Number',
                    about: 'Number of different files; <= if some may be counted once for each rank',
                    value: (row) => row.files,
                    show: (row) => `${row.files_at_most ? '<= ' : ''}${count(row.files)}`,
                },
                { title: 'Requests', about: 'Calls that read or write', value: (row) => row.reads + row.writes, show: (row) => count(row.reads + row.writes) },
                {
                    title: 'Bytes/call',
                    unit: 'bytes',
                    about: 'Mean size of a request',
                    value: perCall,
                    show: (row) => (perCall(row) === null ? <span class="quiet">-</span> : bytes(perCall(row))),
                },
            ]}
        />
    );
}

function useOf(file: File): string {
    const access: Record<string, string> = { read: 'read', write: 'written', 'read and write': 'read, written', none: 'opened' };
    const uses = [access[file.access] ?? file.access];
    if (file.rewritten_bytes > 0) uses.push('rewritten');
    if (file.shared) uses.push('shared');
    return `${uses.join(', ')}; ${interfaceOf(file)}`;
}

function Files({ io }: { io: Io }) {
    const { job } = useProfile().summary;
    if (io.files.length === 0) return null;
    return (
        <Uses
            name="io-files"
            title="Files"
            caption="Heaviest files by name, at most 32 of a class"
            rows={io.files}
            first={{ title: 'File', text: true, value: (row) => row.path, show: (row) => <Name text={shortPath(row.path, job.directory)} full={row.path} /> }}
            more={[
                { title: 'Opens', value: (row) => row.opens, show: (row) => count(row.opens) },
                { title: 'Use', text: true, about: 'How it was used, and with which interface', value: useOf },
            ]}
        />
    );
}

// ---- sizes ----

const SERIES = [
    { name: 'reads', colour: '--name-4' },
    { name: 'writes', colour: '--name-1' },
];

function Sizes({ io }: { io: Io }) {
    const classes = useMemo<SizeClass[]>(
        () =>
            io.sizes.map((size) => ({
                name: requestSize(size.from_bytes, size.to_bytes),
                short: size.from_bytes <= 1 ? `< ${sizeFrom((size.to_bytes ?? 0) + 1)}` : sizeFrom(size.from_bytes),
                values: [size.reads, size.writes],
            })),
        [io],
    );
    if (classes.length === 0) return null;
    return (
        <ChartFrame
            name="io-sizes"
            title="Requests by size"
            caption="Reads and writes that transferred something; many small ones take long. Sizes without requests are left out."
            table={() => (
                <Table
                    name="io-sizes"
                    caption="Requests by size"
                    rows={io.sizes}
                    columns={[
                        { title: 'Size from', unit: 'bytes', value: (row) => row.from_bytes, show: (row) => requestSize(row.from_bytes, row.to_bytes) },
                        { title: 'Reads', bar: true, value: (row) => row.reads, show: (row) => count(row.reads) },
                        { title: 'Writes', bar: true, value: (row) => row.writes, show: (row) => count(row.writes) },
                    ]}
                />
            )}
        >
            <SizeBars label="Reads and writes by size of the request" series={SERIES} classes={classes} show={(value) => count(value)} axis="size of a request" />
        </ChartFrame>
    );
}

// ---- ranks ----

function PerRank({ ranks }: { ranks: Ranks }) {
    const { job } = useProfile().summary;
    const { rows, figures } = useMemo(() => {
        const table = rankRows(ranks);
        const of = ranks.processes;
        const all: Figure[] = [
            { key: 'io', name: 'Time in file I/O', colour: '--io', values: table.gather(of.io_s, 'sum'), show: seconds, unit: 's', about: 'Outside MPI' },
            { key: 'read', name: 'Read', colour: '--name-4', values: table.gather(of.read_bytes, 'sum'), show: bytes, unit: 'bytes', about: 'With MPI-IO', ofBytes: true },
            { key: 'written', name: 'Written', colour: '--name-1', values: table.gather(of.written_bytes, 'sum'), show: bytes, unit: 'bytes', about: 'With MPI-IO', ofBytes: true },
        ];
        return { rows: table, figures: all.filter(({ values }) => values.some((value) => value !== null && value > 0)) };
    }, [ranks]);
    if (figures.length === 0) return null;
    return (
        <RankChart
            name="io-ranks"
            title="I/O of each rank"
            caption="Time outside MPI; bytes with MPI-IO."
            rows={rows}
            hosts={job.hosts_list.map(({ name }) => name)}
            figures={figures}
        />
    );
}
