// SPDX-License-Identifier: BSD-3-Clause
// Opens a page and waits until it is ended.
import { newPage, openBrowser } from './browser.mjs';

const page = await newPage(await openBrowser());
await page.goto(process.argv[2]);
console.log('waiting');
setInterval(() => {}, 1000);
