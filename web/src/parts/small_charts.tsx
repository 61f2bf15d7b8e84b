// SPDX-License-Identifier: BSD-3-Clause
// Two kinds of small chart: a figure of all ranks as columns, and a few named bars. Each has the table
// behind it.
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';

import type { RankRows, Values } from '../data/rank_rows';
import { hasRank, type Range } from '../data/rankset';
import { plural } from '../text/units';
import { ChartFrame } from './chart';
import { Table } from './table';
import { ticks } from './ticks';
import { useWidth } from './use_box';

type Show = (value: number | null) => string;

/** A figure of each rank; some ranks stand out. */
export interface RankColumns {
    kind: 'ranks';
    title: string;
    unit: string;
    rows: RankRows;
    values: Values;
    marked: Range[];
    /** A custom property: "--program". */
    colour: string;
    show: Show;
    ofBytes?: boolean;
}

export interface Bar {
    name: string;
    /** One for each series; null if unknown. */
    values: (number | null)[];
    /** Stands out. */
    marked?: boolean;
}

export interface NamedBars {
    kind: 'bars';
    title: string;
    unit: string;
    series: { name: string; colour: string }[];
    bars: Bar[];
    show: Show;
}

export type SmallChart = RankColumns | NamedBars;

export function SmallChartFrame({ name, chart }: { name: string; chart: SmallChart }) {
    return (
        <ChartFrame name={name} title={chart.title} table={() => (chart.kind === 'ranks' ? <RankTable name={name} chart={chart} /> : <BarTable name={name} chart={chart} />)}>
            {chart.kind === 'ranks' ? <Columns chart={chart} /> : <Bars chart={chart} />}
        </ChartFrame>
    );
}

// ---- tables ----

function RankTable({ name, chart }: { name: string; chart: RankColumns }) {
    const order = useMemo(() => chart.rows.ranks.map((_, row) => row), [chart]);
    return (
        <Table
            name={name}
            caption={chart.title}
            rows={order}
            rowKey={(row) => chart.rows.ranks[row]}
            rowClass={(row) => (hasRank(chart.marked, chart.rows.ranks[row]) ? 'chosen' : '')}
            limit={12}
            columns={[
                { title: 'Rank', value: (row) => chart.rows.ranks[row] },
                { title: chart.title, unit: chart.unit, bar: true, value: (row) => chart.values[row], show: (row) => chart.show(chart.values[row]) },
            ]}
        />
    );
}

function BarTable({ name, chart }: { name: string; chart: NamedBars }) {
    return (
        <Table
            name={name}
            caption={chart.title}
            rows={chart.bars}
            rowKey={(_, i) => i}
            columns={[
                { title: 'Of', text: true, value: (bar) => bar.name, show: (bar) => <bdi>{bar.name}</bdi> },
                ...chart.series.map((series, s) => ({
                    title: series.name,
                    unit: chart.unit,
                    value: (bar: Bar) => bar.values[s],
                    show: (bar: Bar) => chart.show(bar.values[s]),
                })),
            ]}
        />
    );
}

// ---- ranks ----

const COLUMNS = 160;
const HEIGHT = 96;
const TOP = 20;
const LEFT = 62;
const BOTTOM = 18;

interface Column {
    first: number;
    last: number;
    mean: number | null;
    marked: boolean;
}

/** Neighbouring ranks share a column if there are many: their mean. */
function columnsOf({ rows: { ranks }, values, marked }: RankColumns): Column[] {
    const n = Math.min(ranks.length, COLUMNS);
    const columns: Column[] = [];
    for (let c = 0; c < n; c++) {
        const from = Math.floor((c * ranks.length) / n);
        const to = Math.floor(((c + 1) * ranks.length) / n);
        let sum = 0;
        let known = 0;
        let hit = false;
        for (let row = from; row < to; row++) {
            const value = values[row];
            hit ||= hasRank(marked, ranks[row]);
            if (value === null || value === undefined) continue;
            sum += value;
            known++;
        }
        columns.push({ first: ranks[from], last: ranks[to - 1], mean: known ? sum / known : null, marked: hit });
    }
    return columns;
}

