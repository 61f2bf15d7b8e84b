// SPDX-License-Identifier: BSD-3-Clause
// node evidence.mjs ENTER ADDRESS JSON RULE...: the page gets the summary of a real profile with one finding of each rule, as
// if all of them had been found, and shows two charts for each.
import { readFileSync } from 'node:fs';

import { accessFaults, newPage, openBrowser, openView, tableRows, Tap } from './browser.mjs';

const [enter, address, path, ...rules] = process.argv.slice(2);
const json = JSON.parse(readFileSync(path, 'utf8'));
const routine = json.mpi.sites[0].routine;
const timer = json.timers[0].name;
// The model reads and writes next to nothing.
const size = { from_bytes: 1, to_bytes: 127, reads: 5, writes: 60 };
const io = { sizes: [size], classes: [{ name: '*.dat below /data', time_s: 3, read_s: 1, write_s: 1.5, metadata_s: 0.5, reads: 5, writes: 60, sizes: [size] }] };
const file = io.classes[0].name;
const EVIDENCE = {
    'serial-stage': { stage_s: 2, others_longer_in_mpi_s: 1.5 },
    'first-event': { first_s: 3, longest_other_s: 1 },
    drift: { first_half_avg_s: 1, second_half_avg_s: 2 },
    placement: { between_hosts_bytes: 3000, between_hosts_then_bytes: 1000, all_bytes: 4000 },
    'no-cpu': { ranks: 16, cores: 2 },
    memory: { used_bytes: 900, memory_bytes: 1000 },
    incomplete: { 'table-full': 7 },
};
const findings = rules.map((rule) => ({
    rule,
    text: `${rule}: ${routine}, timer '${timer}', ${file}`,
    advice: 'Try.',
    trace: null,
    cost_s: 1,
    cost_fraction: 0.1,
    measured: true,
    ranks: '1-2',
    function: null,
    file: null,
    line: null,
    path: null,
    evidence: EVIDENCE[rule] ?? {},
}));

const tap = new Tap();
const browser = await openBrowser();
const page = await newPage(browser);
await page.goto(enter);
await page.route('**/summary', async (route) => {
    const answer = await route.fetch();
    const summary = await answer.json();
    const note = { code: 'table-full', argument: '', text: 'a table was full', amount: 7, ranks: '1-2' };
    await route.fulfill({ json: { ...summary, findings, job: { ...summary.job, notes: [note] } } });
});
await page.route('**/io', (route) => route.fulfill({ json: { fathom: 1, io } }));
for (const [i, rule] of rules.entries()) {
    await page.goto('about:blank');
    await openView(page, address, 'overview', `finding=${i + 1}`);
    const charts = page.locator('.two-charts figure');
    tap.equal(await charts.count(), 2, `${rule}: two charts`);
    tap.equal(await charts.locator('svg[role=img]').count(), await charts.count(), `${rule}: both are drawn`);
    for (let k = 1; k <= (await charts.count()); k++) {
        await page.click(`[data-chart="finding-${i + 1}-${k}"] button:text-is("Show as table")`);
        const rows = await tableRows(page, `finding-${i + 1}-${k}`);
        tap.ok(rows.length > 0 && rows.some((row) => Object.values(row).some((cell) => Number(cell) > 0)), `${rule}: chart ${k} has a table`, rows);
        if (rule === 'imbalance' && k === 1)
            tap.equal(
                rows.map((row) => Object.values(row)[1]).map((cell) => Number(cell).toFixed(6)),
                json.processes.map((process) => (process.wall_s - process.mpi_s).toFixed(6)),
                `${rule}: the work of each rank`,
            );
        if (rule === 'small-io' && k === 1) tap.equal([rows[0].reads, rows[0].writes], ['5', '60'], `${rule}: requests by size`);
        if (EVIDENCE[rule] && !['no-cpu', 'memory', 'serial-stage'].includes(rule) && k === 1)
            tap.equal(rows.map((row) => Number(Object.values(row)[1])), Object.values(EVIDENCE[rule]), `${rule}: its evidence`);
    }
    if (i === 0) tap.equal(await accessFaults(page), [], 'charts are accessible');
}
await page.goto('about:blank');
await openView(page, address, 'overview');
await page.locator('.findings summary').nth(1).click();
await page.waitForFunction(() => location.hash.includes('finding=2'));
tap.ok(await page.locator('.findings details').nth(1).evaluate((details) => details.open), 'the open finding is in the address');
tap.ok(page.problems.filter((problem) => !/axe/.test(problem)).length === 0, 'no errors', page.problems);
await browser.close();
tap.done();
