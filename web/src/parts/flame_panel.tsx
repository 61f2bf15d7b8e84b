// SPDX-License-Identifier: BSD-3-Clause
// A flame graph with its choices, legend and table.
import type { ComponentChildren } from 'preact';

import type { Tree } from '../data/tree';
import { setParam, param } from '../state';
import { percentFine, seconds } from '../text/units';
import { ChartFrame } from './chart';
import { Flame, layOut } from './flame';
import { Table } from './table';
import { labelOf, placeOf } from './tree_columns';

const INSIDE: Record<string, string> = { callers: 'who calls it', flat: 'what it contains' };

export interface Colours {
    fill: (node: number) => string;
    legend: { name: string; colour: string }[];
    /** Changes with the colours. */
    key: string;
}

interface Props {
    tree: Tree;
    root: number;
    selected: number;
    hit: ((node: number) => boolean) | null;
    colours: Colours;
    weight: (node: number) => number;
    describe?: (node: number) => string;
    tools?: ComponentChildren;
    onSelect: (node: number) => void;
    onZoom: (node: number) => void;
}

export function FlamePanel({ tree, root, selected, hit, colours, weight, describe, tools, onSelect, onZoom }: Props) {
    const icicle = param('shape') !== 'flame';
    const whole = weight(0);
    const own = tree.which === 'callers' || tree.which === 'flat';
    const figure = own ? 'own time' : 'time';
    const usual = (node: number) => {
        const place = placeOf(tree, node);
        const share = weight(node) / (whole || NaN);
        const label = labelOf(tree, node);
        const at = place && !label.includes(place) ? ` at ${place}` : '';
        return `${label.slice(0, 300)}${at}: ${seconds(weight(node))}, ${percentFine(share)} of all${root && node !== root ? `, ${percentFine(weight(node) / (weight(root) || NaN))} of what is shown` : ''}`;
    };
    const table = () => {
        const { boxes } = layOut(tree, root, weight, 2000, 60);
        return (
            <Table
                name="flame"
                caption={`What is below ${labelOf(tree, root).slice(0, 100)}, as wide as in the picture`}
                rows={boxes.slice(0, 5000)}
                columns={[
                    { title: 'Level', value: ({ level }) => level },
                    { title: 'Function or line', text: true, value: ({ node }) => labelOf(tree, node) },
                    { title: 'Place', text: true, value: ({ node }) => placeOf(tree, node) },
                    { title: own ? 'Own time' : 'Time', unit: 's', value: ({ node }) => weight(node), show: ({ node }) => seconds(weight(node)) },
                    { title: 'Share', value: ({ node }) => weight(node) / (whole || NaN), show: ({ node }) => percentFine(weight(node) / (whole || NaN)) },
                ]}
            />
        );
    };
    const name = labelOf(tree, root);
    return (
        <ChartFrame
            name="flame"
            title={`${icicle ? 'Icicle' : 'Flame graph'} of ${name.length > 60 ? `${name.slice(0, 58)}..` : name}`}
            caption={`As wide as its ${figure}; ${icicle ? 'below' : 'above'} a box is ${INSIDE[tree.which] ?? 'what it calls'}. Click a box to zoom in, a pale one to zoom out.`}
            table={table}
            tools={
                <>
                    <button type="button" disabled={root === 0} onClick={() => onZoom(tree.parent[root])}>
                        Zoom out
                    </button>
                    <button type="button" disabled={root === 0} onClick={() => onZoom(0)}>
                        Show all
                    </button>
                    <label>
                        Shape{' '}
                        <select value={icicle ? 'icicle' : 'flame'} onChange={(event) => setParam({ shape: event.currentTarget.value === 'flame' ? 'flame' : '' })}>
                            <option value="icicle">icicle</option>
                            <option value="flame">flame graph</option>
                        </select>
                    </label>
                    {tools}
                </>
            }
        >
            <ul class="legend">
                {colours.legend.map(({ name: of, colour }) => (
                    <li key={of}>
                        <span class="swatch" style={{ background: colour.startsWith('--') ? `var(${colour})` : colour }} />
                        <bdi>{of.slice(0, 60)}</bdi>
                    </li>
                ))}
            </ul>
            <Flame
                tree={tree}
                root={root}
                icicle={icicle}
                weight={weight}
                fill={colours.fill}
                colours={colours.key}
                text={(node) => labelOf(tree, node)}
                describe={describe ?? usual}
                selected={selected}
                hit={hit}
                label={`${icicle ? 'Icicle' : 'Flame graph'} of ${name.slice(0, 200)}`}
                onSelect={onSelect}
                onZoom={onZoom}
            />
        </ChartFrame>
    );
}
