// SPDX-License-Identifier: BSD-3-Clause
// node site.mjs AT FOLDER: the pages of a site, with the tokens STAFF and USER_TOKEN (of the user OWN).
import { readFileSync } from 'node:fs';

import { accessFaults, checkSavedPictures, newPage, openBrowser, tableRows, Tap } from './browser.mjs';

const { seconds, percent, count } = await import(process.env.FATHOM_WEB_UNITS);
const [at, folder] = process.argv.slice(2);
const { STAFF, USER_TOKEN, OWN, KEY } = process.env;
const hostile = JSON.parse(process.env.HOSTILE);
const report = (name) => JSON.parse(readFileSync(`${folder}/${name}.json`, 'utf8')).site;
const tap = new Tap();
const browser = await openBrowser();

async function ask(path, token = STAFF) {
    const answer = await fetch(`${at}api/site/${path}`, { headers: { Authorization: `Bearer ${token}` } });
    return answer.ok ? answer.json() : { status: answer.status };
}

async function ready(page) {
    await page.waitForSelector('main');
    await page.waitForFunction(() => !document.querySelector('main [role=status], main [aria-busy=true]'), null, { timeout: 20000 });
}

async function go(page, fragment) {
    await page.goto(`${at}#/${fragment}`);
    await ready(page);
    const [kind] = fragment.split(/[/?]/);
    await page.waitForSelector(`main[data-view="${kind}"]`);
}

async function signIn(page, token) {
    await page.goto(at);
    await page.fill('input[name=token]', 'not-a-token-of-this-site');
    await page.click('button:text-is("Sign in")');
    await page.waitForSelector('#login-problem:not(:empty)');
    const problem = await page.textContent('#login-problem');
    await page.fill('input[name=token]', token);
    await page.keyboard.press('Enter');
    await page.waitForSelector('main[data-view=jobs]');
    await ready(page);
    page.problems = page.problems.filter((text) => !text.includes('401'));
    return problem;
}

