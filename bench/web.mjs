// SPDX-License-Identifier: BSD-3-Clause
// Measures pages in a browser: node web.mjs PLAN.json; prints a JSON object with the figures of each task by its name.
//
//     [{"name", "kind": "open" | "topology" | "tree", "address", "enter", "runs", "seconds"}]
//
// address: as in tests/web/check_views.mjs. Input is the browser's own, mouse and wheel; nothing of the page is called.
import { readFileSync } from 'node:fs';

import { newPage, openBrowser } from '../tests/web/browser.mjs';

const LONG = 300000;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// ---- frames ----

/** Frames while `act` is called again and again for some seconds. */
async function frames(page, seconds, act) {
    await page.evaluate(() => {
        const seen = (window.framesSeen = []);
        const next = (time) => {
            seen.push(time);
            if (window.framesSeen === seen) requestAnimationFrame(next);
        };
        requestAnimationFrame(next);
    });
    const end = Date.now() + 1000 * seconds;
    let inputs = 0;
    for (; Date.now() < end; inputs++) await act(inputs);
    const times = await page.evaluate(() => {
        const seen = window.framesSeen;
        window.framesSeen = null;
        return [...seen, performance.now()];
    });
    const gaps = times.slice(1).map((time, i) => time - times[i]);
    gaps.pop(); // since the last frame
    return {
        per_second: (1000 * gaps.length) / (times.at(-2) - times[0]),
        frames: gaps.length,
        late: gaps.filter((gap) => gap > 50).length, // three of the display's
        longest_ms: Math.max(...gaps),
        inputs,
    };
}

// ---- opening a report ----

