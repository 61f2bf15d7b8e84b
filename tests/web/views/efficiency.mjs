// SPDX-License-Identifier: BSD-3-Clause
import { openView, tableRows } from '../browser.mjs';

export const view = 'efficiency';

const shown = (value) => (value === null || value === undefined ? '' : String(value));

export async function check({ tap, page, json, units, name, address }) {
    const { efficiency } = json;
    const keys = ['parallel', 'load_balance', 'communication', 'serialisation', 'transfer', ...(efficiency.openmp === null ? [] : ['hybrid', 'openmp'])];
    if (efficiency.parallel === null && efficiency.openmp === null) tap.equal(await page.locator('[data-part=run]').count(), 0, `${name}: unknown`);
    else
        for (const key of keys)
            tap.equal(await page.textContent(`[data-part=run] [data-value=${key}] .number`), units.percentFine(efficiency[key]), `${name}: ${key}`);
    for (const kind of ['regions', 'timers']) {
        const found = await page.locator(`[data-table=efficiency-${kind}]`).count();
        const rows = found ? await tableRows(page, `efficiency-${kind}`) : [];
        tap.equal(
            rows.map((row) => [Object.values(row)[0], row['Wall/rank'], row.Parallel, row['Load balance'], row.Communication, row['Wall balance']]),
            efficiency[kind].map((part) => [part.name, part.wall_s.avg, part.parallel, part.load_balance, part.communication, part.wall_balance].map(shown)),
            `${name}: ${kind}`,
        );
    }
    if (efficiency.parallel === null) return;
    const all = json.processes.filter(({ rank, wall_s }) => rank !== null && wall_s !== null);
    for (const text of ['0', '0-99999']) {
        const chosen = text === '0' ? all.filter(({ rank }) => rank === 0) : all;
        const work = chosen.map(({ wall_s, mpi_s }) => Math.max(0, wall_s - mpi_s));
        const mean = work.reduce((sum, one) => sum + one, 0) / work.length;
        await openView(page, address, 'efficiency', `ranks=${text}`);
        await page.waitForSelector('[data-part=selected]');
        const expected = { parallel: mean / Math.max(...chosen.map(({ wall_s }) => wall_s)), load_balance: mean / Math.max(...work) };
        for (const [key, value] of Object.entries(expected))
            tap.equal(await page.textContent(`[data-part=selected] [data-value=${key}] .number`), units.percentFine(value), `${name}: ${key} of ranks ${text}`);
    }
    tap.ok((await page.textContent('.chip')).includes('some of them do not exist'), `${name}: ranks that do not exist are said`);
}
