// SPDX-License-Identifier: BSD-3-Clause
// node hostile.mjs FILE ENTER SERVED: names of HOSTILE_NAME's kind stay text in every view.
import { newPage, openBrowser, openView, Tap } from './browser.mjs';

const [file, enter, served] = process.argv.slice(2);
const hostile = process.env.HOSTILE_NAME;
const tap = new Tap();
const browser = await openBrowser();
for (const [kind, address] of [['file', file], ['served', served]]) {
    const page = await newPage(browser);
    if (kind === 'served') await page.goto(enter);
    await openView(page, address, 'overview');
    const views = await page.locator('nav.views a').evaluateAll((links) => links.map((link) => link.href.split('/').pop().split('?')[0]));
    tap.ok(views.length > 8, `${kind}: views`, views);
    for (const view of views) {
        await openView(page, address, view);
        await page.waitForTimeout(100);
        const state = await page.evaluate(() => ({
            owned: window.owned,
            elements: document.querySelectorAll('main img, main script, main b[onclick]').length,
            wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        }));
        tap.ok(state.owned === undefined && state.elements === 0, `${kind}, ${view}: names stay text`, state);
        tap.ok(state.wide <= 0, `${kind}, ${view}: long names do not push the page apart`, state);
    }
    await openView(page, address, 'job');
    const job = await page.textContent('main');
    tap.ok(job.includes(hostile), `${kind}: an argument is shown as it is`, job.slice(0, 500));
    await openView(page, address, 'paths', `find=${encodeURIComponent('<script>')}`);
    const paths = await page.textContent('main');
    tap.ok(paths.includes('<script>window.owned=1</script>'), `${kind}: a function is shown as it is`, paths.slice(0, 800));
    tap.equal(page.problems, [], `${kind}: no errors`);
    await page.context().close();
}
await browser.close();
tap.done();
