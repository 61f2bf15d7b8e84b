// SPDX-License-Identifier: BSD-3-Clause
import { tableRows } from '../browser.mjs';

export const view = 'counters';

const shown = (value) => (value === null || value === undefined ? '' : String(value));

export async function check({ tap, page, json, name }) {
    const { counters } = json;
    if (counters.list.length === 0) {
        tap.ok((await page.textContent('main .verdict')).startsWith('No counters'), `${name}: says that there are none`);
        return;
    }
    const split = counters.list.some(({ mpi }) => mpi !== null);
    tap.equal(
        (await tableRows(page, 'counters')).map((row) => [row.Counter, row.Total, row['Per s'], row['Min/rank'], row['Max/rank'], ...(split ? [row.Program, row['In MPI']] : [])]),
        counters.list.map((counter) => [
            counter.name,
            ...[counter.total, counter.rate_per_s, counter.spread?.min, counter.spread?.max].map(shown),
            ...(split ? [shown(counter.program), shown(counter.mpi)] : []),
        ]),
        `${name}: totals`,
    );
    await page.click('[data-chart=counters-ranks] button:text-is("Show as table")');
    const rows = await tableRows(page, 'counters-ranks');
    for (const counter of counters.list)
        tap.equal(
            rows.reduce((sum, row) => sum + Number(row[counter.name]), 0),
            counter.per_rank.reduce((sum, value, i) => sum + (json.processes[i].rank === null ? 0 : (value ?? 0)), 0),
            `${name}: ${counter.name} of ranks`,
        );
}
