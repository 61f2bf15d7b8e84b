// SPDX-License-Identifier: BSD-3-Clause
// Samples a job that is not measured: node sampling.mjs ADDRESS PID STOP; PID is that of its launcher, and the job ends when
// the file STOP is there. With FATHOM_PICTURES, pictures are left in that directory.
import { writeFileSync } from 'node:fs';

import { accessFaults, newPage, openBrowser, Tap } from './browser.mjs';

const LONG = 120000;
const [, , address, pid, stop] = process.argv;
const tap = new Tap();
const browser = await openBrowser();
const page = await newPage(browser);
const picture = async (name) => {
    if (process.env.FATHOM_PICTURES) await page.screenshot({ path: `${process.env.FATHOM_PICTURES}/${name}.png` });
};
try {
    await page.goto(address);
    const row = `[data-part=not-measured] li[data-pid="${pid}"]`;
    await page.waitForSelector(row, { timeout: LONG });
    tap.ok((await page.textContent(row)).includes('on 2 ranks'), 'the job is in the list, as not measured');
    tap.equal(await accessFaults(page), [], 'the list is accessible');
    await picture('list');
    await page.click(`${row} button`);
    await page.waitForSelector('main[data-view=live] [data-part=shares] .share', { timeout: LONG });
    tap.ok((await page.textContent('[data-part=sampling]')).includes('Sampled from outside for'), 'it is sampled');
    await page.waitForSelector('[data-part=states] li', { timeout: LONG });
    await page.waitForSelector('[data-part=shares] .interval', { timeout: LONG });
    tap.ok(true, 'with the state of each rank, and intervals');
    tap.equal(await accessFaults(page), [], 'the page is accessible');
    await picture('sampled');
    await page.click('nav.views a:text-is("Call paths")');
    await page.waitForFunction(() => document.querySelector('main[data-view=paths]')?.textContent.includes('work'), null, { timeout: LONG });
    tap.ok(true, 'its call paths are known');
    await page.click('nav.views a:text-is("Live")');
    await page.click('[data-part=sampling] button:text-is("Stop sampling")');
    await page.waitForSelector('[data-part=sampling] button:text-is("Sample again")', { timeout: LONG });
    tap.ok(await page.isVisible('[data-part=shares] .share'), 'it can be stopped; the figures stay');
    await page.click('[data-part=sampling] button:text-is("Sample again")');
    await page.waitForSelector('[data-part=sampling] button:text-is("Stop sampling")', { timeout: LONG });
    writeFileSync(stop, '');
    await page.waitForSelector('.ended', { timeout: LONG });
    tap.ok((await page.textContent('.ended')).includes('what was sampled'), 'when the job ends, what was sampled stays');
    await picture('ended');
} catch (error) {
    tap.ok(false, 'the job can be sampled', error.stack ?? error.message, await page.textContent('body').catch(() => ''));
    await picture('failed');
}
tap.equal(page.problems, [], 'no errors');
await browser.close();
tap.done();
