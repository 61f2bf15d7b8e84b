// SPDX-License-Identifier: BSD-3-Clause
// A user: what the jobs took, where they stand among those of others, programs, and the latest jobs.
import { useEffect } from 'preact/hooks';

import { addressOf } from '../state';
import { Answer } from './answer';
import { type Figure, FIGURES, type JobPage, type Me, query, rowsOf, type SiteSummary } from './data';
import { FindingsChart, ProgramsTable, RanksChart, RoutinesChart, Totals } from './figures';
import { InsightSection } from './insights';
import { COLUMNS } from './job_columns';
import { Jobs } from './job_list';
import { period } from './links';
import { LoadOverTime } from './load';
import { PeriodChoice, wholeDays } from './period';
import { References } from './range';

export const USUAL = '90';
const LATEST = COLUMNS.filter(({ key }) => ['job', 'program', 'ended', 'ranks', 'cpu', 'efficiency', 'footprint', 'finding', 'history'].includes(key));

export function UserPage({ me, user }: { me: Me; user: string }) {
    const own = user === me.user;
    useEffect(() => {
        document.title = `${user} - Fathom`;
    }, [user]);
    if (!me.staff && !own) return <p class="problem">There is no such page: you see your own jobs only.</p>;
    const days = wholeDays(me, USUAL);
    const name = me.staff ? user : undefined;
    return (
        <>
            <h1>
                <bdi>{user}</bdi>{' '}
                <small>
                    {days.from} to {days.to}
                </small>
            </h1>
            <form class="controls" aria-label="Time" onSubmit={(event) => event.preventDefault()}>
                <PeriodChoice usual={USUAL} />
                <a href={addressOf(['jobs'], { ...period(), user: name ?? '' })}>All jobs</a>
            </form>
            <Answer<{ site: SiteSummary }> path={query('summary', { ...days, user: name })}>
                {({ site }) => (
                    <>
                        <Totals summary={site} />
                        <div class="columns">
                            <section class="card" aria-label="Reference values">
                                <h2>Among the users of the site</h2>
                                <OfUser me={me} site={site} />
                            </section>
                            <InsightSection user={name} />
                        </div>
                        <ProgramsTable summary={site} user={name} />
                    </>
                )}
            </Answer>
            <LoadOverTime usual="program" possible={['program', 'ranks', 'routine', 'language', 'finding']} days={days} user={name} />
            <section aria-label="Latest jobs">
                <h2>Latest jobs</h2>
                <Answer<JobPage> path={query('jobs', { order: 'ended', limit: 10, user: name })}>{({ jobs }) => <Jobs me={me} jobs={jobs} columns={LATEST} />}</Answer>
            </section>
            <Answer<{ site: SiteSummary }> path={query('summary', { ...days, user: name })}>
                {({ site }) => (
                    <div class="charts">
                        <RoutinesChart summary={site} user={user} />
                        <FindingsChart summary={site} user={name} />
                        <RanksChart summary={site} />
                    </div>
                )}
            </Answer>
        </>
    );
}

/** Keys of the summary's table of users, and what they are per unit of the reference values. */
const IN_SUMMARY: Record<Figure, [string, number]> = {
    parallel: ['efficiency', 1],
    mpi_fraction: ['mpi_fraction', 1],
    instruction_rate: ['instruction_rate_m', 1e6],
    fp_rate: ['fp_rate_m', 1e6],
    l2_miss_rate: ['l2_miss_rate_m', 1e6],
};

function OfUser({ me, site }: { me: Me; site: SiteSummary }) {
    const row = rowsOf(site, 'users')[0];
    if (!row) return <p class="quiet">No job ended in this time.</p>;
    if (!me.reference) return <p class="quiet">The site has no reference values.</p>;
    return (
        <References
            rows={FIGURES.map((figure) => {
                const [key, unit] = IN_SUMMARY[figure];
                const number = row[key];
                const value = typeof number === 'number' ? number * unit : null;
                const reference = me.reference?.[figure];
                // the percentile of the reference is that of its own value, which is this one if the time is the same
                const same = value !== null && typeof reference?.value === 'number' && Math.abs(reference.value - value) <= 1e-4 * Math.abs(value);
                return { figure, value, sets: [{ of: 'users', reference: reference && { ...reference, percentile: same ? reference.percentile : null } }] };
            })}
        />
    );
}
