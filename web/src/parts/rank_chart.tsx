// SPDX-License-Identifier: BSD-3-Clause
// Figures of ranks, one panel each, with a choice of their order and the table behind them.
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';

import { orderOf, type RankRows, selectionOf, type Values } from '../data/rank_rows';
import { param, selectedRanks, setParam } from '../state';
import { plural } from '../text/units';
import { ChartFrame } from './chart';
import { type Panel, RankPanels } from './rank_panels';
import { Table } from './table';

export interface Figure {
    /** In the address. */
    key: string;
    name: string;
    colour: string;
    values: Values;
    show: (value: number | null) => string;
    unit: string;
    about: string;
    ofBytes?: boolean;
}

interface Props {
    name: string;
    title: string;
    caption?: ComponentChildren;
    rows: RankRows;
    hosts: string[];
    figures: Figure[];
    /** One for each figure if missing. */
    panels?: Panel[];
    height?: number;
    /** Panels have one scale. */
    common?: boolean;
}

export function RankChart({ name, title, caption, rows, hosts, figures, panels, height = 70, common }: Props) {
    const by = figures.find(({ key }) => key === param('sort')) ?? null;
    const chosen = selectedRanks.value;
    const selected = useMemo(() => selectionOf(rows.ranks, chosen), [rows, chosen]);
    const only = selected !== null && param('only') === '1';
    const order = useMemo(
        () => orderOf(rows.ranks.length, by?.values ?? null, only && selected ? (row) => selected[row] === 1 : null),
        [rows, by, only, selected],
    );
    const drawn = useMemo<Panel[]>(() => {
        if (panels) return panels;
        let upTo = 0;
        if (common) for (const { values } of figures) for (const value of values) upTo = Math.max(upTo, value ?? 0);
        return figures.map((figure) => ({
            title: figure.name,
            height,
            series: [{ name: figure.name, colour: figure.colour, values: figure.values }],
            show: figure.show,
            ofBytes: figure.ofBytes,
            upTo,
        }));
    }, [panels, figures, height, common]);
    const sortedBy = `${plural(order.length, 'rank')}, sorted by ${by?.name ?? 'rank'}`;
    return (
        <ChartFrame
            name={name}
            title={title}
            caption={caption}
            table={() => (
                <Table
                    name={name}
                    caption={`${title}, in the order of the chart`}
                    rows={order}
                    rowKey={(row) => rows.ranks[row]}
                    rowClass={(row) => (selected?.[row] ? 'chosen' : '')}
                    columns={[
                        { title: 'Rank', value: (row) => rows.ranks[row] },
                        { title: 'Host', text: true, value: (row) => hosts[rows.host[row] ?? -1] ?? null },
                        ...figures.map((figure) => ({
                            title: figure.name,
                            unit: figure.unit,
                            about: figure.about,
                            value: (row: number) => figure.values[row],
                            show: (row: number) => figure.show(figure.values[row]),
                        })),
                    ]}
                />
            )}
        >
            {rows.ranks.length > 1 && (
                <div class="controls">
                    <label>
                        Sorted by{' '}
                        <select value={by?.key ?? 'rank'} onChange={(event) => setParam({ sort: event.currentTarget.value === 'rank' ? '' : event.currentTarget.value })}>
                            <option value="rank">rank</option>
                            {figures.map(({ key, name: of }) => (
                                <option key={key} value={key}>
                                    {of}
                                </option>
                            ))}
                        </select>
                    </label>
                    {selected && (
                        <label>
                            <input type="checkbox" checked={only} onChange={(event) => setParam({ only: event.currentTarget.checked ? '1' : '' })} /> only the
                            selected ranks
                        </label>
                    )}
                    <span class="quiet">Drag over ranks to select them in all views.</span>
                </div>
            )}
            <RankPanels
                label={`${title}: ${drawn.map((panel) => panel.title).join(', ')} of ${sortedBy}`}
                panels={drawn}
                ranks={rows.ranks}
                order={order}
                axis={sortedBy}
                byRank={by === null}
                selected={only ? null : selected}
            />
        </ChartFrame>
    );
}
