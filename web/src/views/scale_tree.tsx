// SPDX-License-Identifier: BSD-3-Clause
// Where runs lose time: the tree of calls, callers, files, MPI routines or timers, with the excess time of each node.
import { useMemo } from 'preact/hooks';

import { runName, type Scale, scaleTree } from '../data/scale';
import { FLAG, type Tree } from '../data/tree';
import { colour } from '../parts/colours';
import { mix } from '../parts/flame';
import type { Colours } from '../parts/flame_panel';
import { known, labelOf, placeOf } from '../parts/tree_columns';
import { TreePage } from '../parts/tree_page';
import { TreeState } from '../parts/tree_state';
import type { TreeColumn } from '../parts/tree_table';
import { addressOf, param, place } from '../state';
import { percentFine, seconds } from '../text/units';

const TITLES: Record<string, string> = { calls: 'Calls', callers: 'Callers', flat: 'Flat', mpi: 'MPI', timers: 'Timers' };

const kept = new WeakMap<Scale, { state: TreeState; forms: string[] }>();

function stateOf(scale: Scale): { state: TreeState; forms: string[] } {
    let made = kept.get(scale);
    if (!made) {
        const { tree, forms } = scaleTree(scale);
        kept.set(scale, (made = { state: new TreeState(tree), forms }));
    }
    return made;
}

function signed(fraction: number): string {
    if (Number.isNaN(fraction)) return 'unknown';
    if (fraction >= 0) return percentFine(fraction);
    return fraction > -0.0005 ? '>-0.1 %' : `-${percentFine(-fraction)}`;
}

function columnsOf(scale: Scale, tree: Tree, forms: string[]): TreeColumn[] {
    const same = scale.mode === 'same';
    const of = same ? 'of the time of A' : `of the run on ${runName(scale, scale.other)}`;
    const excess = (key: string, title: string, about: string): TreeColumn => ({
        key,
        title,
        about,
        width: 18,
        value: (node) => tree.get(key, node),
        show: (node) => {
            const error = tree.get(`${key}_error`, node);
            return `${signed(tree.get(key, node))}${error >= 0.0005 ? ` ± ${(100 * error).toFixed(1)}` : ''}`;
        },
        bar: (node) => Math.max(0, tree.get(key, node)),
    });
    const list: TreeColumn[] = [
        excess('x_inclusive', same ? 'Change' : 'X inclusive', `Time beyond what is expected, with what is called, ${of}, with the error due to sampling`),
        excess('x_exclusive', same ? 'Own change' : 'X exclusive', `The same without what is called, ${of}`),
        {
            key: 'certain',
            title: 'Certain',
            about: 'Whether the change is larger than the error due to sampling (95 %)',
            width: 9,
            text: true,
            value: (node) => (certain(tree, node) ? 1 : 0),
            show: (node) => (certain(tree, node) ? 'yes' : 'no'),
        },
    ];
    for (let to = 1; scale.runs.length > 2 && to < scale.runs.length; to++)
        list.push({
            key: `x_${to - 1}_${to}`,
            title: `X ${scale.runs[to - 1].ranks} to ${scale.runs[to].ranks}`,
            about: `Time on ${runName(scale, to)} beyond what is expected from ${runName(scale, to - 1)}, with what is called, of the run on ${runName(scale, to)}`,
            width: Math.max(10, `X ${scale.runs[to - 1].ranks} to ${scale.runs[to].ranks}`.length + 3),
            value: (node) => tree.get(`x_${to - 1}_${to}`, node),
            show: (node) => signed(tree.get(`x_${to - 1}_${to}`, node)),
        });
    if (forms.length)
        list.push({
            key: 'trend',
            title: 'Grows as',
            about: 'How the inclusive time depends on the number of ranks p',
            width: 11,
            text: true,
            value: (node) => tree.get('trend', node),
            show: (node) => forms[tree.get('trend', node)] ?? 'unknown',
        });
    scale.runs.forEach((_, run) => {
        for (const [key, title, about] of [
            [`run${run}`, runName(scale, run), 'Time with what is called'],
            [`run${run}_own`, `${runName(scale, run)}, own`, 'Time without what is called'],
        ])
            list.push({
                key,
                title,
                about: `${about} in ${same ? runName(scale, run) : `the run on ${runName(scale, run)}`}, over all processes`,
                width: Math.max(10, title.length + 3),
                value: (node) => tree.get(key, node),
                show: (node) => (Number.isNaN(tree.get(key, node)) ? '-' : seconds(known(tree.get(key, node)))),
            });
    });
    list.push({
        key: 'place',
        title: 'Place',
        about: 'The line that calls, or in which the time is spent',
        width: 24,
        text: true,
        value: (node) => tree.textRank(tree.file[node]),
        show: (node) => placeOf(tree, node),
    });
    return list;
}

