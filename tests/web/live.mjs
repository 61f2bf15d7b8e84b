// SPDX-License-Identifier: BSD-3-Clause
// Follows a job that is running: node live.mjs ADDRESS STOP; the job ends when the file STOP is there. The job is in the list, its shares and views are shown and change,
// and at its end the page becomes its report.
import { writeFileSync } from 'node:fs';

import { accessFaults, newPage, openBrowser, Tap } from './browser.mjs';

const LONG = 120000;
const tap = new Tap();
const browser = await openBrowser();
const page = await newPage(browser);
const picture = async (name) => {
    if (process.env.FATHOM_PICTURES) await page.screenshot({ path: `${process.env.FATHOM_PICTURES}/${name}.png` });
};
try {
    await page.goto(process.argv[2]);
    await page.click('[data-part=jobs] a', { timeout: LONG });
    tap.ok(true, 'the job is in the list of those that run');
    await picture('live-1');
    await page.waitForSelector('main[data-view=live] [data-part=shares] .share', { timeout: LONG });
    tap.ok(true, 'shares of modules are shown');
    const text = () => page.textContent('main[data-view=live] h2');
    const first = await text();
    await page.waitForFunction((before) => document.querySelector('main[data-view=live] h2')?.textContent !== before, first, { timeout: LONG });
    tap.ok(true, 'and they are followed');
    await page.waitForSelector('[data-part=states] li', { timeout: LONG });
    tap.ok((await page.textContent('[data-part=states]')).includes('rank'), 'and the state of each rank');
    tap.equal(await accessFaults(page), [], 'the page is accessible');
    await picture('live-2');
    await page.setViewportSize({ width: 360, height: 740 });
    const narrow = await page.locator('[data-part=shares] .track').first().boundingBox();
    tap.ok(narrow.width > 200, 'on a narrow page the shares are still bars', narrow);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.click('nav.views a:text-is("Balance")');
    await page.waitForSelector('main[data-view=balance] h2', { timeout: LONG });
    tap.ok((await page.textContent('header')).includes('running'), 'the other views show the running job');
    writeFileSync(process.argv[3], '');
    await page.waitForFunction(() => window.location.hash.startsWith('#/profile/'), null, { timeout: LONG });
    await page.waitForSelector('main[data-view=overview] [data-part=split]', { timeout: LONG });
    await picture('live-3');
    tap.ok(!(await page.textContent('header')).includes('running'), 'when it has ended the page is its report');
} catch (error) {
    tap.ok(false, 'the job can be followed', error.stack ?? error.message, await page.textContent('body').catch(() => ''));
}
tap.equal(page.problems, [], 'no errors');
await browser.close();
tap.done();
