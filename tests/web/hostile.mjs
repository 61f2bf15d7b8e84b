// SPDX-License-Identifier: BSD-3-Clause
// node hostile.mjs FILE ENTER SERVED OTHERS: names of HOSTILE_NAME's kind stay text in every view, and on the other pages,
// {name: address}.
import { newPage, openBrowser, openView, Tap } from './browser.mjs';

const [file, enter, served, others] = process.argv.slice(2);
const hostile = process.env.HOSTILE_NAME;
const tap = new Tap();
const browser = await openBrowser();

async function stayText(page, name) {
    const state = await page.evaluate(() => ({
        owned: window.owned,
        elements: document.querySelectorAll('body img, main script, body b[onclick]').length,
        wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    }));
    tap.ok(state.owned === undefined && state.elements === 0, `${name}: names stay text`, state);
    tap.ok(state.wide <= 0, `${name}: long names do not push the page apart`, state);
}

for (const [kind, address] of [['file', file], ['served', served]]) {
    const page = await newPage(browser);
    if (kind === 'served') await page.goto(enter);
    await openView(page, address, 'overview');
    const views = await page.locator('nav.views a').evaluateAll((links) => links.map((link) => link.href.split('/').pop().split('?')[0]));
    tap.ok(views.length > 8, `${kind}: views`, views);
    for (const view of views) {
        await openView(page, address, view);
        await page.waitForTimeout(100);
        await stayText(page, `${kind}, ${view}`);
    }
    await openView(page, address, 'job');
    tap.ok((await page.textContent('header')).includes(hostile), `${kind}: the user is shown as it is`);
    const job = await page.textContent('main');
    tap.ok(job.includes(hostile), `${kind}: an argument is shown as it is`, job.slice(0, 500));
    await openView(page, address, 'paths', `find=${encodeURIComponent('<script>')}`);
    const paths = await page.textContent('main');
    tap.ok(paths.includes('<script>window.owned=1</script>'), `${kind}: a function is shown as it is`, paths.slice(0, 800));
    tap.equal(page.problems, [], `${kind}: no errors`);
    await page.context().close();
}
const page = await newPage(browser);
await page.goto(enter);
for (const [name, address] of Object.entries(JSON.parse(others))) {
    await page.goto('about:blank');
    await page.goto(address);
    await page.waitForSelector('main');
    await page.waitForFunction(() => !document.querySelector('main [role=status]') && document.querySelector('main').textContent.length > 100);
    await stayText(page, name);
}
tap.equal(page.problems, [], 'no errors on the other pages');
await browser.close();
tap.done();
