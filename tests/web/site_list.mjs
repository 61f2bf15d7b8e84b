// SPDX-License-Identifier: BSD-3-Clause
// node site_list.mjs AT: the job list of a site as a browser shows it, and a job that is opened from it, as JSON.
import { newPage, openBrowser } from './browser.mjs';

const [at] = process.argv.slice(2);
const browser = await openBrowser();
const page = await newPage(browser);

async function ready(view) {
    await page.waitForSelector(`main[data-view="${view}"]`, { timeout: 20000 });
    await page.waitForFunction(() => !document.querySelector('main [role=status], main [aria-busy=true]'), null, { timeout: 20000 });
}

await page.goto(`${at}#/jobs?last=all&order=ended`);
await ready('jobs');
await page.waitForSelector('[data-table=jobs] tbody tr[data-job]', { timeout: 20000 });
const headings = (await page.locator('[data-table=jobs] thead th').allInnerTexts()).map((text) => text.replace(/\W*$/, '').trim());
const rows = await page.locator('[data-table=jobs] tbody tr').evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.innerText.trim())));
await page.locator('[data-table=jobs] tbody tr a').first().click();
await ready('job');
console.log(JSON.stringify({
    jobs: rows.map((cells) => Object.fromEntries(cells.map((cell, i) => [headings[i], cell]))),
    opened: await page.locator('main').innerText(),
    problems: page.problems,
}));
await browser.close();