const ids = (page) => page.locator('[data-table=jobs] tbody tr').evaluateAll((rows) => rows.map((row) => Number(row.dataset.job)));
const column = async (page, heading) => {
    const headings = await page.locator('[data-table=jobs] thead th').allInnerTexts();
    const i = headings.findIndex((text) => text.trim().startsWith(heading));
    return page.locator(`[data-table=jobs] tbody tr td:nth-child(${i + 1})`).allInnerTexts();
};
const inAddress = (page, text) => page.waitForFunction((part) => window.location.hash.includes(part), text);
const faults = [];
async function accessible(page, name) {
    for (const fault of await accessFaults(page)) faults.push(`${name}: ${fault}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    if (wide > 0) faults.push(`${name}: the page scrolls sideways by ${wide} px`);
}

// ---- who it is ----

const page = await newPage(browser);
tap.ok((await signIn(page, STAFF)).includes('not known'), 'a wrong token is refused, the right one opens the list');

// ---- the job list ----

const all = report('all');
await go(page, 'jobs?last=all');
const jobs = await ask('jobs?order=wasted&limit=50');
tap.equal((await page.textContent('[data-part=count]')).trim(), `${count(all.totals.jobs)} jobs`, 'list: as many jobs as in the report');
tap.equal((await ids(page)).slice(0, 50), jobs.jobs.map(({ id }) => id), 'list: most wasted first');
tap.equal((await column(page, 'Wasted')).slice(0, 9), jobs.jobs.slice(0, 9).map((job) => seconds(job.wasted_s)), 'list: wasted CPU time');
tap.equal((await column(page, 'In MPI')).slice(0, 9), jobs.jobs.slice(0, 9).map((job) => percent(job.mpi_fraction)), 'list: share of MPI');
tap.equal((await column(page, 'Program')).slice(0, 9), jobs.jobs.slice(0, 9).map((job) => job.program), 'list: programs');
const footprint = await page.locator('[data-table=jobs] svg.footprint').first().getAttribute('aria-label');
tap.ok(footprint.includes(`parallel efficiency ${percent(jobs.jobs[0].parallel)}`) && footprint.includes('(bad)'), 'list: the footprint says its numbers, and what is bad', footprint);
await accessible(page, 'list');

await page.click('[data-table=jobs] th button:has-text("CPU time")');
await inAddress(page, 'order=cpu');
await ready(page);
tap.equal((await ids(page)).slice(0, 50), (await ask('jobs?order=cpu&limit=50')).jobs.map(({ id }) => id), 'order: by CPU time');
await page.locator('[data-table=jobs] th button:has-text("CPU time")').press('Enter');
await inAddress(page, 'up=1');
await ready(page);
tap.equal((await ids(page)).slice(0, 50), (await ask('jobs?order=cpu&up=1&limit=50')).jobs.map(({ id }) => id), 'order: the other way round, by the keyboard');
tap.equal(await page.locator('[data-table=jobs] th[aria-sort]').getAttribute('aria-sort'), 'ascending', 'order: said to screen readers');

const program = jobs.jobs[0].program;
await go(page, 'jobs?last=all');
await page.fill('[data-filter=program]', program);
await page.press('[data-filter=program]', 'Enter');
await inAddress(page, `program=${program}`);
await page.fill('[data-filter=ranks_from]', '32');
await page.fill('[data-filter=ranks_to]', '64');
await page.fill('[data-filter=mpi]', '15');
await page.selectOption('[data-filter=state]', 'complete');
await inAddress(page, 'state=complete');
await ready(page);
const filtered = await ask(`jobs?program=${program}&ranks_from=32&ranks_to=64&mpi_from=0.15&state=complete&order=wasted&limit=50&count=1`);
tap.ok(filtered.count > 0 && filtered.count < all.totals.jobs, 'filter: selects some', filtered.count);
await page.waitForFunction((n) => document.querySelector('[data-part=count]').textContent.startsWith(n), count(filtered.count));
tap.equal((await ids(page)).slice(0, 50), filtered.jobs.map(({ id }) => id), 'filter: program, ranks, MPI and end');
await page.reload();
await ready(page);
tap.equal((await ids(page)).slice(0, 50), filtered.jobs.map(({ id }) => id), 'filter: in the address');
await page.click('button:text-is("Clear filter")');
await page.waitForFunction(() => !window.location.hash.includes('program='));

await go(page, 'jobs?last=all&order=ended');
for (let i = 0; i < 12 && (await page.locator('[data-part=end] button').count()) > 0; i++) {
    const before = await page.locator('[data-table=jobs] tbody tr').count();
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    await page.waitForFunction((n) => document.querySelectorAll('[data-table=jobs] tbody tr').length > n, before);
}
const first = await ids(page);
tap.equal([first.length, new Set(first).size], [500, 500], 'pages: scrolling appends them, up to 500 rows');
await page.click('[data-part=end] a');
await page.waitForFunction((id) => Number(document.querySelector('[data-table=jobs] tbody tr')?.dataset.job) !== id, first[0]);
await ready(page);
const second = await ids(page);
tap.ok(page.url().includes('after=') && second.length >= 50 && !second.some((id) => first.includes(id)), 'pages: the next ones have an address, and other jobs');

await page.click('[data-part=columns] summary');
await page.uncheck('[data-column=finding]');
await page.check('[data-column=account]');
await page.keyboard.press('Escape');
tap.equal(await page.locator('[data-part=columns]').getAttribute('open'), null, 'columns: Escape closes the menu');
await page.goto('about:blank');
await go(page, 'jobs?last=all');
const headings = await page.locator('[data-table=jobs] thead th').allInnerTexts();
tap.ok(headings.includes('Account') && !headings.includes('First finding'), 'columns: this browser remembers them', headings);
await page.evaluate(() => localStorage.clear());

// ---- the machine ----

await go(page, 'site?last=all');
const totals = await page.locator('[data-part=totals] li').allInnerTexts();
tap.equal(totals[0].split('\n')[0], count(all.totals.jobs), 'machine: jobs');
tap.ok(totals[1].startsWith(seconds(all.totals.cpu_s)), 'machine: CPU time', totals[1]);
tap.ok(totals[3].startsWith(percent(all.totals.mpi_s / all.totals.cpu_s)), 'machine: MPI', totals[3]);
await checkSavedPictures(tap, page, 'load', 'machine, the load');
await page.click('[data-chart=load] button:text-is("Show as table")');
const load = await tableRows(page, 'load');
const sum = load.flatMap((row) => Object.entries(row).filter(([key]) => key !== 'Day' && key !== 'Month').map(([, value]) => Number(value))).reduce((a, b) => a + b, 0);
tap.ok(Math.abs(sum / all.totals.cpu_s - 1) < 1e-6, 'machine: the load adds up to the CPU time', sum, all.totals.cpu_s);
await page.click('[data-chart=routines] button:text-is("Show as table")');
const routines = await tableRows(page, 'routines');
tap.equal(routines.map((row) => [row.Routine, Number(row.Time)]), all.routines.map((row) => [row.name, row.time_s]), 'machine: routines of the report');
for (const [chart, key, name] of [['groups', 'groups', 'group'], ['languages', 'languages', 'language'], ['ranks', 'ranks', 'ranks'], ['cpu_classes', 'cpu_classes', 'cpu_class']])
    tap.equal((await page.locator(`[data-chart=${chart}] svg.bars > g`).count()) || 0, Math.min(all[key].length, chart === 'ranks' ? 30 : 14), `machine: ${chart} of the report`, all[key].map((row) => row[name]));
tap.equal((await tableRows(page, 'programs')).map((row) => row.Program), all.programs.map((row) => row.program.replace(/^=/, "'=")), 'machine: programs of the report, in CSV none is a formula');
const slowHosts = all.hosts.filter(({ slower }) => slower >= 0.05);
tap.ok(slowHosts.length > 0 && slowHosts.length < all.hosts.length, 'machine: some hosts are slow', all.hosts.length);
tap.equal((await tableRows(page, 'hosts')).map((row) => row.Host), slowHosts.map(({ host }) => host.replace(/^=/, "'=")), 'machine: hosts that are hardly slower are not called slow');
await page.click('[data-chart=load] button:text-is("Show as chart")');
await page.selectOption('[data-choice=by]', 'user');
await inAddress(page, 'by=user');
await ready(page);
tap.ok((await page.textContent('[data-part=load-legend]')).includes(all.users[0].user), 'machine: load by user');
await accessible(page, 'machine');

// ---- user, program, job ----

const own = report('own');
await go(page, `user/${OWN}?last=all`);
tap.equal((await page.locator('[data-part=totals] li').first().innerText()).split('\n')[0], count(own.totals.jobs), 'user: own jobs');
tap.ok((await page.locator('[data-part=references] svg.range').count()) === 5, 'user: reference values, with five ranges');
await accessible(page, 'user');

const answer = await ask(`program?program=${program}`);
await go(page, `program/${program}`);
tap.ok((await page.locator('main h1').innerText()).startsWith(program), 'program: its page');
await page.click('[data-chart=runs] button:text-is("Show as table")');
const runs = await tableRows(page, 'runs');
const ranks = Number(runs[0].Ranks);
tap.equal(runs.map((row) => Number(row['Wall time'])), answer.runs.filter((run) => run.ranks === ranks).reverse().map((run) => run.wall_s), 'program: its runs');
tap.equal((await tableRows(page, 'scaling')).map((row) => Number(row.Ranks)), answer.scaling.map((size) => size.ranks), 'program: its numbers of ranks');
await accessible(page, 'program');
await page.locator('[data-table=runs] tbody a').first().click();
await page.waitForSelector('main[data-view=job] [data-part=efficiency]');
tap.ok(true, 'program: a run leads to its job');

const { job, record } = await ask(`job/${jobs.jobs[0].id}`);
await go(page, `job/${job.id}`);
tap.ok((await page.textContent('main h1')).includes(`${program} on ${job.ranks} ranks`), 'job: what it is');
const shown = (await tableRows(page, 'routines')).map((row) => [row.Routine, Number(row.Time)]);
tap.equal(shown, record.mpi.routines.map((row) => [row.name, row.time_s]).sort((a, b) => b[1] - a[1]), 'job: routines of the record');
tap.ok((await page.textContent('[data-part=split]')).includes(seconds(record.split.program_s)), 'job: where the time goes');
await accessible(page, 'job');

await page.fill('[data-part=tags] input', 'to call');
await page.click('[data-part=tags] button:text-is("Add")');
await page.waitForSelector('[data-part=tags] .tag');
tap.equal((await ask(`job/${job.id}`)).job.tags.includes('to call'), true, 'tags: given by hand');
await page.click('[data-part=tags] .tag a');
await page.waitForSelector('main[data-view=jobs]');
await page.waitForFunction(() => document.querySelectorAll('[data-table=jobs] tbody tr').length === 1);
tap.equal(await ids(page), [job.id], 'tags: a filter of the list');
await go(page, `job/${job.id}`);
await page.click('[data-part=tags] .tag button');
await page.waitForFunction(() => !document.querySelector('[data-part=tags] .tag'));
tap.equal((await ask(`job/${job.id}`)).job.tags, [], 'tags: taken away');

const real = (await ask(`jobs?limit=200&program=${process.env.PROGRAM}`)).jobs.find(({ key }) => key === KEY);
await go(page, `job/${real.id}`);
tap.ok((await page.textContent('[data-table=routines]')).includes('MPI_Barrier'), 'job: one that was really measured');
if (tap.ok(real.profile, 'job: its profile is kept', real)) {
    await page.click('[data-part=profile] a');
    await page.waitForSelector('main[data-view=overview] [data-part=headline]', { timeout: 30000 });
    await page.click('nav.views a:text-is("Balance")');
    await page.waitForSelector('main[data-view=balance] [data-chart]');
    await page.click('header a:text-is("The job in the list")');
    await page.waitForSelector('main[data-view=job]');
    tap.ok(true, 'job: to the views of its profile, and back');
}

// ---- insights ----

await go(page, 'insights');
const { insights } = await ask('insights');
tap.ok(insights.length > 0, 'insights: there are some');
tap.equal(await page.locator('[data-part=insights] .what > bdi').allInnerTexts(), insights.map(({ sentence }) => sentence), 'insights: all of them');
await page.click('a:text-is("Slow hosts")');
await inAddress(page, 'kind=slow-host');
tap.equal(await page.locator('[data-part=insights] li').count(), insights.filter(({ kind }) => kind === 'slow-host').length, 'insights: of a kind');
await accessible(page, 'insights');

const slower = insights.find(({ kind }) => kind === 'slower');
await go(page, `program/${slower.program}?of=days`);
await page.click('[data-chart=days] button:text-is("Show as table")');
tap.equal((await tableRows(page, 'days')).map((row) => [row.Day, Number(row.Time)]), slower.details.days.map(({ day, factor }) => [day, factor]).reverse(), 'program: its days, relative to before');
await accessible(page, 'days');
const [latest] = (await ask(`jobs?${new URLSearchParams({ user: slower.user, program: slower.program })}&limit=1`)).jobs;
await go(page, `job/${latest.id}`);
tap.ok((await page.textContent('main h1 + p')).includes(`against earlier runs, since ${slower.day}`), 'job: it belongs to those that take longer, by the analysis');

// ---- hostile names ----

for (const [i, kind] of Object.keys(hostile).entries()) {
    const bad = (await ask('jobs?user=23000&limit=50')).jobs.find(({ key }) => Number(`0x${key}`) === i + 1);
    if (!tap.ok(bad, `hostile, ${kind}: is in the list`)) continue;
    for (const fragment of [`jobs?last=all&user=23000&columns=job,program,finding,account,state`, `job/${bad.id}`, `program/${encodeURIComponent(bad.program)}`, 'user/23000?last=all', ...(i === 0 ? ['site?last=all'] : [])]) {
        await go(page, fragment);
        const state = await page.evaluate(() => ({
            owned: window.owned,
            elements: document.querySelectorAll('main img, main script').length,
            wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
            text: document.querySelector('main').textContent,
        }));
        const good = state.owned === undefined && state.elements === 0 && state.wide <= 0 && (fragment.startsWith('site') || state.text.includes(bad.program));
        tap.ok(good, `hostile, ${kind}: stays text in ${fragment.split(/[/?]/)[0]}`, { ...state, text: state.text.slice(0, 300) });
    }
}
tap.equal(page.problems, [], 'no errors');

// ---- small and dark ----

await page.setViewportSize({ width: 360, height: 740 });
await page.emulateMedia({ colorScheme: 'dark' });
for (const fragment of ['jobs?last=all', 'site', `user/${OWN}?last=all`, `program/${program}`, `job/${job.id}`, 'insights']) {
    await go(page, fragment);
    await accessible(page, `${fragment}, 360 px, dark`);
}
tap.equal(faults, [], 'no serious faults of accessibility');
await page.context().close();

// ---- a user ----

const mine = await newPage(browser);
await signIn(mine, USER_TOKEN);
const ownJobs = await ask('jobs?order=ended&limit=50&count=1', USER_TOKEN);
tap.equal((await mine.textContent('[data-part=count]')).trim(), `${count(own.totals.jobs)} jobs`, 'a user: own jobs only');
tap.equal((await ids(mine)).slice(0, 50), ownJobs.jobs.map(({ id }) => id), 'a user: newest first');
tap.equal((await mine.locator('nav.views a').allInnerTexts()).filter((text) => !text.startsWith('Skip')), ['My jobs', 'Summary', 'Insights'], 'a user: no page of the machine');
const others = jobs.jobs.find(({ user }) => user !== OWN);
await go(mine, `job/${others.id}`);
tap.ok((await mine.textContent('main')).includes('There is no such job'), 'a user: jobs of others do not exist');
await go(mine, `user/${others.user}`);
tap.ok((await mine.textContent('main')).includes('your own jobs only'), 'a user: nor other users');
await go(mine, 'site');
tap.ok((await mine.textContent('main')).includes('There is no page'), 'a user: nor the machine');
await go(mine, `jobs?user=${others.user}`);
tap.equal((await ids(mine)).slice(0, 50), ownJobs.jobs.map(({ id }) => id), 'a user: a name in the address changes nothing');
mine.problems = mine.problems.filter((text) => !text.includes('404'));
await mine.click('button:text-is("Sign out")');
await mine.waitForSelector('main[data-view=login]');
tap.equal((await mine.context().cookies()).length, 0, 'signed out: the cookie is gone');
await mine.goto(`${at}#/job/${ownJobs.jobs[0].id}`);
await mine.reload();
await mine.waitForSelector('main[data-view=login]');
tap.ok(!(await mine.textContent('body')).includes(ownJobs.jobs[0].program), 'signed out: nothing is shown any more');
mine.problems = mine.problems.filter((text) => !text.includes('401'));
tap.equal(mine.problems, [], 'a user: no errors');

await browser.close();
tap.done();
