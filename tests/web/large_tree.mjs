// SPDX-License-Identifier: BSD-3-Clause
// A large tree of call paths: node large_tree.mjs PLAN.json        [{"name", "address", "enter", "json", "served"}]
import { readFileSync } from 'node:fs';

import { newPage, openBrowser, openView, tableRows, Tap } from './browser.mjs';

const tap = new Tap();
const units = await import(process.env.FATHOM_WEB_UNITS);

function flatten(root) {
    const nodes = [];
    const stack = [[root, 0]];
    while (stack.length) {
        const [node, level] = stack.pop();
        nodes.push({ node, level });
        for (let i = node.children.length - 1; i >= 0; i--) stack.push([node.children[i], level + 1]);
    }
    return nodes;
}

const selectedRow = (page) => page.locator('.tree-scroll .row.selected:not(.loading)');

async function checkRow(page, nodes, index, name) {
    const { node, level } = nodes[index];
    await selectedRow(page).waitFor({ timeout: 10000 });
    const row = selectedRow(page);
    const text = await row.textContent();
    tap.equal([Number(await row.getAttribute('aria-rowindex')), Number(await row.getAttribute('aria-level'))], [index + 2, level + 1], `${name}: place and level`);
    tap.ok(text.includes(units.seconds(node.inclusive_s)), `${name}: its time`, text, node.name);
}

async function check({ name, address, json, enter, served }, browser) {
    const { calls } = JSON.parse(readFileSync(json, 'utf8'));
    const nodes = flatten(calls.root);
    const page = await newPage(browser);
    const asked = [];
    page.on('request', (request) => request.url().includes('/tree/') && asked.push(request.url().split('/tree/')[1]));
    if (enter) await page.goto(enter);
    await openView(page, address, 'paths');
    tap.ok(nodes.length > 15000, `${name}: the tree is larger than a slice`, nodes.length);

    // ---- expanded ----
    await page.focus('.tree-scroll');
    await page.keyboard.press('Home');
    await page.click('button:text-is("Expand all below")');
    await page.waitForFunction((n) => document.querySelector('[role=treegrid]').getAttribute('aria-rowcount') === String(n + 1), nodes.length, { timeout: 10000 });
    await page.focus('.tree-scroll');
    asked.length = 0;
    await page.keyboard.press('End');
    await checkRow(page, nodes, nodes.length - 1, `${name}, the last row`);
    await page.evaluate(() => (document.querySelector('.tree-scroll').scrollTop = 24 * 9000));
    await page.waitForFunction(() => document.querySelector('.tree-scroll .row[aria-rowindex="9010"]:not(.loading)'), null, { timeout: 10000 });
    await page.locator('.tree-scroll .row[aria-rowindex="9010"]').dispatchEvent('mousedown', { button: 0 });
    await checkRow(page, nodes, 9008, `${name}, a row in the middle`);
    const rows = asked.filter((slice) => slice.includes('/rows/')).length;
    tap.ok(served ? rows > 0 && rows <= 6 : asked.length === 0, `${name}: a few requests for what was in sight`, asked);

    // ---- the address ----
    await page.waitForFunction(() => /[?&]at=9008(&|$)/.test(window.location.hash));
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.waitForFunction((n) => document.querySelector('[role=treegrid]')?.getAttribute('aria-rowcount') === String(n + 1), nodes.length, { timeout: 20000 }).catch(() => {});
    await checkRow(other, nodes, 9008, `${name}, a link to it`);
    await other.close();

    // ---- sorted ----
    await page.click('.tree-scroll [role=columnheader] button:has-text("Call path")');
    await page.waitForFunction(() => !document.querySelector('.paths .tools [role=status]'), null, { timeout: 20000 });
    await page.waitForFunction((n) => document.querySelector('[role=treegrid]').getAttribute('aria-rowcount') === String(n + 1), nodes.length, { timeout: 20000 });
    const sorted = await tableRows(page, 'tree-calls');
    const sum = (list) => list.reduce((total, value) => total + value, 0);
    tap.equal(sorted.length, nodes.length, `${name}: all rows in another order`);
    tap.ok(Math.abs(sum(sorted.map((row) => Number(row.Time))) / sum(nodes.map(({ node }) => node.inclusive_s)) - 1) < 1e-6, `${name}: with their times`);

    // ---- search ----
    for (const [wanted, limited] of [['STEP_77', false], ['physics_3.s', null], ['ocean', true], ['nothing', null]]) {
        await page.goto('about:blank');
        if (enter) await page.goto(enter);
        await openView(page, address, 'paths', `q=${wanted}&open=0&at=0`);
        const has = (text) => (text ?? '').toLowerCase().includes(wanted.toLowerCase());
        const hits = nodes.filter(({ node }, i) => i && (has(node.name) || has(node.file))).length;
        const all = `${units.count(hits)} hits`;
        await page.waitForFunction(() => !/Searching/.test(document.querySelector('[data-part=hits]').textContent), null, { timeout: 20000 });
        const text = await page.textContent('[data-part=hits]');
        tap.ok(hits ? text.endsWith(all) : text === 'Not found.', `${name}: '${wanted}' is counted in all of the tree`, text, all);
        if (!hits) continue;
        if (limited !== null) tap.equal(/heaviest of/.test(text), served && limited, `${name}: '${wanted}', limited or not`);
        await page.click('[aria-label="Next hit"]');
        await page.locator('.tree-scroll .row.selected.hit').waitFor({ timeout: 10000 });
        tap.ok(/^[\d,]+ of /.test(await page.textContent('[data-part=hits]')), `${name}: '${wanted}', the next hit is in sight`);
    }

    // ---- times as of a job on 100,000 ranks ----
    if (served) {
        let larger = false;
        await page.route('**/tree/calls', async (route) => {
            const slice = await (await route.fetch()).json();
            if (larger) slice.nodes_in_tree = 1e6;
            for (const column of ['inclusive_ns', 'exclusive_ns']) slice[column] = slice[column].map((ns) => ns * 9e6);
            await route.fulfill({ json: slice });
        });
        await page.goto('about:blank');
        await openView(page, address, 'paths');
        const cut = await page.evaluate(() =>
            [...document.querySelectorAll('.tree-scroll .row .number')].filter((cell) => cell.scrollWidth > cell.clientWidth || [...cell.children].some((child) => child.scrollWidth > child.clientWidth)).map((cell) => cell.textContent),
        );
        const first = await page.textContent('.tree-scroll .row[aria-rowindex="2"]');
        tap.ok(/\d\d,\d{3}\.\d h/.test(first) && cut.length === 0, `${name}: long times are not cut off`, first, cut);

        larger = true;
        const modules = [];
        page.on('request', (request) => request.url().endsWith('/modules') && modules.push(request.url()));
        await page.goto('about:blank');
        await openView(page, address, 'paths');
        await page.waitForSelector('.flame canvas');
        tap.equal(modules, [], `${name}: of a very large tree, modules are not asked for to have their colours`);
    }
    tap.ok(page.problems.length === 0, `${name}: no errors`, page.problems);
    await page.context().close();
}

const browser = await openBrowser();
for (const task of JSON.parse(readFileSync(process.argv[2], 'utf8'))) {
    try {
        await check(task, browser);
    } catch (error) {
        tap.ok(false, `${task.name}: can be driven`, error.stack ?? error.message);
    }
}
await browser.close();
tap.done();
