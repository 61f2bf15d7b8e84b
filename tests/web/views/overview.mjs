// SPDX-License-Identifier: BSD-3-Clause
// The first page shows what the document has: efficiency, split, findings.

export const view = 'overview';

export async function check({ tap, page, json, units, name }) {
    if (json.efficiency.parallel !== null)
        tap.equal(
            await page.textContent('[data-value=parallel]'),
            units.percent(json.efficiency.parallel),
            `${name}: parallel efficiency`,
        );
    const split = json.split;
    const mpi = split.waiting_s === null ? [['mpi', 'mpi_s']] : [['waiting', 'waiting_s'], ['transfer', 'transfer_s']];
    for (const [part, key] of [['program', 'program_s'], ...mpi, ['io', 'io_s'], ['no-cpu', 'no_cpu_s']])
        tap.equal(
            await page.textContent(`[data-value=${part}]`),
            split[key] === null ? 'unknown' : units.percent(split[key] / split.wall_s),
            `${name}: split, ${part}`,
        );
    const shown = await page.locator('[data-part=split] .legend .quiet').count();
    tap.equal(shown, split.waiting_s === null ? 0 : 2, `${name}: estimates are marked`);
    if (split.waiting_s !== null)
        tap.ok(Math.abs(split.waiting_s + split.transfer_s - split.mpi_s) < 1e-6, `${name}: waiting and transfer are all of MPI`, split);
    tap.equal(
        await page.locator('.findings .what').allTextContents(),
        json.findings.map((finding) => finding.text),
        `${name}: findings in their order`,
    );
    const costs = await page.locator('.findings .cost').allTextContents();
    tap.equal(
        costs,
        json.findings.map((f) => (f.cost_s > 0 ? `${units.seconds(f.cost_s)} ${units.percent(f.cost_fraction)}` : 'no time')),
        `${name}: what findings cost`,
    );
}
