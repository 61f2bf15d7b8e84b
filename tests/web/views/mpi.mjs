// SPDX-License-Identifier: BSD-3-Clause
import { openView, tableRows } from '../browser.mjs';

export const view = 'mpi';

const shown = (value) => (value === null || value === undefined ? '' : String(value));
const stats = (item) => [shown(item.calls), shown(item.time_s), shown(item.bytes)];
const shownStats = (row) => [row.Calls, row.Time, row.Bytes];

/** Tables are sorted by time; rows of equal time may be in any order. */
function sorted(rows) {
    return rows.map((row) => JSON.stringify(row)).sort();
}

export async function check({ tap, page, json, units, name, address }) {
    const { mpi } = json;
    if (mpi.routines.length === 0) {
        tap.equal(await page.locator('[data-table]').count(), 0, `${name}: no table`);
        return;
    }
    tap.equal(await page.textContent('[data-value=mpi_time]'), units.seconds(mpi.time_s), `${name}: time in MPI`);
    tap.equal(
        sorted((await tableRows(page, 'mpi-routines')).map((row) => [row.Routine, ...shownStats(row), row.Longest, row.Least, row.Most, row.Ranks])),
        sorted(
            mpi.routines.map((routine) => [
                routine.name,
                ...stats(routine),
                shown(routine.max?.time_s),
                shown(routine.per_rank?.time_s?.min),
                shown(routine.per_rank?.time_s?.max),
                routine.ranks,
            ]),
        ),
        `${name}: routines`,
    );

    const table = async (tab, params = '') => {
        await openView(page, address, 'mpi', `by=${tab}${params}`);
        if (tab === 'sizes' && (await page.locator('[data-chart]').count())) await page.click('[data-chart] button:text-is("Show as table")');
        return (await page.locator(`[data-table=mpi-${tab}]`).count()) ? tableRows(page, `mpi-${tab}`) : [];
    };
    tap.equal(
        sorted((await table('sites')).map((row) => [row.Routine, ...shownStats(row)])),
        sorted(mpi.sites.map((site) => [site.routine, ...stats(site)])),
        `${name}: call sites`,
    );
    const heavy = mpi.routines[0].name;
    tap.equal(
        sorted((await table('sites', `&routine=${heavy}`)).map((row) => [row.Routine, ...shownStats(row)])),
        sorted(mpi.sites.filter((site) => site.routine === heavy).map((site) => [site.routine, ...stats(site)])),
        `${name}: call sites of one routine`,
    );
    tap.equal(
        sorted((await table('sizes')).map((row) => [row.Routine, row['Size from'], ...shownStats(row)])),
        sorted(mpi.sizes.map((size) => [size.routine, String(size.from_bytes), ...stats(size)])),
        `${name}: message sizes`,
    );
    tap.equal(
        (await table('regions')).map((row) => [row.Region, row.Entries, row.Wall, row.MPI]),
        mpi.regions.map((region) => [region.path, shown(region.entries), shown(region.wall_s), shown(region.mpi_s)]),
        `${name}: regions`,
    );
    tap.equal(
        sorted((await table('communicators')).map((row) => [row.Routine, row['Ranks in communicator'], ...shownStats(row)])),
        sorted(mpi.communicators.map((item) => [item.routine, String(item.size), ...stats(item)])),
        `${name}: communicators`,
    );
    tap.equal(
        (await table('successions')).map((row) => [row.Routine, row.Times, row.Cost, row['Could be one'] === 'probably']),
        mpi.successions.map((item) => [item.routine, String(item.count), shown(item.cost_s), item.mergeable]),
        `${name}: successive reductions`,
    );
}
