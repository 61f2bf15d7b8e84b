// SPDX-License-Identifier: BSD-3-Clause
// Ranks in the order of their time in MPI, with the times of the document, and a selection of ranks by mouse and keyboard.
import { checkSavedPictures, openView, tableRows } from '../browser.mjs';

export const view = 'balance';

/** Ranks of the document with the sum of a figure over their processes; null if unknown. */
function perRank(json, figure) {
    const sums = new Map();
    for (const process of json.processes) {
        if (process.rank === null) continue;
        const before = sums.get(process.rank) ?? null;
        sums.set(process.rank, process[figure] === null ? before : (before ?? 0) + process[figure]);
    }
    return sums;
}

const shown = (value) => (value === null || value === undefined ? '' : String(value));

export async function check({ tap, page, json, units, name, address }) {
    const balance = json.mpi.balance;
    const mpi = perRank(json, 'mpi_s');
    const hasMpi = [...mpi.values()].some((value) => value > 0);
    if (mpi.size === 0) return;
    if (hasMpi) {
        tap.equal(await page.textContent('main [data-value=parallel]'), units.percent(balance.parallel_efficiency), `${name}: parallel efficiency`);
        tap.equal(await page.textContent('main [data-value=load_balance]'), units.percent(balance.load_balance), `${name}: load balance`);
        tap.equal(
            await page.locator('[data-part=groups] li').count(),
            balance.evenness === 'even' || balance.groups.length < 2 ? 0 : Math.min(7, balance.groups.length),
            `${name}: groups`,
        );
    }
    const canvas = page.locator('.rank-panels canvas');
    tap.ok(
        await canvas.evaluate((picture) => {
            const { data } = picture.getContext('2d').getImageData(0, 0, picture.width, picture.height);
            const colours = new Set();
            for (let i = 0; i < data.length; i += 4) colours.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
            return colours.size > 3;
        }),
        `${name}: the chart is drawn`,
    );

    // the keyboard: the first rank of the order, then the next one as well
    const order = hasMpi && balance.ranks_by_mpi_time.length === mpi.size ? balance.ranks_by_mpi_time : [...mpi.keys()].sort((a, b) => a - b);
    await page.focus('.rank-panels');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    const chip = () => page.textContent('.chip').then((text) => text.replace(/[^0-9,-]/g, ''));
    tap.equal(await chip(), String(order[0]), `${name}: a rank selected with the keyboard`);
    await page.keyboard.press('Escape');
    tap.equal(await page.locator('.chip').count(), 0, `${name}: cleared with the keyboard`);

    // the mouse: all ranks
    await canvas.scrollIntoViewIfNeeded();
    const box = await canvas.boundingBox();
    await page.mouse.move(box.x + 76, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 12, box.y + 60, { steps: 4 });
    await page.mouse.up();
    const last = Math.max(...order);
    if (order.length === last + 1 && last > 0) {
        tap.equal(await chip(), `0-${last}`, `${name}: all ranks selected with the mouse`);
        const link = await page.getAttribute('nav a[href*=job]', 'href');
        tap.ok(link.includes(`ranks=0-${last}`), `${name}: the selection goes to other views`, link);
    }

    await openView(page, address, 'balance');
    await page.click('[data-chart=balance] button:text-is("Show as table")');
    const rows = await tableRows(page, 'balance');
    tap.equal(rows.map((row) => row.Rank), order.map(String), `${name}: order of ranks`);
    tap.equal(rows.map((row) => row['MPI time']), order.map((rank) => shown(mpi.get(rank))), `${name}: MPI time`);
    if (hasMpi)
        for (const [routine, times] of Object.entries(balance.routines))
            tap.equal(rows.map((row) => row[routine]), times.map(String), `${name}: time in ${routine}`);
    const io = perRank(json, 'io_s');
    const wall = perRank(json, 'wall_s');
    if (rows.length > 0 && 'Program' in rows[0])
        tap.equal(
            rows.map((row) => Number(row.Program).toFixed(6)),
            order.map((rank) => Math.max(0, wall.get(rank) - mpi.get(rank) - (io.get(rank) ?? 0)).toFixed(6)),
            `${name}: program`,
        );
    await page.click('[data-chart=balance] button:text-is("Show as chart")');
    if (rows.length > 0) await checkSavedPictures(tap, page, 'balance', name);

    await openView(page, address, 'balance', 'sort=rank');
    await page.click('[data-chart=balance] button:text-is("Show as table")');
    const byRank = (await tableRows(page, 'balance')).map((row) => Number(row.Rank));
    tap.equal(byRank, [...byRank].sort((a, b) => a - b), `${name}: the order is in the address`);
    await page.click('[data-chart=balance] button:text-is("Show as chart")');
}