/** In the page, before anything else: when the overview is painted, and how long a click on a tab takes to be answered. */
function watchOpening() {
    const painted = (act) => requestAnimationFrame(() => setTimeout(act));
    const has = (part) => document.querySelector(`main[data-view=overview] [data-part=${part}]`);
    const look = () => {
        if (has('findings') && has('ranks')) painted(() => (window.overviewMs = performance.now()));
        else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
    addEventListener(
        'click',
        ({ timeStamp }) => {
            const answered = () => {
                if (document.querySelector('main[data-view=overview]')) requestAnimationFrame(answered);
                else painted(() => (window.answerMs = performance.now() - timeStamp));
            };
            answered();
        },
        true,
    );
}

async function open(browser, { address, runs }) {
    const overview = [];
    const answer = [];
    for (let i = 0; i < runs; i++) {
        const page = await newPage(browser);
        await page.addInitScript(watchOpening);
        await page.goto(address);
        await page.waitForFunction(() => window.overviewMs, null, { timeout: LONG });
        await page.click('nav.views a:text-is("Balance")');
        await page.waitForFunction(() => window.answerMs, null, { timeout: LONG });
        overview.push(await page.evaluate(() => window.overviewMs));
        answer.push(await page.evaluate(() => window.answerMs));
        if (page.problems.length) throw new Error(page.problems[0]);
        await page.context().close();
    }
    return { overview_ms: overview, answer_ms: answer };
}

async function view(browser, { address, enter }, name, ready) {
    const page = await newPage(browser);
    page.setDefaultTimeout(LONG);
    if (enter) await page.goto(enter);
    const start = Date.now();
    await page.goto(`${address}${address.includes('#') ? '' : '#'}/${name}`);
    await page.waitForSelector(ready);
    return { page, open_ms: Date.now() - start };
}

/** Waits until the address has changed to one with the given text: input that changes nothing would be smooth, too. */
async function moved(page, text, before = '') {
    await page.waitForFunction(([part, old]) => window.location.hash.includes(part) && window.location.hash !== old, [text, before]);
    return page.evaluate(() => window.location.hash);
}

async function close(page) {
    const [problem] = page.problems;
    await page.context().close();
    if (problem) throw new Error(problem);
}

// ---- topology ----

/** From the whole matrix to single ranks takes 35 turns of the wheel. Each time at another place of the diagonal, where
 * there is something to see. */
const TURNS = 35;

async function topology(browser, task) {
    const { page, open_ms } = await view(browser, task, 'topology', '.matrix canvas');
    await pause(500);
    const box = await page.locator('.matrix canvas').boundingBox();
    const at = (share) => [box.x + 60 + share * (box.width - 100), box.y + 60 + share * (box.height - 100)];
    const zooming = await frames(page, task.seconds, async (i) => {
        const turn = i % (2 * TURNS);
        if (turn === 0) await page.mouse.move(...at(((i / TURNS) * 0.13 + 0.1) % 0.9));
        await page.mouse.wheel(0, turn < TURNS ? -100 : 100);
    });
    await page.keyboard.press('Home');
    await page.mouse.move(...at(0.5));
    for (let i = 0; i < 14; i++) await page.mouse.wheel(0, -100);
    const zoomed = await moved(page, 'at=');
    const span = 40;
    const panning = await frames(page, task.seconds, async (i) => {
        const step = i % span;
        if (step === 0) {
            await page.mouse.up();
            await page.mouse.move(...at(0.75));
            await page.mouse.down();
        }
        await page.mouse.move(...at(0.75 - (0.5 * step) / span));
    });
    await page.mouse.up();
    await moved(page, 'at=', zoomed);
    await close(page);
    return { open_ms, zooming, panning };
}

// ---- call paths ----

async function expandAll(page) {
    const rows = () => page.getAttribute('[role=treegrid]', 'aria-rowcount').then((n) => Number(n) - 1);
    const text = await page.textContent('.tree-table .tools .quiet');
    const all = Number(/of ([\d,]+) rows/.exec(text)[1].replaceAll(',', ''));
    const start = Date.now();
    await page.focus('.tree-scroll');
    await page.keyboard.press('Home');
    await page.click('button:text-is("Expand all below")');
    await page.waitForFunction((n) => document.querySelector('[role=treegrid]').getAttribute('aria-rowcount') === String(n + 1) || document.querySelector('.paths > .problem'), all);
    return { nodes: all, rows: await rows(), expand_ms: Date.now() - start };
}

async function tree(browser, task) {
    const { page, open_ms } = await view(browser, task, 'paths', '.tree-scroll .row');
    const expanded = await expandAll(page);
    const table = await page.locator('.tree-scroll').boundingBox();
    await page.mouse.move(table.x + table.width / 2, table.y + table.height / 2);
    const scrolling = await frames(page, task.seconds, async (i) => {
        // Slowly, then across many rows.
        await page.mouse.wheel(0, i % 40 < 20 ? 120 : i % 80 < 40 ? 20000 : -15000);
    });
    await page.waitForFunction(() => document.querySelector('.tree-scroll').scrollTop > 0);
    // A server has still to send what is in sight by now.
    const start = Date.now();
    await page.waitForFunction(() => !document.querySelector('.tree-scroll .row.loading'));
    const fill_ms = Date.now() - start;
    const canvas = page.locator('.flame canvas');
    await canvas.scrollIntoViewIfNeeded();
    const box = await canvas.boundingBox();
    const zooming = await frames(page, task.seconds, async (i) => {
        // Into one of the boxes of the fourth row, and out again by the topmost.
        const row = i % 4 === 3 ? 10 : 10 + 20 * 3;
        const x = box.x + box.width * ((i * 0.17 + 0.05) % 0.9);
        await page.mouse.move(x - 20, box.y + row);
        await page.mouse.move(x, box.y + row);
        await page.mouse.click(x, box.y + row);
    });
    await page.mouse.click(box.x + 20, box.y + 10 + 20 * 3);
    await moved(page, 'zoom=');
    await close(page);
    return { open_ms, ...expanded, fill_ms, scrolling, zooming };
}

// ---- all ----

const kinds = { open, topology, tree };
const browser = await openBrowser();
const found = {};
for (const task of JSON.parse(readFileSync(process.argv[2], 'utf8'))) {
    try {
        found[task.name] = await kinds[task.kind](browser, task);
    } catch (error) {
        found[task.name] = { error: error.message.split('\n')[0] };
    }
}
await browser.close();
console.log(JSON.stringify(found));
