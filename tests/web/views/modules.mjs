// SPDX-License-Identifier: BSD-3-Clause
// Shares of modules, the calls between them, and their sequence over time.
import { checkSavedPictures, openView, tableRows } from '../browser.mjs';

export const view = 'modules';

const near = (shown, expected) => Math.abs(Number(shown) - expected) <= 1e-9 * Math.max(1, Math.abs(expected));
const total = (cost) => cost.work_s + cost.transfer_s + cost.waiting_s;

export async function check({ tap, page, json, units, name, address }) {
    const { modules, sequence } = json;
    if (modules && total(modules.tree) > 0) await checkModules({ tap, page, modules, units, name, address });
    else tap.ok(/No call paths were sampled/.test(await page.textContent('main')), `${name}: says why there are none`);
    if (!sequence) {
        tap.ok(/No sequence was recorded/.test(await page.textContent('main')), `${name}: says that there is no sequence`);
        return;
    }
    await checkSequence({ tap, page, sequence, units, name, address });
}

async function checkModules({ tap, page, modules, units, name, address }) {
    const whole = total(modules.tree);
    for (const part of ['work', 'transfer', 'waiting'])
        tap.equal(await page.textContent(`[data-value=${part}]`), units.percent(modules.tree[`${part}_s`] / whole), `${name}: share of ${part}`);
    const rows = await tableRows(page, 'modules');
    tap.equal(rows.map((row) => row.Module), modules.list.map((module) => module.name), `${name}: modules in their order`);
    const wrong = rows.filter((row, i) => {
        const module = modules.list[i];
        return !(
            near(row.Work, module.work_s) &&
            near(row.Transfer, module.transfer_s) &&
            near(row.Waiting, module.waiting_s) &&
            near(row.Inclusive, total(module.inclusive))
        );
    });
    tap.equal(wrong, [], `${name}: times of modules`);
    await page.click('[data-chart=modules] button:text-is("Show as table")');
    const tree = await tableRows(page, 'module-tree');
    const expected = [];
    const stack = [[modules.tree, 0]];
    while (stack.length) {
        const [node, level] = stack.pop();
        expected.push([node.name, String(level)]);
        for (const child of [...node.children].reverse()) stack.push([child, level + 1]);
    }
    tap.equal(tree.map((row) => [row.Module, row.Level]), expected, `${name}: calls between modules as a table`);
    await page.click('[data-chart=modules] button:text-is("Show as chart")');
    await openView(page, address, view, 'ranks=0');
    tap.ok(/of all ranks/.test(await page.textContent('[data-part=of-all-ranks]')), `${name}: with ranks selected, says what is of all ranks`);
    await openView(page, address, view);
    await checkSavedPictures(tap, page, 'modules', `${name}, the graph`);
    const labels = await page.locator('.graph svg [aria-label]').evaluateAll((all) => all.map((g) => g.getAttribute('aria-label')));
    tap.ok(labels[0].startsWith(`${modules.tree.name} 100.0 %`) && labels[0].includes(`: ${units.seconds(whole)} (100.0 %)`), `${name}: the graph begins with all modules`, labels[0]);
}

async function checkSequence({ tap, page, sequence, units, name, address }) {
    await page.click('[data-chart=sequence] button:text-is("Show as table")');
    const rows = await tableRows(page, 'sequence');
    const periods = sequence.ranks.flatMap(({ rank, runs }) =>
        runs.filter(([module]) => module !== null).map(([module, waiting, , transfer]) => [String(rank), sequence.modules[module].name, waiting ? 'waiting' : transfer ? 'transfer' : 'work']),
    );
    tap.equal(rows.map((row) => [row.Rank, row.Module, row.State]), periods, `${name}: periods of the sequence`);
    await page.click('[data-chart=sequence] button:text-is("Show as chart")');
    const texts = await checkSavedPictures(tap, page, 'sequence', `${name}, the sequence`);
    tap.ok(texts.includes('waiting') || texts.some((text) => text.startsWith('waiting ')), `${name}: with its legend`, texts);
    // The first row under the cursor, by keyboard: it says what the document has there.
    await page.focus('.sequence');
    await page.keyboard.press('ArrowUp');
    const said = await page.textContent('[data-part=moment]');
    const [module] = sequence.ranks[0].runs[0];
    const what = module === null ? 'no sample' : sequence.modules[module].name;
    tap.ok(said.startsWith(`rank ${sequence.ranks[0].rank} at ${units.seconds(sequence.start_s)}: ${what}`), `${name}: the keyboard reads the sequence`, said);
    await page.keyboard.press('+');
    tap.ok(sequence.moments <= 8 || /time=/.test(page.url()), `${name}: the period in sight is in the address`, page.url());
    // The same colour for the same module on the page: that of the palette.
    const colours = await page.locator('.sequence-legend button.module').evaluateAll((buttons) =>
        buttons.map((button) => [button.textContent, button.querySelector('.swatch').getAttribute('style')]),
    );
    const wrong = colours.filter(([shown, style]) => {
        const found = sequence.modules.find((one) => one.name.slice(0, 80) === shown);
        const property = shown === 'mpi' ? '--mpi' : `--name-${found?.colour}`;
        return !style.includes(`var(${property})`);
    });
    tap.ok(colours.length > 0 && wrong.length === 0, `${name}: colours are those of the document`, wrong);
    await openView(page, address, view);
}
