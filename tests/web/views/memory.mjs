// SPDX-License-Identifier: BSD-3-Clause
import { tableRows } from '../browser.mjs';

export const view = 'memory';

const shown = (value) => (value === null || value === undefined ? '' : String(value));

export async function check({ tap, page, json, name }) {
    const { memory, network } = json;
    const keys = { 'High water': 'high_water_bytes', 'After MPI_Init': 'after_init_bytes', 'At the end': 'end_bytes', Growth: 'growth_bytes' };
    tap.equal(
        (await tableRows(page, 'memory')).map((row) => [row['Per rank'], row.Min, row.Avg, row.Max]),
        Object.entries(keys)
            .filter(([, key]) => memory[key])
            .map(([title, key]) => [title, String(memory[key].min), String(memory[key].avg), String(memory[key].max)]),
        `${name}: ranks`,
    );
    if (memory.hosts.length > 0)
        tap.equal(
            (await tableRows(page, 'memory-hosts')).map((row) => [row.Host, row.Memory, row['Least free']]),
            memory.hosts.map((host) => [host.name, shown(host.total_bytes), shown(host.least_free_bytes)]),
            `${name}: hosts`,
        );
    if (await page.locator('[data-table=network]').count())
        tap.equal(
            (await tableRows(page, 'network')).map((row) => [row.Host, row.Received, row.Sent]),
            network.hosts.map((host) => [host.name, shown(host.received_bytes), shown(host.sent_bytes)]),
            `${name}: network`,
        );
    else tap.ok(network.hosts.every((host) => host.received_bytes === null && host.sent_bytes === null), `${name}: network unknown`);
    if (await page.locator('[data-chart=memory-ranks]').count()) {
        await page.click('[data-chart=memory-ranks] button:text-is("Show as table")');
        const most = new Map();
        for (const { rank, memory_bytes: bytes } of json.processes)
            if (rank !== null) most.set(rank, bytes === null ? (most.get(rank) ?? null) : Math.max(bytes, most.get(rank) ?? 0));
        tap.equal(
            (await tableRows(page, 'memory-ranks')).map((row) => [row.Rank, row['High water'] ?? '']),
            [...most].sort((a, b) => a[0] - b[0]).map(([rank, bytes]) => [String(rank), shown(bytes)]),
            `${name}: high water of each rank`,
        );
    }
}
