// SPDX-License-Identifier: BSD-3-Clause
// The tables of a summary as charts: what the machine really does.
import { Table } from '../parts/table';
import { addressOf } from '../state';
import { count, percent, percentFine, plural, seconds } from '../text/units';
import { BarChart, type BarRow } from './bars';
import { rowsOf, type SheetRow, type SiteSummary } from './data';
import { HostLink, period, ProgramLink, UserLink } from './links';

function number(value: SheetRow[string] | undefined): number | null {
    return typeof value === 'number' ? value : null;
}

function bars(rows: SheetRow[], name: string, ...keys: string[]): BarRow[] {
    return rows.map((row) => ({ name: String(row[name] ?? 'unknown'), values: keys.map((key) => number(row[key])) }));
}

const fraction = (title: string, fill: string) => ({ title, fill, text: percentFine });
const time = (title: string, fill: string) => ({ title, fill, text: seconds, unit: 's' });

/** Totals of a time: what one wants to know first. */
export function Totals({ summary }: { summary: SiteSummary }) {
    const t = summary.totals;
    const share = (a: number | null, b: number | null) => (a !== null && b ? a / b : null);
    const facts: [string, string, string][] = [
        [count(t.jobs), 'jobs', t.complete_jobs !== null ? `${count(t.complete_jobs)} complete` : ''],
        [seconds(t.cpu_s), 'CPU time', t.capacity_s ? `${percent(share(t.cpu_s, t.capacity_s))} of the machine` : ''],
        [percent(typeof t.wasted_s === 'number' ? share((t.cpu_s ?? 0) - t.wasted_s, t.cpu_s) : null), 'efficiency', `${seconds(t.wasted_s)} wasted`],
        [percent(share(t.mpi_s, t.cpu_s)), 'in MPI', `${percent(share(t.critical_jobs, t.jobs))} of the jobs above 15 %`],
        ...(t.users === 1 ? [] : ([[count(t.users), 'users', '']] as [string, string, string][])),
        [count(t.programs), t.programs === 1 ? 'program' : 'programs', t.routines !== null && t.routines !== undefined ? plural(t.routines, 'MPI routine') : ''],
        [t.ranks_weighted === null ? 'unknown' : count(Math.round(t.ranks_weighted)), 'ranks by CPU time', `${t.ranks_per_job === null ? 'unknown' : count(Math.round(t.ranks_per_job))} per job`],
    ];
    return (
        <ul class="figures" data-part="totals">
            {facts.map(([value, title, more]) => (
                <li key={title} class="card">
                    <strong>{value}</strong>
                    <span>{title}</span>
                    <span class="quiet">{more}</span>
                </li>
            ))}
        </ul>
    );
}

export function RoutinesChart({ summary, user }: { summary: SiteSummary; user?: string }) {
    return (
        <BarChart
            name="routines"
            title="MPI routines"
            caption={`Time in each routine, and its share of the MPI time${user ? '' : ' of all jobs'}`}
            of="Routine"
            rows={bars(rowsOf(summary, 'routines'), 'name', 'time_s')}
            measures={[time('Time', '--mpi')]}
        />
    );
}

export function GroupsChart({ summary }: { summary: SiteSummary }) {
    return (
        <BarChart
            name="groups"
            title="Groups of MPI routines"
            caption="In how many jobs routines of the group are called"
            of="Group"
            rows={bars(rowsOf(summary, 'groups'), 'group', 'jobs_fraction', 'cpu_fraction')}
            most={1}
            measures={[fraction('of the jobs', '--other'), fraction('by CPU time', '--program')]}
        />
    );
}

export function LanguagesChart({ summary }: { summary: SiteSummary }) {
    return (
        <BarChart
            name="languages"
            title="Languages"
            of="Language"
            rows={bars(rowsOf(summary, 'languages'), 'language', 'cpu_fraction', 'jobs_fraction')}
            most={1}
            measures={[fraction('of the CPU time', '--program'), fraction('of the jobs', '--other')]}
        />
    );
}

export function RanksChart({ summary }: { summary: SiteSummary }) {
    return (
        <BarChart
            name="ranks"
            title="Numbers of ranks"
            caption="CPU time of jobs with so many ranks, and how much of it was in MPI"
            of="Ranks"
            limit={30}
            rows={bars(rowsOf(summary, 'ranks'), 'ranks', 'cpu_s', 'mpi_s')}
            measures={[time('CPU time', '--program'), time('MPI time', '--mpi')]}
            link={(name) => {
                const [least, most] = name.replace(/ or more$/, '-').split('-');
                return addressOf(['jobs'], { ...period(), ranks_from: least, ranks_to: most ?? least });
            }}
        />
    );
}

