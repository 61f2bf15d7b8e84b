// SPDX-License-Identifier: BSD-3-Clause
import { tableRows } from '../browser.mjs';

export const view = 'efficiency';

const shown = (value) => (value === null || value === undefined ? '' : String(value));

export async function check({ tap, page, json, units, name }) {
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
}
