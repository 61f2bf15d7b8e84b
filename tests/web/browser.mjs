// SPDX-License-Identifier: BSD-3-Clause
// What checks of pages share: the browser, results as TAP, tables of a page as CSV, and the rules of accessibility.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

// The packages are in the build, not beside the sources: FATHOM_WEB_TESTS.
const require = createRequire(`${process.env.FATHOM_WEB_TESTS}/package.json`);
const { chromium } = await import(pathToFileURL(require.resolve('playwright-core')).href).then((m) => m.default ?? m);
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

export class Tap {
    count = 0;
    failed = 0;

    ok(good, name, ...details) {
        this.count++;
        if (!good) this.failed++;
        console.log(`${good ? 'ok' : 'not ok'} ${this.count} - ${name.replaceAll('#', '')}`);
        if (!good) for (const detail of details) console.log(`# ${String(typeof detail === 'string' ? detail : JSON.stringify(detail)).slice(0, 1500).replaceAll('\n', '\n# ')}`);
        return good;
    }

    equal(shown, expected, name) {
        return this.ok(JSON.stringify(shown) === JSON.stringify(expected), name, `shown: ${JSON.stringify(shown)}`, `expected: ${JSON.stringify(expected)}`);
    }

    done() {
        console.log(`1..${this.count}`);
        process.exitCode = this.failed ? 1 : 0;
    }
}

export async function openBrowser() {
    return chromium.launch({
        executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
        args: process.getuid() === 0 ? ['--no-sandbox'] : [],
    });
}

/** A page that remembers everything that went wrong on it: errors, and what the content security policy refused. */
export async function newPage(browser, options = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true, ...options });
    const page = await context.newPage();
    page.problems = [];
    page.on('console', (message) => message.type() === 'error' && page.problems.push(message.text()));
    page.on('pageerror', (error) => page.problems.push(error.message));
    page.on('dialog', (dialog) => {
        page.problems.push(`a dialog: ${dialog.message()}`);
        dialog.dismiss();
    });
    return page;
}

/** Opens a view and waits until its data are there. The address of a profile on a server has a fragment already. */
export async function openView(page, address, view, params = '') {
    await page.goto(`${address}${address.includes('#') ? '' : '#'}/${view}${params ? `?${params}` : ''}`);
    // In the same document the view of the address before may still be shown: let it take in the new one.
    await page.evaluate(() => new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)))));
    await page.waitForSelector(`main[data-view="${view.split('/').pop()}"]`, { timeout: 20000 });
    await page.waitForFunction(() => !document.querySelector('main [role=status]'), null, { timeout: 20000 });
}

/** The rows of a table as its CSV has them: numbers as they are, unknown ones as ''. */
export async function tableRows(page, name) {
    const [download] = await Promise.all([
        page.waitForEvent('download', { timeout: 10000 }),
        page.click(`[data-table="${name}"] button:text-is("Save as CSV")`),
    ]);
    const text = readFileSync(await download.path(), 'utf8');
    const [headings, ...rows] = parseCsv(text);
    return rows.map((row) => Object.fromEntries(row.map((cell, i) => [headings[i].replace(/ \([^)]*\)$/, ''), cell])));
}

/** What a button of a chart saves. */
export async function savedPicture(page, chart, kind) {
    const [download] = await Promise.all([
        page.waitForEvent('download', { timeout: 10000 }),
        page.click(`[data-chart="${chart}"] button:text-is("Save as ${kind}")`),
    ]);
    return readFileSync(await download.path());
}

/** In a page of a browser: how much of two pictures differs, 0 to 1. Edges may lie a point apart. */
async function compare([svg, png]) {
    const parsed = new DOMParser().parseFromString(svg, 'image/svg+xml');
    if (parsed.querySelector('parsererror')) return `not XML: ${parsed.querySelector('parsererror').textContent}`;
    const points = async (url, size) => {
        const picture = new Image();
        picture.src = url;
        await picture.decode();
        const canvas = document.createElement('canvas');
        [canvas.width, canvas.height] = size ?? [picture.width, picture.height];
        const pen = canvas.getContext('2d');
        pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
        return { size: [canvas.width, canvas.height], data: pen.getImageData(0, 0, canvas.width, canvas.height).data };
    };
    const b = await points(`data:image/png;base64,${png}`);
    const a = await points(`data:image/svg+xml,${encodeURIComponent(svg)}`, b.size);
    const [width, height] = b.size;
    const differs = (i, j) => [0, 1, 2].some((c) => Math.abs(a.data[4 * i + c] - b.data[4 * j + c]) > 80);
    let different = 0;
    for (let y = 1; y < height - 1; y++)
        for (let x = 1; x < width - 1; x++) {
            const at = y * width + x;
            if ([0, -1, 1, -width, width].every((step) => differs(at, at + step))) different++;
        }
    return { different: different / (width * height), texts: [...parsed.querySelectorAll('text')].map((text) => text.textContent) };
}

/** Saves a chart as SVG and as PNG, and checks that both show the same; returns the texts of the first. */
export async function checkSavedPictures(tap, page, chart, name) {
    const svg = (await savedPicture(page, chart, 'SVG')).toString('utf8');
    const png = (await savedPicture(page, chart, 'PNG')).toString('base64');
    const blank = await page.context().newPage(); // the report's own policy does not let it load pictures
    const found = await blank.evaluate(compare, [svg, png]);
    await blank.close();
    tap.ok(svg.startsWith('<svg') && found.different < 0.01, `${name}: saved as SVG it looks as it does as PNG`, found);
    return found.texts ?? [];
}

export function parseCsv(text) {
    const rows = [[]];
    let cell = '';
    let quoted = false;
    for (let i = 0; i < text.length; i++) {
        const c = text[i];
        if (quoted && c === '"' && text[i + 1] === '"') cell += text[++i];
        else if (c === '"') quoted = !quoted;
        else if (!quoted && (c === ',' || c === '\n')) {
            rows.at(-1).push(cell);
            cell = '';
            if (c === '\n') rows.push([]);
        } else if (quoted || c !== '\r') cell += c;
    }
    rows.pop();
    return rows;
}

/** Serious faults of accessibility, as "rule: place". The page's own content security policy would refuse the script. */
export async function accessFaults(page) {
    await page.evaluate(axe);
    const result = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
    return result.violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.target.join(' ') + ' ' + (node.any[0]?.message ?? '')).join('; ')}`);
}
