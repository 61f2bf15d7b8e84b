// SPDX-License-Identifier: BSD-3-Clause
import { tableRows } from '../browser.mjs';

export const view = 'job';

export async function check({ tap, page, json, units, name }) {
    const facts = await page.locator('.facts div').evaluateAll((divs) =>
        Object.fromEntries(divs.map((div) => [div.querySelector('dt').textContent, div.querySelector('dd').textContent])),
    );
    tap.equal(facts['Command'], json.job.command.join(' ') || 'unknown', `${name}: command`);
    tap.equal(facts['Commit'], json.job.commit ?? 'unknown', `${name}: commit`);
    tap.equal(facts['Wall time'], units.seconds(json.job.wall_s), `${name}: wall time`);
    tap.equal(
        (await tableRows(page, 'hosts')).map((row) => [row.Host, row.Ranks]),
        json.job.hosts_list.map((host) => [host.name, host.ranks]),
        `${name}: hosts and their ranks`,
    );
}
