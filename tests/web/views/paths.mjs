// SPDX-License-Identifier: BSD-3-Clause
// The three trees with everything expanded are those of the document; keys, search, derived columns, the flame graph and
// the address do what they say.
import { checkSavedPictures, openView, tableRows } from '../browser.mjs';

export const view = 'paths';

/** Nodes depth first, with their levels. */
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

const close = (cell, value) => (value === null ? cell === '' : cell !== '' && Math.abs(Number(cell) - value) <= 1e-9 + 1e-6 * Math.abs(value));

async function checkTree({ tap, page, json, name, address }, which, root) {
    await openView(page, address, view, `tree=${which}&cols=percent,inclusive,exclusive,min,max,avg,deviation,place`);
    await page.focus('.tree-scroll');
    await page.keyboard.press('Home');
    await page.click('button:text-is("Expand all below")');
    const expected = flatten(root);
    await page.waitForFunction((n) => document.querySelector('[role=treegrid]').getAttribute('aria-rowcount') === String(n + 1), expected.length, { timeout: 10000 });
    await page.focus('.tree-scroll');
    await page.keyboard.press('End');
    tap.ok(await page.isDisabled('button:text-is("Expand all below")'), `${name}: nothing is below the last row of ${which}`);
    const rows = await tableRows(page, `tree-${which}`);
    const heading = Object.keys(rows[0])[1];
    const whole = json.calls.root.inclusive_s;
    const wrong = [];
    rows.forEach((row, i) => {
        const { node, level } = expected[i];
        const spread = node.per_rank;
        const good =
            Number(row.Level) === level &&
            row[heading].replace(/^'(?=[=+\-@])/, '') === (node.kind === 'root' ? 'all' : node.name) &&
            close(row.Time, node.inclusive_s) &&
            close(row['Own time'], node.exclusive_s) &&
            (whole === 0 || close(row['% time'], node.inclusive_s / whole)) &&
            (!spread || (close(row.Min, spread.min) && close(row.Max, spread.max) && close(row.Mean, spread.avg) && close(row.Deviation, spread.deviation))) &&
            row.Place.replace('~', '') === (node.file ? (node.line ? `${node.file}:${node.line}` : node.file) : '');
        if (!good) wrong.push({ row, node: { ...node, children: node.children.length }, level });
    });
    tap.equal(rows.length, expected.length, `${name}: rows of ${which}`);
    tap.ok(wrong.length === 0, `${name}: figures of ${which}`, `${wrong.length} rows`, wrong[0] ?? '');
}

/** The hot path of the document: the heaviest child as long as it has at least half of the time. */
function hotPath(root) {
    let at = root;
    for (;;) {
        const next = at.children.reduce((best, child) => (!best || child.inclusive_s > best.inclusive_s ? child : best), null);
        if (!next || next.inclusive_s <= 0 || next.inclusive_s < at.inclusive_s / 2) return at;
        at = next;
    }
}

/** The hot path from the root to its end. */
function pathTo(root, end) {
    const path = [root];
    while (path.at(-1) !== end) path.push(path.at(-1).children.reduce((best, child) => (!best || child.inclusive_s > best.inclusive_s ? child : best), null));
    return path;
}

/** Of ranks: the table of one node, and the column of selected ranks, against what the document says of the extremes. */
async function checkRanks({ tap, page, json, name, address }, root) {
    const ranks = json.job.ranks;
    const node = flatten(root).slice(1).map((item) => item.node).find(({ per_rank }) => per_rank?.max_rank !== null && per_rank?.max > 0);
    await openView(page, address, view);
    const details = page.locator('.node-ranks summary');
    if (ranks < 2 || !node) {
        tap.equal(await page.locator('.spark').count(), 0, `${name}: no sparks of a single rank`);
        return;
    }
    tap.ok((await page.locator('.tree-scroll .row .spark').count()) > 0, `${name}: sparks of the ranks`);
    const hot = hotPath(root);
    if ((await details.count()) && hot.per_rank.max !== null) {
        await details.click();
        const rows = await tableRows(page, 'node-ranks');
        const times = rows.map((row) => Number(row.Time));
        tap.equal(rows.length, ranks, `${name}: a row for each rank`);
        tap.ok(Math.abs(Math.max(...times) - hot.per_rank.max) <= 0.07 * hot.per_rank.max, `${name}: the largest is that of the document`, rows.slice(0, 20), hot.per_rank);
        const sum = times.reduce((total, time) => total + time, 0);
        tap.ok(rows.some((row) => row.Time === '') || Math.abs(sum - hot.inclusive_s) <= 0.07 * hot.inclusive_s, `${name}: together they are its time`, sum, hot.inclusive_s);
    }
    const rank = node.per_rank.max_rank;
    await openView(page, address, view, `ranks=${rank}&cols=selected,inclusive&open=0-9999999`);
    tap.ok((await page.textContent('[data-part=of-ranks]')).startsWith('1 rank selected'), `${name}: says what is of the selected ranks`);
    const rows = await tableRows(page, 'tree-calls');
    const wrong = flatten(root)
        .map(({ node: of }, i) => [rows[i], of])
        .filter(([row, of]) => row['Selected ranks'] !== '' && of.per_rank.max !== null && !(Number(row['Selected ranks']) <= 1.07 * of.per_rank.max + 1e-6 && Number(row['Selected ranks']) >= 0.93 * (of.per_rank.min ?? 0) - 0.002 * of.per_rank.max));
    const known = rows.filter((row) => row['Selected ranks'] !== '').length;
    tap.ok(wrong.length === 0 && known > 0, `${name}: times of one rank are between the least and the largest`, known, wrong[0] ?? '');
    const its = rows[flatten(root).findIndex((item) => item.node === node)];
    tap.ok(Math.abs(Number(its['Selected ranks']) - node.per_rank.max) <= 0.07 * node.per_rank.max, `${name}: that of the largest is the largest`, its, node.per_rank);
}

const selectedRow = (page) => page.locator('.tree-scroll .row.selected');

export async function check(context) {
    const { tap, page, json, units, name, address } = context;
    if (!json.calls) {
        tap.ok((await page.textContent('[data-part=no-samples]')).includes('No call paths were sampled'), `${name}: says that there are none`);
        const asked = [];
        page.on('request', (request) => asked.push(request.url()));
        await page.reload();
        await page.waitForSelector('[data-part=no-samples]');
        tap.ok(!asked.some((url) => url.includes('/tree/')), `${name}: and does not ask for them`, asked);
        return;
    }
    const root = json.calls.root;
    if (root.children.length) {
        const hot = hotPath(root);
        const shown = await page.textContent('[data-part=selected]');
        tap.ok(shown.includes(`: ${units.seconds(hot.inclusive_s)} (${units.percent(hot.inclusive_s / root.inclusive_s)})`), `${name}: the end of the hot path is selected`, shown);
        const withSource = pathTo(root, hot).findLast((node) => node.path || node.defined);
        if (withSource && withSource !== hot) {
            const of = await page.textContent('[data-part=source-of]');
            tap.ok(of.includes(withSource.name.slice(0, 90)) || of.includes(`${withSource.file}:`), `${name}: the source is that of the last caller that has one`, of, withSource.name);
            tap.equal(await page.locator('.tree-scroll .row.source-row').count(), 1, `${name}: which is marked`);
        }
        if (hot.path) tap.ok((await page.textContent('[data-part=no-source]')).includes('--source DIR'), `${name}: says how to get the source`);
    }

    await checkRanks(context, root);
    await openView(page, address, view);

    // ---- keys ----
    await page.focus('.tree-scroll');
    await page.keyboard.press('Home');
    tap.equal(await selectedRow(page).getAttribute('aria-level'), '1', `${name}: Home goes to the root`);
    if (root.children.length) {
        await page.keyboard.press('ArrowRight');
        tap.equal(await selectedRow(page).getAttribute('aria-level'), '2', `${name}: the right arrow goes to the first child`);
        await page.keyboard.press('ArrowLeft');
        await page.keyboard.press('ArrowLeft');
        if (root.children[0].children.length) await page.keyboard.press('ArrowLeft');
        tap.equal(await selectedRow(page).getAttribute('aria-expanded'), 'false', `${name}: the left arrow closes`);
        tap.equal(await page.getAttribute('[role=treegrid]', 'aria-rowcount'), '2', `${name}: one row and the heading are left`);
        await page.keyboard.press('ArrowRight');
        await page.keyboard.press('End');
        tap.equal(
            await selectedRow(page).getAttribute('aria-rowindex'),
            await page.getAttribute('[role=treegrid]', 'aria-rowcount'),
            `${name}: End goes to the last row`,
        );
    }

    await checkTree(context, 'calls', root);
    await checkTree(context, 'callers', json.calls.callers);
    await checkTree(context, 'flat', json.calls.flat);
    const nodes = flatten(root).slice(1);
    if (!nodes.length) return;

    // ---- search ----
    const deepest = nodes.reduce((a, b) => (b.level > a.level && b.node.name ? b : a));
    const wanted = deepest.node.name.slice(0, 12);
    const has = (text) => (text ?? '').toLowerCase().includes(wanted.toLowerCase());
    const hits = nodes.filter(({ node }) => has(node.name) || has(node.file)).length;
    await openView(page, address, view, `q=${encodeURIComponent(wanted)}&open=0`);
    await page.focus('.tree-scroll');
    await page.keyboard.press('Home');
    await page.click('[aria-label="Next hit"]');
    tap.equal(await page.textContent('[data-part=hits]'), `1 of ${units.count(hits)} ${hits === 1 ? 'hit' : 'hits'}`, `${name}: hits of a search`);
    tap.equal(await page.locator('.tree-scroll .row.selected.hit').count(), 1, `${name}: the hit is in sight, with what is above it opened`);

    // ---- buttons, columns and search by keyboard ----
    await openView(page, address, view, 'open=0&at=0');
    await page.focus('button:text-is("Expand all below")');
    await page.keyboard.press('Enter');
    await page.waitForFunction((n) => document.querySelector('[role=treegrid]').getAttribute('aria-rowcount') === String(n + 2), nodes.length, { timeout: 10000 }).catch(() => {});
    tap.equal(await page.getAttribute('[role=treegrid]', 'aria-rowcount'), String(nodes.length + 2), `${name}: all is expanded by Enter`);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.waitForFunction((n) => Number(document.querySelector('[role=treegrid]').getAttribute('aria-rowcount')) < n, nodes.length + 2, { timeout: 30000 }).catch(() => {});
    tap.ok(Number(await page.getAttribute('[role=treegrid]', 'aria-rowcount')) < nodes.length + 2, `${name}: and collapsed by the next button`);
    await page.focus('button:text-is("Hot path")');
    await page.keyboard.press('Enter');
    const hotEnd = hotPath(root);
    await page.waitForFunction((text) => document.querySelector('[data-part=selected]')?.textContent.includes(text), units.seconds(hotEnd.inclusive_s), { timeout: 30000 }).catch(() => {});
    tap.ok((await page.textContent('[data-part=selected]')).includes(units.seconds(hotEnd.inclusive_s)), `${name}: the hot path by Enter`);
    await page.focus('.menu summary');
    await page.keyboard.press('Enter');
    const headings = () => page.locator('.tree-scroll [role=columnheader]').count();
    const before = await headings();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.waitForFunction((n) => document.querySelectorAll('.tree-scroll [role=columnheader]').length !== n, before, { timeout: 30000 });
    tap.equal(Math.abs((await headings()) - before), 1, `${name}: a column by Tab and Space`);
    await page.keyboard.press('Escape');
    tap.equal(await page.locator('.menu[open]').count(), 0, `${name}: Escape closes the columns`);
    await page.focus('.search input');
    await page.keyboard.type(wanted);
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-part=hits]');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.tree-scroll .row.selected.hit', { timeout: 30000 }).catch(() => {});
    tap.equal(await page.locator('.tree-scroll .row.selected.hit').count(), 1, `${name}: Enter goes to a hit`);

    // ---- a formula ----
    await openView(page, address, view, `derived=${encodeURIComponent('twice=2 * (inclusive + exclusive) - inclusive / 4')}&cols=inclusive,exclusive,%3Dtwice&sort=%3Dtwice`);
    await page.waitForSelector('.tree-scroll [role=columnheader]:has-text("twice")');
    const rows = await tableRows(page, 'tree-calls');
    // the cells that it is compared with are rounded to nanoseconds
    const derived = (row) => 2 * (Number(row.Time) + Number(row['Own time'])) - Number(row.Time) / 4;
    const wrong = rows.filter((row) => !(Math.abs(Number(row.twice) - derived(row)) <= 5e-9 + 1e-6 * derived(row)));
    tap.ok(rows.length > 0 && wrong.length === 0, `${name}: a derived column`, rows.length, wrong.slice(0, 3));
    await page.click('.menu summary');
    for (const [formula, expected] of [['inclusive +', 'ends too early'], ['cost', "no column 'cost'"], ['(max', 'parenthesis'], ['alert;', 'cannot be']]) {
        await page.fill('[aria-label=Formula]', formula);
        await page.click('.menu button:text-is("Add")');
        const problem = await page.textContent('.menu .problem');
        tap.ok(problem.includes(expected), `${name}: formula '${formula}' is refused with a sentence`, problem);
    }

    // ---- flame graph and address ----
    await openView(page, address, view);
    await page.focus('.flame-box');
    for (const key of ['Home', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
    await page.waitForFunction(() => window.location.hash.includes('zoom='));
    const title = await page.textContent('[data-chart=flame] h3');
    tap.ok(title !== 'Icicle of all ranks', `${name}: Enter zooms into the flame graph`, title);
    const selected = await page.textContent('[data-part=selected]');
    const other = await page.context().newPage();
    await other.goto(page.url().replace(/at=\d+/, 'at=99999999').replace(/top=\d+/, 'top=99999999'));
    await other.waitForFunction((text) => document.querySelector('[data-part=selected]')?.textContent === text, selected, { timeout: 10000 }).catch(() => {});
    tap.equal(await other.textContent('[data-part=selected]'), selected, `${name}: a link finds the node by its names`);
    tap.equal(await other.textContent('[data-chart=flame] h3'), title, `${name}: and the flame graph of its sender`);
    await other.close();
    await page.focus('.flame-box');
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.querySelector('[data-chart=flame] h3').textContent === 'Icicle of all ranks', null, { timeout: 30000 }).catch(() => {});
    tap.equal(await page.textContent('[data-chart=flame] h3'), 'Icicle of all ranks', `${name}: Escape shows all in the flame graph`);
    const texts = await checkSavedPictures(tap, page, 'flame', name);
    tap.ok(texts.includes('MPI routines'), `${name}: with its legend`, texts);
    await page.click('[data-chart=flame] button:text-is("Show as table")');
    const boxes = await tableRows(page, 'flame');
    tap.ok(close(boxes[0].Time, root.inclusive_s), `${name}: the widest box is everything`, boxes[0]);
    const first = [...root.children].sort((a, b) => b.inclusive_s - a.inclusive_s)[0];
    tap.ok(boxes.some((box) => box.Level === '1' && close(box.Time, first.inclusive_s)), `${name}: below it is the heaviest function`);
}
