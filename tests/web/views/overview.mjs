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
    for (const [part, key] of [['program', 'program_s'], ['mpi', 'mpi_s'], ['io', 'io_s'], ['no-cpu', 'no_cpu_s']])
        tap.equal(
            await page.textContent(`[data-value=${part}]`),
            split[key] === null ? 'unknown' : units.percent(split[key] / split.wall_s),
            `${name}: split, ${part}`,
        );
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
