// SPDX-License-Identifier: BSD-3-Clause
import { tableRows } from '../browser.mjs';

export const view = 'io';

const figures = (use) => [use.time_s, use.read_s, use.write_s, use.metadata_s, use.read_bytes, use.written_bytes].map(String);
const shownFigures = (row) => [row.Time, row.Reading, row.Writing, row.Metadata, row.Read, row.Written];
const sorted = (rows) => rows.map((row) => JSON.stringify(row)).sort();

export async function check({ tap, page, json, units, name }) {
    const { io } = json;
    if (!io.measured || io.classes.length === 0) {
        const text = await page.textContent('main .verdict');
        tap.ok(text.includes(io.measured ? 'did no I/O' : 'was not measured'), `${name}: says why there is nothing`, text);
        return;
    }
    const verdict = await page.textContent('[data-part=verdict]');
    tap.ok(
        verdict.includes(`${units.bytes(io.read_bytes)} read, ${units.bytes(io.written_bytes)} written`) && verdict.includes(units.seconds(io.time_s)),
        `${name}: time and bytes`,
        verdict,
    );
    tap.equal(
        sorted((await tableRows(page, 'io-classes')).map((row) => [row.Files, row.Number, row.Requests, ...shownFigures(row)])),
        sorted(io.classes.map((one) => [one.name, String(one.files), String(one.reads + one.writes), ...figures(one)])),
        `${name}: classes`,
    );
    if (io.files.length > 0)
        tap.equal(
            sorted((await tableRows(page, 'io-files')).map((row) => [row.File, row.Opens, row.Ranks.replace(/^'/, ''), ...shownFigures(row)])),
            sorted(io.files.map((file) => [file.path, String(file.opens), file.ranks, ...figures(file)])),
            `${name}: files`,
        );
    if (io.sizes.length > 0) {
        await page.click('[data-chart=io-sizes] button:text-is("Show as table")');
        tap.equal(
            (await tableRows(page, 'io-sizes')).map((row) => [row['Size from'], row.Reads, row.Writes]),
            io.sizes.map((size) => [size.from_bytes, size.reads, size.writes].map(String)),
            `${name}: sizes of requests`,
        );
    }
    if (await page.locator('[data-chart=io-ranks]').count()) {
        await page.click('[data-chart=io-ranks] button:text-is("Show as table")');
        const rows = await tableRows(page, 'io-ranks');
        const sum = (key) => rows.reduce((total, row) => total + Number(row[key] ?? 0), 0);
        const all = (key) => json.processes.filter(({ rank }) => rank !== null).reduce((total, process) => total + (process[key] ?? 0), 0);
        tap.equal(sum('Time in file I/O').toFixed(6), all('io_s').toFixed(6), `${name}: time of ranks`);
        tap.equal(sum('Written'), all('written_bytes'), `${name}: written by ranks`);
    }
}
