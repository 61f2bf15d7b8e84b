// SPDX-License-Identifier: BSD-3-Clause
// node history.mjs DOCUMENT FILE ENTER SERVED CHANGED
import { readFileSync } from 'node:fs';

import { accessFaults, checkSavedPictures, newPage, openBrowser, tableRows, Tap } from './browser.mjs';

const [path, file, enter, served, changed] = process.argv.slice(2);
const tap = new Tap();
const [status, said] = JSON.parse(readFileSync(path.replace(/json$/, 'status'), 'utf8'));
tap.ok(status === 1 && said.includes('broken.fathom') && said.trim().split('\n').length === 1, 'a file that is no profile is named, and the others are shown', status, said);
const [history] = JSON.parse(readFileSync(path, 'utf8')).histories;
const series = (name) => history.series.find((one) => one.name === name);
tap.equal(series('<b>phase</b>').changes.map((change) => [change.run, change.worse]), [[Number(changed), true]], 'the region that became slower is found, since its run');
tap.equal(series('constant').changes, [], 'and the one that did not is not');
const [change] = series('<b>phase</b>').changes;
tap.ok(change.text.includes(` since commit cccccccccc, ${history.runs[change.run].started.slice(0, 10)} `), 'with the commit and the day', change.text);
tap.equal(history.runs.map((run) => run.commit?.slice(-1) ?? null), ['a', 'a', 'b', 'a', 'a', 'c', 'c', null, 'c'], 'each run has its commit');

const browser = await openBrowser();
for (const [kind, address] of [['file', file], ['served', served]]) {
    const page = await newPage(browser);
    if (kind === 'served') await page.goto(enter);
    await page.goto(address);
    await page.waitForSelector('[data-part=changes]', { timeout: 30000 });
    const changes = await page.locator('.changes li').allTextContents();
    const texts = history.series.flatMap((one) => one.changes.map((change) => change.text));
    tap.equal(changes.map((text) => text.replace(/^.*?: /, '')).sort(), texts.sort(), `${kind}: the changes`);
    const runs = await tableRows(page, 'runs');
    tap.equal(runs.map((run) => run.Profile), history.runs.map((run) => run.file).reverse(), `${kind}: the runs, newest first`);
    tap.equal(runs.map((run) => run.Commit), history.runs.map((run) => run.commit ?? '').reverse(), `${kind}: and their commits`);
    await page.click('[data-chart=history-regions] button:text-is("Show as table")');
    const rows = await tableRows(page, 'history-regions');
    tap.equal(rows.map((row) => Number(row['<b>phase</b>'])), series('<b>phase</b>').values, `${kind}: times of a region`);
    await page.click('[data-chart=history-regions] button:text-is("Show as chart")');
    const written = await checkSavedPictures(tap, page, 'history-regions', kind);
    tap.ok(written.some((text) => text.includes('<b>phase</b>')), `${kind}: with its legend`, written);
    await page.click('[data-chart=history-regions] button:text-is("Show as table")');
    await page.selectOption('[data-choice=order]', 'commit');
    const ordered = [0, 1, 3, 4, 2, 5, 6, 8, 7];
    const sorted = await tableRows(page, 'history-regions');
    tap.equal(sorted.map((row) => row.Profile), ordered.map((i) => history.runs[i].file), `${kind}: in the order of commits`);
    tap.equal(sorted.map((row) => Number(row['<b>phase</b>'])), ordered.map((i) => series('<b>phase</b>').values[i]), `${kind}: with their times`);
    tap.ok(page.url().includes('order=commit'), `${kind}: the order is in the address`, page.url());
    tap.equal(await accessFaults(page), [], `${kind}: accessible`);
    tap.equal(page.problems, [], `${kind}: no errors`);
    if (kind === 'served') {
        await page.click('[data-table=runs] tbody a');
        await page.waitForSelector('main[data-view=overview]', { timeout: 30000 });
        tap.ok(true, 'served: a run leads to its report');
    }
    await page.context().close();
}
await browser.close();
tap.done();