function Columns({ chart }: { chart: RankColumns }) {
    const [box, whole] = useWidth<HTMLDivElement>();
    const columns = useMemo(() => columnsOf(chart), [chart]);
    const some = columns.some(({ marked }) => marked) && columns.some(({ marked }) => !marked);
    const top = columns.reduce((most, { mean }) => Math.max(most, mean ?? 0), 0);
    const width = Math.max(20, whole - LEFT - 4);
    const x = (c: number) => LEFT + (c * width) / columns.length;
    const gap = width / columns.length > 4 ? 1 : 0;
    const quiet = 'var(--quiet)';
    const named = ({ first, last }: Column) => (first === last ? `rank ${first}` : `ranks ${first}-${last}, mean`);
    const each = columns.length > 0 && columns[0].first !== columns[0].last;
    return (
        <div ref={box}>
            {whole > 0 && (
                <Drawing label={`${chart.title}, ${plural(chart.rows.ranks.length, 'rank')}`} width={whole} height={TOP + HEIGHT + BOTTOM}>
                    {some && <Legend entries={[['its ranks', chart.colour], ['others', '--other']]} />}
                    {ticks(top, 2, chart.ofBytes ?? false).map((tick) => {
                        const y = TOP + HEIGHT * (1 - (top > 0 ? tick / top : 0));
                        return (
                            <g key={tick}>
                                <line x1={LEFT} x2={LEFT + width} y1={y} y2={y} stroke="var(--line)" />
                                <text x={LEFT - 5} y={y} text-anchor="end" dominant-baseline="middle" fill={quiet}>
                                    {tick === 0 ? '0' : chart.show(tick).replace('.0 ', ' ')}
                                </text>
                            </g>
                        );
                    })}
                    {columns.map((column, c) => (
                        <g key={c}>
                            <title>{`${named(column)}: ${chart.show(column.mean)}`}</title>
                            <rect x={x(c)} y={TOP} width={width / columns.length} height={HEIGHT} fill="transparent" />
                            <rect
                                x={x(c)}
                                y={TOP + HEIGHT * (1 - (top > 0 ? (column.mean ?? 0) / top : 0))}
                                width={Math.max(0.5, width / columns.length - gap)}
                                height={top > 0 ? (HEIGHT * (column.mean ?? 0)) / top : 0}
                                fill={`var(${some && !column.marked ? '--other' : chart.colour})`}
                            />
                        </g>
                    ))}
                    <text x={LEFT} y={TOP + HEIGHT + 14} fill={quiet}>
                        {columns.length > 0 ? `rank ${columns[0].first}` : ''}
                    </text>
                    <text x={LEFT + width} y={TOP + HEIGHT + 14} text-anchor="end" fill={quiet}>
                        {columns.length > 1 ? `${each ? 'means of neighbours; ' : ''}${columns[columns.length - 1].last}` : ''}
                    </text>
                </Drawing>
            )}
        </div>
    );
}

// ---- bars ----

const LINE = 36;

function Bars({ chart }: { chart: NamedBars }) {
    const [box, whole] = useWidth<HTMLDivElement>();
    const sum = (bar: Bar) => bar.values.reduce<number>((all, value) => all + (value ?? 0), 0);
    const most = chart.bars.reduce((all, bar) => Math.max(all, sum(bar)), 0);
    const width = Math.max(20, whole - 96);
    const several = chart.series.length > 1;
    const head = several ? TOP : 0;
    const marks = chart.bars.some(({ marked }) => marked);
    const text = 'var(--text)';
    return (
        <div ref={box}>
            {whole > 0 && (
                <Drawing label={`${chart.title}: ${chart.bars.map((bar) => `${bar.name} ${chart.show(sum(bar))}`).join(', ').slice(0, 1000)}`} width={whole} height={head + LINE * chart.bars.length}>
                    {several && <Legend entries={chart.series.map(({ name, colour: of }) => [name, of])} />}
                    {chart.bars.map((bar, i) => {
                        let from = 0;
                        const y = head + i * LINE;
                        const known = bar.values.some((value) => value !== null);
                        return (
                            <g key={i}>
                                <title>{`${bar.name.slice(0, 500)}: ${bar.values.map((value, s) => `${several ? `${chart.series[s].name} ` : ''}${chart.show(value)}`).join(', ')}`}</title>
                                <text x={0} y={y + 12} fill={text} font-weight={bar.marked ? '600' : 'normal'}>
                                    {cut(bar.name, whole)}
                                </text>
                                {bar.values.map((value, s) => {
                                    const x = from;
                                    from += most > 0 ? (width * (value ?? 0)) / most : 0;
                                    const pale = marks && !bar.marked && !several;
                                    return <rect key={s} x={x} y={y + 17} width={Math.max(value ? 1 : 0, from - x)} height={12} fill={`var(${pale ? '--other' : chart.series[s].colour})`} />;
                                })}
                                <text x={from + 5} y={y + 27} fill={text}>
                                    {chart.show(known ? sum(bar) : null)}
                                </text>
                            </g>
                        );
                    })}
                </Drawing>
            )}
        </div>
    );
}

/** The end of a path tells more than its beginning. */
function cut(name: string, width: number): string {
    const most = Math.max(12, Math.floor(width / 6.8));
    return name.length <= most ? name : name.includes('/') ? `..${name.slice(2 - most)}` : `${name.slice(0, most - 2)}..`;
}

// ---- what both have ----

function Drawing({ label, width, height, children }: { label: string; width: number; height: number; children: ComponentChildren }) {
    return (
        <svg
            xmlns="http://www.w3.org/2000/svg"
            width={width}
            height={height}
            viewBox={`0 0 ${width} ${height}`}
            role="img"
            aria-label={label}
            font-family="system-ui, sans-serif"
            font-size="12"
        >
            {children}
        </svg>
    );
}

function Legend({ entries }: { entries: [name: string, colour: string][] }) {
    let x = 0;
    return (
        <>
            {entries.map(([name, of]) => {
                const at = x;
                x += 7 * name.length + 34;
                return (
                    <g key={name}>
                        <rect x={at} y={1} width={11} height={11} fill={`var(${of})`} />
                        <text x={at + 16} y={11} fill="var(--text)">
                            {name}
                        </text>
                    </g>
                );
            })}
        </>
    );
}
