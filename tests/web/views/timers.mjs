// SPDX-License-Identifier: BSD-3-Clause
// Timers: the table of all of them, and the histograms of the selected ones.
import { openView, tableRows } from '../browser.mjs';

export const view = 'timers';

const near = (shown, expected) => Math.abs(Number(shown) - expected) <= 1e-9 * Math.max(1, Math.abs(expected));

export async function check({ tap, page, json, units, name, address }) {
    const { timers } = json;
    if (timers.length === 0) {
        tap.ok(/has no timers/.test(await page.textContent('main')), `${name}: says that there are none`);
        return;
    }
    const rows = await tableRows(page, 'timers');
    tap.equal(rows.map((row) => row.Timer).sort(), timers.map((timer) => timer.name).sort(), `${name}: all timers`);
    const wrong = rows.filter((row) => {
        const timer = timers.find((one) => one.name === row.Timer);
        const total = timer.total_s;
        if (!timer.ranks) return row.Ranks !== '0';
        const share = timer.time_s / json.job.wall_sum_s;
        return !(
            Number(row.Events) === timer.first_half.events + timer.second_half.events &&
            near(row.Share, share) &&
            near(row.Max, total.max) &&
            near(row.Avg, total.avg) &&
            near(row.Min, total.min) &&
            (row['Load balance'] === '' || near(row['Load balance'], total.avg / total.max))
        );
    });
    tap.equal(wrong, [], `${name}: figures of timers`);
    // A child stands somewhere below its parent.
    const order = rows.map((row) => row.Timer);
    const above = timers.filter(({ name: child, parent }) => order.includes(parent) && order.indexOf(parent) > order.indexOf(child));
    tap.equal(above.map((timer) => timer.name), [], `${name}: nested timers are below those that contain them`);

    await openView(page, address, view, 'ranks=0');
    tap.ok(/of all ranks/.test(await page.textContent('[data-part=of-all-ranks]')), `${name}: with ranks selected, says what is of all ranks`);

    const timer = timers.reduce((most, one) => (one.histograms.length > most.histograms.length ? one : most), timers[0]);
    await openView(page, address, view, `timers=${encodeURIComponent(timer.name)}`);
    tap.equal(await page.locator('section.timer').count(), 1, `${name}: one timer is selected by the address`);
    const panels = await page.locator('section.timer svg > g > a text').allTextContents();
    tap.equal(
        panels.map((text) => text.replace(/^ranks? /, '').replace(/\.\.$/, '')),
        timer.histograms.map((group) => (group.ranks.length > 26 ? group.ranks.slice(0, 24) : group.ranks)),
        `${name}: a histogram for each group of ranks`,
    );
    if (timer.longest)
        tap.ok((await page.textContent('section.timer')).includes(`${units.seconds(timer.longest.time_s)} (rank ${timer.longest.rank}, event ${units.count(timer.longest.event)})`), `${name}: the longest event`);
    await page.click('section.timer button:text-is("Show as table")');
    const bins = await tableRows(page, 'timer-bins');
    tap.equal(
        bins.map((row) => [row.Ranks, row.From, row.To, row.Average, row.Fewest, row.Most].join()),
        timer.histograms.flatMap((group) => group.bins.map((bin) => [group.ranks, bin.from_ns, bin.to_ns, bin.avg, bin.min, bin.max].join())),
        `${name}: bins of its histograms`,
    );
    // A click on a name shows or hides it.
    await page.click('[data-table=timers] button.long >> nth=0');
    const first = order[0];
    const shown = await page.locator('section.timer').evaluateAll((all) => all.map((section) => section.dataset.timer));
    tap.ok(shown.includes(first.slice(0, 200)) === (first !== timer.name), `${name}: a click selects`, shown);
}
