// SPDX-License-Identifier: BSD-3-Clause
// node print.mjs FILE VIEW...: every view on paper. It is as wide as the page, has no buttons for what is done on a screen, and its pictures have the colours
// of paper although the screen is dark.
import { newPage, openBrowser, openView, Tap } from './browser.mjs';

const [file, ...views] = process.argv.slice(2);
const WIDE = { portrait: 703, landscape: 1032 }; // A4 without margins, in pixels of CSS
const DARK = '20,24,29,255'; // the page in the dark
const tap = new Tap();
const browser = await openBrowser();
const page = await newPage(browser, { colorScheme: 'dark' });

/** What is beyond the right edge. */
function beyond(width) {
    return [...document.querySelectorAll('main *')]
        .filter((element) => element.getClientRects().length > 0 && element.getBoundingClientRect().right > width + 1)
        .filter((element) => !element.closest('svg') && getComputedStyle(element).position !== 'absolute')
        .map((element) => `${element.tagName}.${element.className} ${element.getBoundingClientRect().right}: ${element.textContent.slice(0, 40)}`);
}

/** The colour of the corner of each canvas: that of the page, on which it is drawn. */
function corners() {
    return [...document.querySelectorAll('main canvas')].map((canvas) => [...canvas.getContext('2d').getImageData(0, 0, 1, 1).data].join(','));
}

for (const view of views) {
    await page.emulateMedia({ media: 'screen' });
    await page.goto('about:blank');
    const [name, params] = view.split('?');
    await openView(page, file, name, params);
    const dark = await page.evaluate(corners);
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    const light = await page.evaluate(corners);
    if (name === 'balance') tap.ok(dark.includes(DARK), `${view}: the screen is dark`, dark);
    tap.ok(!light.includes(DARK), `${view}: pictures have the colours of paper`, light);
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
    tap.equal(await page.evaluate(corners), dark, `${view}: and afterwards those of the screen`);
    await page.emulateMedia({ media: 'print' });
    for (const [how, width] of Object.entries(WIDE)) {
        await page.setViewportSize({ width, height: 900 });
        const wide = await page.evaluate(beyond, width);
        tap.ok(wide.length === 0, `${view}, ${how}: nothing is cut`, ...wide.slice(0, 5));
    }
    const tall = await page.locator('main .scroll tbody tr').evaluateAll((rows) =>
        rows.filter((row) => row.clientHeight > 24 && [...row.cells].every((cell) => cell.textContent.length < 24)).map((row) => `${row.clientHeight} px: ${row.textContent}`),
    );
    tap.equal(tall.slice(0, 3), [], `${view}: rows are as high as their text`);
    const hints = await page.locator('main').evaluate((main) => main.innerText.match(/(Point at|Wheel,) [^.;]*/g) ?? []);
    tap.equal(hints, [], `${view}: nothing asks for a pointer`);
    const buttons = await page.locator('main :is(.tools, .controls) button:visible').evaluateAll((list) =>
        list.filter((button) => button.getAttribute('aria-pressed') !== 'true').map((button) => button.outerHTML.slice(0, 120)),
    );
    tap.equal(buttons, [], `${view}: no buttons`);
    await page.setViewportSize({ width: 1280, height: 800 });
}
await browser.close();
tap.done();
