// SPDX-License-Identifier: BSD-3-Clause
// The HTML part of mails in narrow and wide windows, light and dark: node mail.mjs FILE.html... With PICTURES=FOLDER it also
// keeps pictures.
import { basename } from 'node:path';
import { accessFaults, newPage, openBrowser, Tap } from './browser.mjs';

const files = process.argv.slice(2);
const folder = process.env.PICTURES;
const tap = new Tap();
const browser = await openBrowser();
for (const colorScheme of ['light', 'dark']) {
    for (const width of [360, 900]) {
        const page = await newPage(browser, { viewport: { width, height: 800 }, colorScheme });
        const requests = [];
        page.on('request', (request) => requests.push(request.url()));
        for (const file of files) {
            const name = `${basename(file, '.html')}, ${colorScheme}, ${width} px`;
            await page.goto(`file://${file}`);
            const size = await page.evaluate(() => ({
                wide: document.documentElement.scrollWidth, window: window.innerWidth, hacked: window.hacked ?? null,
                scripts: document.querySelectorAll('script, iframe, object, embed, link, img, form').length,
                // what a reader would have to scroll to see
                hidden: [...document.querySelectorAll('div')].filter((d) => getComputedStyle(d).overflowX === 'auto' && d.scrollWidth > d.clientWidth + 1)
                    .map((d) => `${d.textContent.trim().slice(0, 40)}: ${d.scrollWidth} of ${d.clientWidth}`),
            }));
            tap.ok(size.wide <= size.window && !size.hidden.length, `nothing is wider than the window: ${name}`, size);
            tap.ok(size.scripts === 0 && size.hacked === null, `no scripts and nothing from elsewhere: ${name}`, size);
            const faults = await accessFaults(page);
            tap.equal(faults, [], `everybody can read it: ${name}`);
            if (folder) await page.screenshot({ path: `${folder}/${basename(file, '.html')}-${colorScheme}-${width}.png`, fullPage: true });
        }
        tap.equal(requests.filter((url) => !url.startsWith('file://')), [], `nothing is fetched: ${colorScheme}, ${width} px`);
        tap.equal(page.problems, [], `no errors: ${colorScheme}, ${width} px`);
        await page.context().close();
    }
}
await browser.close();
tap.done();
