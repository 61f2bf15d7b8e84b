// SPDX-License-Identifier: BSD-3-Clause
// node keyboard.mjs FILE NAME ADDRESS...: goes through pages with the Tab key alone. Everything that can be clicked can be reached,
// shows that it has the focus, and lets go of it; what opens closes with Escape.
import { newPage, openBrowser, Tap } from './browser.mjs';

const MOST = 3000;
const tap = new Tap();
const browser = await openBrowser();

/** Marks what has the focus and says whether one can see that; null if the focus is nowhere. */
function visit() {
    const element = document.activeElement;
    if (!element || element === document.body) return null;
    const again = element.hasAttribute('data-visited');
    element.setAttribute('data-visited', '');
    const style = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    const within = box.width > 0 && box.height > 0 && box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
    const outlined = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0;
    // What is below something else, such as a bar that stays at the top, cannot be seen.
    const middle = document.elementFromPoint(
        Math.min(innerWidth - 1, Math.max(0, (Math.max(0, box.left) + Math.min(innerWidth, box.right)) / 2)),
        Math.min(innerHeight - 1, Math.max(0, (Math.max(0, box.top) + Math.min(innerHeight, box.bottom)) / 2)),
    );
    const covered = middle !== null && !element.contains(middle) && !middle.contains(element) && getComputedStyle(middle).position !== 'static';
    const name = `${element.tagName.toLowerCase()}.${element.className} '${(element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40)}'`;
    return { name, again, seen: within && outlined && !covered, why: `${within ? '' : 'outside '}${outlined ? '' : 'no outline '}${covered ? `below ${middle.tagName}.${middle.className}` : ''}` };
}

/** What can be clicked and was not visited. In a group of things of one kind the arrow keys move on from the one that Tab reaches. */
function missed() {
    const wanted = document.querySelectorAll('a[href], button, input, select, textarea, summary, [onclick], [tabindex], [role=button], [role=link]');
    return [...wanted]
        .filter((element) => !element.hasAttribute('data-visited') && !element.disabled && element.id !== 'main' && !element.closest('[aria-hidden=true]'))
        .filter((element) => element.getClientRects().length > 0 && element.checkVisibility({ contentVisibilityAuto: true }))
        .filter((element) => element.tabIndex >= 0 || !element.closest('[role=group], [role=tree], [role=treegrid], [role=grid], [role=application]')?.querySelector('[data-visited]'))
        .filter((element) => !(element.type === 'radio' && document.querySelector(`input[name="${element.name}"][data-visited]`)))
        .map((element) => element.outerHTML.slice(0, 160));
}

async function walk(page, name) {
    await page.evaluate(() => {
        document.querySelectorAll('[data-visited]').forEach((element) => element.removeAttribute('data-visited'));
        window.scrollTo(0, 0);
        document.querySelector('a[href], button')?.focus(); // where the page begins
    });
    await page.evaluate(visit);
    const unseen = [];
    let steps = 0;
    let trapped = '';
    let before = '';
    for (; steps < MOST; steps++) {
        await page.keyboard.press('Tab');
        const at = await page.evaluate(visit);
        if (!at) break;
        if (at.again) {
            trapped = at.name === before ? at.name : '';
            break;
        }
        if (!at.seen) unseen.push(`${at.name}: ${at.why}`);
        before = at.name;
    }
    tap.ok(steps > 0 && steps < MOST && !trapped, `${name}: the Tab key goes through it`, `${steps} steps`, trapped);
    tap.ok(unseen.length === 0, `${name}: what has the focus shows it`, ...unseen.slice(0, 12));
    const left = await page.evaluate(missed);
    tap.ok(left.length === 0, `${name}: everything can be reached`, ...left.slice(0, 12));
}

/** What the pointer does by dragging, keys do too; Escape closes what is open. */
async function keys(page, address) {
    await page.goto('about:blank');
    await page.goto(`${address}#/overview`);
    await page.locator('.strip button').first().focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    const ranks = () => page.evaluate(() => new URLSearchParams(location.hash.split('?')[1]).get('ranks'));
    tap.equal(await ranks(), '1-2', 'overview: Shift and an arrow key select ranks');
    await page.keyboard.press('Escape');
    tap.equal(await ranks(), null, 'overview: Escape clears the selection');
    const term = page.locator('.explain').first();
    await term.focus();
    const shown = await term.locator('.explanation').isVisible();
    await page.keyboard.press('Escape');
    tap.equal([shown, await term.locator('.explanation').isVisible()], [true, false], 'an explanation closes with Escape');
    await page.goto('about:blank');
    await page.goto(`${address}#/balance`);
    await page.locator('.rank-panels').focus();
    for (const key of ['ArrowRight', 'ArrowRight', 'Shift+ArrowRight', 'Enter']) await page.keyboard.press(key);
    tap.equal((await ranks())?.split(/[-,]/).length, 2, 'balance: a range of ranks is selected with keys');
    await page.goto('about:blank');
    await page.goto(`${address}#/paths`);
    await page.locator('.menu > summary').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    tap.equal(
        await page.evaluate(() => [document.querySelector('.menu').open, document.activeElement.tagName]),
        [false, 'SUMMARY'],
        'call paths: the menu closes with Escape, and the focus is where it was opened',
    );
}

const [file, ...pages] = process.argv.slice(2);
const page = await newPage(browser);
await keys(page, file);
for (let i = 0; i + 1 < pages.length; i += 2) {
    const [name, address] = [pages[i], pages[i + 1]];
    await page.goto('about:blank');
    await page.goto(address);
    await page.waitForSelector('main');
    await page.waitForFunction(() => !document.querySelector('main [role=status]'), null, { timeout: 20000 });
    await walk(page, name);
    // What opens, opened by its key.
    const folded = page.locator('main details:not([open]) > summary');
    const n = await folded.count();
    for (let k = 0; k < n; k++) {
        await folded.first().focus();
        await page.keyboard.press('Enter');
    }
    if (n === 0) continue;
    await page.waitForFunction(() => !document.querySelector('main [role=status]'), null, { timeout: 20000 });
    await walk(page, `${name}, opened`);
}
await browser.close();
tap.done();
