// SPDX-License-Identifier: BSD-3-Clause
// The three trees with everything expanded are those of the document; keys, search, derived columns, the flame graph and
// the address do what they say.
import { openView, tableRows } from '../browser.mjs';

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

const selectedRow = (page) => page.locator('.tree-scroll .row.selected');

export async function check(context) {
    const { tap, page, json, units, name, address } = context;
    if (!json.calls) {
        tap.ok((await page.textContent('[data-part=no-samples]')).includes('No call paths were sampled'), `${name}: says that there are none`);
        return;
    }
    const root = json.calls.root;
    if (root.children.length) {
        const hot = hotPath(root);
        const shown = await page.textContent('[data-part=selected]');
        tap.ok(shown.includes(`: ${units.seconds(hot.inclusive_s)} (${units.percent(hot.inclusive_s / root.inclusive_s)})`), `${name}: the end of the hot path is selected`, shown);
        if (hot.path) tap.ok((await page.textContent('[data-part=no-source]')).includes('--source DIR'), `${name}: says how to get the source`);
    }

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

    // ---- a formula ----
    await openView(page, address, view, `derived=${encodeURIComponent('twice=2 * (inclusive + exclusive) - inclusive / 4')}&cols=inclusive,exclusive,%3Dtwice&sort=%3Dtwice`);
    const rows = await tableRows(page, 'tree-calls');
    tap.ok(
        rows.every((row) => close(row.twice, 2 * (Number(row.Time) + Number(row['Own time'])) - Number(row.Time) / 4)),
        `${name}: a derived column`,
    );
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
    await page.click('[data-chart=flame] button:text-is("Show all")');
    await page.click('[data-chart=flame] button:text-is("Show as table")');
    const boxes = await tableRows(page, 'flame');
    tap.ok(close(boxes[0].Time, root.inclusive_s), `${name}: the widest box is everything`, boxes[0]);
    const first = [...root.children].sort((a, b) => b.inclusive_s - a.inclusive_s)[0];
    tap.ok(boxes.some((box) => box.Level === '1' && close(box.Time, first.inclusive_s)), `${name}: below it is the heaviest function`);
}
