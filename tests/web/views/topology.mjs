// SPDX-License-Identifier: BSD-3-Clause
// The matrix of communication: its totals, its heaviest pairs, and moving in it.
import { checkSavedPictures, openView, tableRows } from '../browser.mjs';

export const view = 'topology';

export async function check({ tap, page, json, units, name, address }) {
    const pairs = json.mpi.topology;
    if (pairs.length === 0) {
        tap.ok(/No point-to-point message was sent|made no MPI calls/.test(await page.textContent('main')), `${name}: says that there are none`);
        return;
    }
    const sum = (key) => pairs.reduce((total, pair) => total + pair[key], 0);
    tap.equal(await page.textContent('[data-value=pairs]'), units.plural(pairs.length, 'pair'), `${name}: number of pairs`);
    tap.equal(await page.textContent('[data-value=messages]'), units.count(sum('messages')), `${name}: messages`);
    tap.equal(await page.textContent('[data-value=bytes]'), units.bytes(sum('bytes')), `${name}: bytes`);
    const line = (pair) => `${pair.from} ${pair.to} ${pair.bytes} ${pair.messages}`;
    for (const [metric, key] of [['bytes', 'bytes'], ['messages', 'messages'], ['time', 'time_s']]) {
        await openView(page, address, view, `metric=${metric}`);
        await page.waitForSelector('[data-table=heaviest] tbody tr');
        const rows = (await tableRows(page, 'heaviest')).map((row) => ({ from: row.From, to: row.To, bytes: row.Bytes, messages: row.Messages }));
        const known = new Map(pairs.map((pair) => [line(pair), pair]));
        const shown = rows.map((row) => known.get(line(row)));
        tap.ok(rows.length === Math.min(100, pairs.length) && shown.every(Boolean), `${name}: pairs by ${metric} are those of the document`, rows);
        const heaviest = pairs.map((pair) => pair[key]).sort((a, b) => b - a);
        const close = shown.every((pair, i) => Math.abs(pair[key] - heaviest[i]) <= 1e-6 * Math.max(1, heaviest[i]));
        tap.ok(close, `${name}: the heaviest by ${metric} first`);
    }
    const pair = pairs.reduce((most, one) => (one.bytes > most.bytes ? one : most), pairs[0]);
    await openView(page, address, view, `cell=${pair.from},${pair.to}`);
    const details = page.locator('[data-part=cell]');
    await details.locator('strong').first().waitFor();
    await page.waitForFunction(() => !/Loading/.test(document.querySelector('[data-part=cell]').textContent));
    const told = await details.textContent();
    tap.ok(
        told.includes(`rank ${pair.from} `) && told.includes(`rank ${pair.to} `) && told.includes(`${units.bytes(pair.bytes)} in ${units.plural(pair.messages, 'message')}`),
        `${name}: a cell tells its numbers`,
        told,
    );
    const texts = await checkSavedPictures(tap, page, 'topology', name);
    tap.ok(texts.includes('to rank →'), `${name}: with its axes`, texts);
    if (json.job.ranks < 5) return;
    await page.focus('.matrix');
    await page.keyboard.press('+');
    await page.waitForFunction(() => /[?&]at=/.test(window.location.hash));
    tap.ok(true, `${name}: the keyboard zooms, and the address has it`);
    await page.keyboard.press('0');
    await page.waitForFunction(() => !/[?&]at=/.test(window.location.hash));
    tap.ok(true, `${name}: and shows the whole matrix again`);
}
