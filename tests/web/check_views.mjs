// SPDX-License-Identifier: BSD-3-Clause
// Opens every view of profiles in a browser and compares what it shows with the JSON document:
//
//     node check_views.mjs PLAN.json        [{"name", "address", "json", "enter"}]
//
// address: of a file, without the fragment, or of a profile on a server; enter: what to open before, for its cookie.
//
// A file of views/ exports `view`, its name, and `check`, and is called once for each profile.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';

import { accessFaults, newPage, openBrowser, openView, Tap } from './browser.mjs';

const here = new URL('.', import.meta.url);
const units = await import(process.env.FATHOM_WEB_UNITS);
const plan = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const pictures = process.env.FATHOM_WEB_PICTURES;
const tap = new Tap();
const checks = await Promise.all(
    readdirSync(new URL('views/', here))
        .filter((file) => file.endsWith('.mjs'))
        .sort()
        .map((file) => import(new URL(`views/${file}`, here))),
);

const browser = await openBrowser();
for (const { name, address, json: path, enter } of plan) {
    const json = JSON.parse(readFileSync(path, 'utf8'));
    const page = await newPage(browser);
    if (enter) await page.goto(enter);
    for (const { view, check } of checks) {
        page.problems.length = 0;
        try {
            await openView(page, address, view);
            await check({ tap, page, json, units, name: `${name}, ${view}`, address, browser });
            await openView(page, address, view);
            if (pictures) {
                mkdirSync(pictures, { recursive: true });
                await page.screenshot({ path: `${pictures}/${name.replace(/\W+/g, '_')}-${view}.png` });
            }
            const faults = await accessFaults(page);
            tap.ok(faults.length === 0, `${name}, ${view}: accessible`, faults);
        } catch (error) {
            tap.ok(false, `${name}, ${view}: can be driven`, error.stack ?? error.message);
        }
        const refused = page.problems.filter((problem) => !/axe/.test(problem));
        tap.ok(refused.length === 0, `${name}, ${view}: no errors`, refused);
    }
    await page.context().close();
}
await browser.close();
tap.done();
