// SPDX-License-Identifier: BSD-3-Clause
// Opens comparisons of runs in a browser and compares what they show with the document of `fathom scale --format json`:
//
//     node check_scale.mjs PLAN.json        [{"name", "address", "json": {VIEW: path}}]
import { readFileSync } from 'node:fs';

import { accessFaults, checkSavedPictures, newPage, openBrowser, tableRows, Tap } from './browser.mjs';

const tap = new Tap();
const units = await import(process.env.FATHOM_WEB_UNITS);
const plan = JSON.parse(readFileSync(process.argv[2], 'utf8'));

const close = (cell, value) => (value === null ? cell === '' : cell !== '' && Math.abs(Number(cell) - value) <= 2e-6 + 1e-6 * Math.abs(value));

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

async function open(page, address, view, params = '') {
    await page.goto('about:blank');
    await page.goto(`${address}#/?view=${view}${params}`);
    await page.waitForSelector(`[data-table="scale-${view}"] .row`, { timeout: 20000 });
}

async function checkTree(page, name, address, view, scale) {
    const columns = ['x_inclusive', 'x_exclusive', ...scale.runs.flatMap((_, i) => [`run${i}`, `run${i}_own`])];
    await open(page, address, view, `&cols=${columns.join(',')}`);
    await page.focus('.tree-scroll');
    await page.keyboard.press('Home');
    await page.click('button:text-is("Expand all below")');
    const expected = flatten(scale.root);
    await page.waitForFunction((n) => document.querySelector('[role=treegrid]').getAttribute('aria-rowcount') === String(n + 1), expected.length, { timeout: 10000 });
    const rows = await tableRows(page, `scale-${view}`);
    // Siblings with the same loss are in any order.
    const names = [];
    const shown = rows.map((row) => {
        const [level, label, ...cells] = Object.values(row);
        names.length = Number(level);
        names.push(label);
        return { path: names.join('|'), cells: cells.map((cell) => (cell === '' ? null : Number(cell))) };
    });
    const wanted = expected.map(({ node, level }) => {
        names.length = level;
        names.push(node.name);
        const costs = scale.runs.flatMap((_, run) => [node.costs[run]?.inclusive_s ?? null, node.costs[run]?.exclusive_s ?? null]);
        return { path: names.join('|'), cells: [node.x_inclusive, node.x_exclusive, ...costs] };
    });
    const inOrder = (a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.cells.slice(2).reduce((order, cell, i) => order || (cell ?? -1) - (b.cells[i + 2] ?? -1), 0));
    shown.sort(inOrder);
    wanted.sort(inOrder);
    const wrong = shown
        .map((row, i) => [row, wanted[i]])
        .filter(([row, of]) => row.path !== of?.path || !row.cells.every((cell, k) => (cell === null) === (of.cells[k] === null) && (cell === null || close(cell, of.cells[k]))));
    tap.equal(rows.length, expected.length, `${name}, ${view}: rows`);
    tap.ok(wrong.length === 0, `${name}, ${view}: excess and costs of all nodes`, `${wrong.length} rows`, wrong[0] ?? '');
}

const browser = await openBrowser();
for (const { name, address, json } of plan) {
    const page = await newPage(browser);
    const views = Object.keys(json);
    const documents = Object.fromEntries(views.map((view) => [view, JSON.parse(readFileSync(json[view], 'utf8')).scale]));
    const scale = documents[views[0]];
    await open(page, address, views[0]);
    tap.equal(await page.textContent('.card h2'), scale.headline, `${name}: the headline`);
    if (scale.advice) tap.equal(await page.textContent('[data-part=advice]'), scale.advice, `${name}: advice`);
    const verdicts = await page.locator('[data-part=verdicts] > li').allTextContents();
    tap.ok(
        verdicts.length === scale.verdicts.length && verdicts.every((text, i) => text.startsWith(scale.verdicts[i].text)),
        `${name}: verdicts`,
        verdicts,
    );
    const runs = await tableRows(page, 'runs');
    tap.ok(
        runs.length === scale.runs.length &&
            runs.every((row, i) => {
                const run = scale.runs[i];
                return (
                    row.Run === run.profile && Number(row.Ranks) === run.ranks && close(row.Time, run.time_s) && close(row['Speed-up'], run.speedup) &&
                    close(row.Efficiency, run.to_first.efficiency) && close(row['To previous'], run.to_previous?.efficiency ?? null) &&
                    (row.Parallel === undefined || close(row.Parallel, run.factors.parallel))
                );
            }),
        `${name}: runs`,
        runs,
    );
    const costs = await tableRows(page, 'costs');
    tap.equal(costs.map((row) => row.Part), scale.runs.at(-1).costs.map((cost) => cost.name), `${name}: computation and routines`);
    if (scale.mode !== 'same')
        tap.ok(
            (await page.getAttribute('[data-chart=speedup] .plot', 'aria-label')).includes(`${scale.runs.at(-1).speedup.toFixed(2)} on ${scale.runs.at(-1).ranks} ranks`),
            `${name}: the curve`,
        );
    if (scale.mode !== 'same') await checkSavedPictures(tap, page, 'speedup', `${name}, the curve`);
    const faults = await accessFaults(page);
    tap.ok(faults.length === 0, `${name}: accessible`, faults);
    for (const view of views) await checkTree(page, name, address, view, documents[view]);

    // ---- the path of the largest loss ----
    if (documents.calls) {
        await open(page, address, 'calls');
        let at = documents.calls.root;
        for (;;) {
            const next = at.children.reduce((best, child) => (!best || child.x_inclusive > best.x_inclusive ? child : best), null);
            if (!next || next.x_inclusive <= 0 || next.x_inclusive < at.x_inclusive / 2) break;
            at = next;
        }
        const row = await page.textContent('.row.selected');
        if (at !== documents.calls.root) tap.ok(row.includes(units.percentFine(at.x_inclusive)), `${name}: the largest loss is selected`, row);
    }
    tap.ok(page.problems.filter((problem) => !/axe/.test(problem)).length === 0, `${name}: no errors`, page.problems);
    await page.context().close();
}
await browser.close();
tap.done();