function certain(tree: Tree, node: number): boolean {
    return Math.abs(tree.get('x_inclusive', node)) > tree.get('x_inclusive_error', node);
}

function usual(scale: Scale): string[] {
    if (window.innerWidth < 700) return ['x_inclusive'];
    const steps = scale.runs.slice(1).map((_, i) => `x_${i}_${i + 1}`);
    const ends = [`run${scale.base}`, `run${scale.other}`];
    return ['x_inclusive', 'x_exclusive', ...(scale.mode === 'same' ? ['certain'] : steps.slice(0, 4)), ...ends, 'place'];
}

/** Red: all of the time is excess; pale: as expected; blue: less than expected. */
function coloursOf(scale: Scale, tree: Tree): Colours {
    return {
        key: scale.view,
        legend:
            scale.mode === 'same'
                ? [
                      { name: 'only in B, or much more than in A', colour: '--much' },
                      { name: 'as in A', colour: '--little' },
                      { name: 'less than in A', colour: '--program' },
                  ]
                : [
                      { name: 'all of its time is excess', colour: '--much' },
                      { name: 'as expected', colour: '--little' },
                      { name: 'less than expected', colour: '--program' },
                  ],
        fill: (node) => {
            const share = tree.get('excess', node) / (tree.weight(node) || NaN);
            if (!(Math.abs(share) > 0.01)) return '--little';
            return mix(colour('--little'), colour(share > 0 ? '--much' : '--program'), Math.min(1, Math.abs(share)));
        },
    };
}

export function ScaleTreeView({ scale, views }: { scale: Scale; views: string[] }) {
    const { state, forms } = stateOf(scale);
    const { tree } = state;
    const loss = (node: number) => tree.get(tree.which === 'callers' && node > 0 ? 'x_exclusive' : 'x_inclusive', node);
    const columns = useMemo(() => columnsOf(scale, tree, forms), [scale]);
    const colours = useMemo(() => coloursOf(scale, tree), [scale]);
    const same = scale.mode === 'same';
    const where = same ? 'in B' : `on ${runName(scale, scale.other)}`;
    return (
        <section aria-label="Where time is lost" class="paths">
            <TreePage
                state={state}
                title={same ? 'What differs' : 'Where time is lost'}
                tabs={views.map((name) => ({
                    name,
                    title: TITLES[name] ?? name,
                    address: addressOf(place.value, { mode: param('mode'), view: name, q: param('q') }),
                }))}
                tab={scale.view}
                name={`scale-${scale.view}`}
                caption={`Excess time, ${TITLES[scale.view] ?? scale.view}`}
                heading={scale.view === 'callers' ? 'Function and its callers' : scale.view === 'timers' ? 'Timer' : 'Call path'}
                columns={columns}
                usual={usual(scale)}
                usualSort=""
                address={{ here: () => (param('view') || scale.view) === scale.view, weight: loss }}
                hot={{ title: 'Path of the largest loss', about: 'Follows the child with the largest loss' }}
                remark={(node) => (tree.flags[node] & FLAG.byName ? <span class="quiet"> (by name)</span> : null)}
                rowClass={(node) => (certain(tree, node) ? '' : 'uncertain')}
                colours={colours}
                describe={(node) =>
                    `${labelOf(tree, node).slice(0, 300)}: ${seconds(tree.weight(node))} ${where}, of which ${seconds(tree.get('excess', node))} more than ${same ? 'in A' : 'expected'}`
                }
                flame={scale.view !== 'timers' /* timers may overlap, so their times do not add up to a picture */}
            />
        </section>
    );
}