export function CpuClassesChart({ summary }: { summary: SiteSummary }) {
    return (
        <BarChart
            name="cpu_classes"
            title="CPU time per job"
            caption="Many jobs are small, but the large ones use the machine"
            of="CPU time per job"
            rows={bars(rowsOf(summary, 'cpu_classes'), 'cpu_class', 'cpu_fraction', 'jobs_fraction')}
            most={1}
            measures={[fraction('of the CPU time', '--program'), fraction('of the jobs', '--other')]}
        />
    );
}

export function MpiShareChart({ summary }: { summary: SiteSummary }) {
    return (
        <BarChart
            name="users"
            title="Users: CPU time and time in MPI"
            of="User"
            rows={bars(rowsOf(summary, 'users'), 'user', 'cpu_s', 'mpi_s')}
            measures={[time('CPU time', '--program'), time('MPI time', '--mpi')]}
            link={(name) => addressOf(['user', name], period())}
        />
    );
}

export function FindingsChart({ summary, user }: { summary: SiteSummary; user?: string }) {
    return (
        <BarChart
            name="findings"
            title="Findings"
            caption="CPU time that each kind of finding costs"
            of="Finding"
            rows={bars(rowsOf(summary, 'findings'), 'rule', 'cost_s')}
            measures={[time('Cost', '--much')]}
            link={(name) => addressOf(['jobs'], { ...period(), rule: name, user: user ?? '', order: 'wasted' })}
        />
    );
}

/** Hosts differ by less without being slow: as FM_SLOW_HOST_LEAST of the analysis. */
const SLOW_HOST = 0.05;

export function HostsTable({ summary }: { summary: SiteSummary }) {
    const rows = rowsOf(summary, 'hosts').filter((row) => (number(row.slower) ?? 0) >= SLOW_HOST);
    if (rows.length === 0)
        return (
            <section aria-label="Hosts">
                <h2>Slow hosts</h2>
                <p class="quiet">None: on no host do ranks take {percent(SLOW_HOST)} more time outside MPI than other ranks of their jobs.</p>
            </section>
        );
    return (
        <section aria-label="Hosts">
            <h2>Slow hosts</h2>
            <Table
                name="hosts"
                caption={`How much more time ranks take outside MPI than other ranks of their jobs; from ${percent(SLOW_HOST)}`}
                rows={rows}
                limit={8}
                columns={[
                    { title: 'Host', text: true, value: (row) => row.host, show: (row) => <HostLink host={String(row.host)} /> },
                    { title: 'Slower', bar: true, value: (row) => number(row.slower), show: (row) => percentFine(number(row.slower)) },
                    { title: 'Compared jobs', value: (row) => number(row.compared_jobs), show: (row) => count(number(row.compared_jobs)) },
                    { title: 'Jobs', value: (row) => number(row.jobs), show: (row) => count(number(row.jobs)) },
                ]}
            />
        </section>
    );
}

export function ProgramsTable({ summary, user }: { summary: SiteSummary; user?: string }) {
    return (
        <section aria-label="Programs">
            <h2>Programs, most wasted CPU time first</h2>
            <Table
                name="programs"
                caption="Wasted: CPU time x (1 - parallel efficiency)"
                rows={rowsOf(summary, 'programs')}
                limit={12}
                columns={[
                    { title: 'Program', text: true, value: (row) => row.program, show: (row) => <ProgramLink program={String(row.program)} user={user} /> },
                    { title: 'Jobs', value: (row) => number(row.jobs), show: (row) => count(number(row.jobs)) },
                    { title: 'CPU time', unit: 's', value: (row) => number(row.cpu_s), show: (row) => seconds(number(row.cpu_s)) },
                    { title: 'Wasted', unit: 's', bar: true, value: (row) => number(row.wasted_s), show: (row) => seconds(number(row.wasted_s)) },
                    { title: 'Efficiency', value: (row) => number(row.efficiency), show: (row) => percentFine(number(row.efficiency)) },
                    { title: 'In MPI', value: (row) => number(row.mpi_fraction), show: (row) => percentFine(number(row.mpi_fraction)) },
                ]}
            />
        </section>
    );
}

export function UsersTable({ rows }: { rows: { user: string; jobs: number; cpu_s: number | null; wasted_s: number | null }[] }) {
    return (
        <Table
            name="users"
            caption="Who runs it"
            rows={rows}
            limit={10}
            columns={[
                { title: 'User', text: true, value: (row) => row.user, show: (row) => <UserLink user={row.user} /> },
                { title: 'Jobs', value: (row) => row.jobs, show: (row) => count(row.jobs) },
                { title: 'CPU time', unit: 's', bar: true, value: (row) => row.cpu_s, show: (row) => seconds(row.cpu_s) },
                { title: 'Wasted', unit: 's', value: (row) => row.wasted_s, show: (row) => seconds(row.wasted_s) },
            ]}
        />
    );
}
