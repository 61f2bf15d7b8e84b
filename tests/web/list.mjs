// SPDX-License-Identifier: BSD-3-Clause
// node list.mjs ENTER SOUND LATER: the list of profiles. SOUND is one of them; LATER is where another will be.
import { copyFileSync } from 'node:fs';

import { newPage, openBrowser, Tap } from './browser.mjs';

const [enter, sound, later] = process.argv.slice(2);
const tap = new Tap();
const browser = await openBrowser();
const page = await newPage(browser);
await page.goto(enter);
const row = (name) => page.locator('[data-table=profiles] tbody tr', { hasText: name });
await row('sound.fathom').waitFor();
const shown = await row('sound.fathom').locator('td').first().textContent();
const caption = await page.textContent('[data-table=profiles] caption');
tap.ok(shown === 'sound.fathom' && caption.endsWith(sound.slice(0, sound.lastIndexOf('/') + 1)), 'the directory is said once', shown, caption);
const cut = await row('cut.fathom').textContent();
tap.ok(cut.includes('is truncated'), 'a damaged profile says what is wrong', cut);
tap.equal(await row('cut.fathom').locator('a').count(), 0, 'and is no link');
tap.equal(await page.locator('[data-table=profiles] tbody tr').first().locator('a').count(), 1, 'sound ones are first');

await page.click('[data-table=profiles] th button:has-text("Profile")');
const order = () => page.locator('[data-table=profiles] tbody tr td:first-child').allTextContents();
const names = (await order()).map((path) => path.split('/').pop());
tap.equal(names, ['cut.fathom', 'sound.fathom'], 'sorted by name');
await page.reload();
await row('sound.fathom').waitFor();
tap.equal((await order()).map((path) => path.split('/').pop()), names, 'the order is in the address');
await page.click('[data-table=profiles] th button:has-text("Profile")');
tap.equal((await order()).map((path) => path.split('/').pop()), names.reverse(), 'and the other way round');

copyFileSync(sound, later);
await row('later.fathom').waitFor({ timeout: 60000 });
tap.ok(true, 'a profile that is written meanwhile appears');

await row('sound.fathom').locator('a').click();
await page.waitForSelector('main[data-view=overview] [data-part=headline]');
const headline = await page.textContent('[data-part=headline]');
tap.ok(/ on \d+ ranks: .+, .+ in MPI/.test(headline), 'the overview begins with the first sentence of the report', headline);
await page.click('header a:text-is("All profiles")');
await row('sound.fathom').waitFor();
tap.ok(true, 'from a profile back to the list');
tap.equal(page.problems, [], 'no errors');
await browser.close();
tap.done();
