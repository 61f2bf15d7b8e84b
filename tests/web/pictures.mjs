// SPDX-License-Identifier: BSD-3-Clause
// Pictures of pages for the documentation: node pictures.mjs FOLDER [NAME ADDRESS]...
import { newPage, openBrowser } from './browser.mjs';

const [folder, ...pictures] = process.argv.slice(2);
const browser = await openBrowser();
const page = await newPage(browser, { viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
for (let i = 0; i + 1 < pictures.length; i += 2) {
    await page.goto('about:blank');
    await page.goto(pictures[i + 1]);
    await page.waitForSelector('main');
    await page.waitForFunction(() => !document.querySelector('[role=status]'));
    await page.waitForTimeout(500); // charts that are drawn after the data have come
    await page.screenshot({ path: `${folder}/web-${pictures[i]}.png` });
    console.log(`${folder}/web-${pictures[i]}.png`);
}
await browser.close();
if (page.problems.length) {
    console.error(page.problems.join('\n'));
    process.exitCode = 1;
}
