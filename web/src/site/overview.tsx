// SPDX-License-Identifier: BSD-3-Clause
// The whole machine, for the staff: load over time, what is wasted and by what, and the figures of a summary as charts.
import { useEffect } from 'preact/hooks';

import { Table } from '../parts/table';
import { addressOf } from '../state';
import { count } from '../text/units';
import { Answer } from './answer';
import { type JobPage, type Me, query, type SiteSummary } from './data';
import { CpuClassesChart, FindingsChart, GroupsChart, HostsTable, LanguagesChart, MpiShareChart, ProgramsTable, RanksChart, RoutinesChart, Totals } from './figures';
import { InsightSection } from './insights';
import { COLUMNS } from './job_columns';
import { Jobs } from './job_list';
import { period } from './links';
import { LoadOverTime } from './load';
import { PeriodChoice, wholeDays } from './period';

export const USUAL = '30';

export function SiteOverview({ me }: { me: Me }) {
    useEffect(() => {
        document.title = 'Machine - Fathom';
    }, []);
    const days = wholeDays(me, USUAL);
    return (
        <>
            <h1>
                The machine{' '}
                <small>
                    {days.from} to {days.to}
                </small>
            </h1>
            <form class="controls" aria-label="Time" onSubmit={(event) => event.preventDefault()}>
                <PeriodChoice usual={USUAL} />
            </form>
            <Answer<{ site: SiteSummary }> path={query('summary', { ...days })}>{({ site }) => <Totals summary={site} />}</Answer>
            <LoadOverTime usual="program" possible={['program', 'user', 'ranks', 'routine', 'language', 'finding']} days={days} />
            <div class="columns">
                <section class="card" aria-label="Most wasted">
                    <h2>Most wasted CPU time</h2>
                    <Answer<JobPage> path={query('jobs', { order: 'wasted', limit: 6, ...days })}>
                        {({ jobs }) => <Jobs me={me} jobs={jobs} columns={WASTED} />}
                    </Answer>
                    <p>
                        <a href={addressOf(['jobs'], { ...period(), order: 'wasted' })}>All jobs, most wasted first</a>
                    </p>
                </section>
                <InsightSection />
            </div>
            <Answer<{ site: SiteSummary }> path={query('summary', { ...days })}>
                {({ site }) => (
                    <>
                        <div class="columns">
                            <ProgramsTable summary={site} />
                            <HostsTable summary={site} />
                        </div>
                        <h2>What the machine does</h2>
                        <div class="charts">
                            <RanksChart summary={site} />
                            <MpiShareChart summary={site} />
                            <RoutinesChart summary={site} />
                            <FindingsChart summary={site} />
                            <GroupsChart summary={site} />
                            <CpuClassesChart summary={site} />
                            <LanguagesChart summary={site} />
                        </div>
                    </>
                )}
            </Answer>
            <Refused me={me} />
        </>
    );
}

const WASTED = COLUMNS.filter(({ key }) => ['job', 'program', 'user', 'wasted', 'efficiency', 'finding'].includes(key));

function Refused({ me }: { me: Me }) {
    if (!me.refused?.length) return null;
    return (
        <section data-part="refused">
            <h2>Refused records</h2>
            <Table
                name="refused"
                caption="Of the last 30 days, by reason (doc/SITE.md)"
                rows={me.refused}
                columns={[
                    { title: 'Reason', text: true, value: (row) => row.why },
                    { title: 'Records', bar: true, value: (row) => row.records, show: (row) => count(row.records) },
                ]}
            />
        </section>
    );
}
