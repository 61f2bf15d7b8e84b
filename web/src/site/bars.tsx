// SPDX-License-Identifier: BSD-3-Clause
// Rows of a table as bars: one or two for each row, the second one thinner, on the same scale.
import type { ComponentChildren } from 'preact';

import { ChartFrame } from '../parts/chart';
import { type Column, Table } from '../parts/table';
import { useWidth } from '../parts/use_box';

export interface BarRow {
    name: string;
    values: (number | null)[];
}

interface Props {
    name: string;
    title: string;
    caption?: ComponentChildren;
    rows: BarRow[];
    /** What the first and the second bar are. */
    measures: { title: string; fill: string; text: (value: number | null) => string; unit?: string }[];
    /** The largest value of the scale; the largest of the rows if missing. */
    most?: number;
    link?: (name: string) => string | null;
    /** Heading of the names. */
    of: string;
    limit?: number;
}

const ROW = 30;
const SHOWN = 14;

export function BarChart({ name, title, caption, rows, measures, most, link, of, limit = SHOWN }: Props) {
    const columns: Column<BarRow>[] = [
        {
            title: of,
            text: true,
            value: (row) => row.name,
            show: (row) => {
                const to = link?.(row.name);
                return to ? (
                    <a href={to}>
                        <bdi>{row.name}</bdi>
                    </a>
                ) : (
                    <bdi>{row.name}</bdi>
                );
            },
        },
        ...measures.map((measure, i): Column<BarRow> => ({ title: measure.title, unit: measure.unit, value: (row) => row.values[i], show: (row) => measure.text(row.values[i]) })),
    ];
    return (
        <ChartFrame name={name} title={title} caption={caption} table={() => <Table name={name} caption={title} rows={rows} columns={columns} limit={30} />}>
            {rows.length === 0 ? (
                <p class="quiet">None.</p>
            ) : (
                <>
                    <Bars title={title} rows={rows.slice(0, limit)} measures={measures} most={most} link={link} />
                    <ul class="legend">
                        {measures.length > 1 &&
                            measures.map((measure, i) => (
                                <li key={i}>
                                    <span class={i ? 'swatch thin' : 'swatch'} style={{ background: `var(${measure.fill})` }} aria-hidden="true" />
                                    {measure.title}
                                </li>
                            ))}
                        {rows.length > limit && <li class="quiet">The first {limit} of {rows.length}.</li>}
                    </ul>
                </>
            )}
        </ChartFrame>
    );
}

function Bars({ title, rows, measures, most, link }: Pick<Props, 'title' | 'rows' | 'measures' | 'most' | 'link'>) {
    const [box, width] = useWidth<HTMLDivElement>();
    const names = Math.min(190, Math.max(80, Math.round(width * 0.3)));
    const texts = rows.map((row) => measures.map((measure, m) => measure.text(row.values[m])).join(' · '));
    const numbers = 10 + 6.8 * Math.max(0, ...texts.map((text) => text.length));
    const wide = Math.max(20, width - names - numbers - 12);
    const largest = most ?? Math.max(0, ...rows.flatMap(({ values }) => values.map((value) => value ?? 0)));
    const length = (value: number | null) => (value !== null && largest > 0 ? Math.max(value > 0 ? 1 : 0, (wide * Math.min(value, largest)) / largest) : 0);
    const letters = Math.max(6, Math.floor(names / 7.4));
    return (
        <div ref={box}>
            {width > 0 && (
                <svg class="bars" width={width} height={rows.length * ROW} role="group" aria-label={title}>
                    {rows.map((row, i) => {
                        const y = i * ROW;
                        const label = `${row.name}: ${measures.map((measure, m) => `${measure.title} ${measure.text(row.values[m])}`).join(', ')}`;
                        const short = row.name.length > letters ? `${row.name.slice(0, letters - 1)}…` : row.name;
                        const to = link?.(row.name);
                        const text = (
                            <text x={names} y={y + 18} text-anchor="end" fill={to ? 'var(--link)' : 'var(--text)'} font-size="12.5" unicode-bidi="isolate">
                                {short}
                            </text>
                        );
                        return (
                            <g key={row.name}>
                                <title>{label}</title>
                                {to ? (
                                    <a href={to} aria-label={label}>
                                        {text}
                                    </a>
                                ) : (
                                    text
                                )}
                                {measures.length === 1 ? (
                                    <rect x={names + 8} y={y + 6} width={length(row.values[0])} height={18} fill={`var(${measures[0].fill})`} />
                                ) : (
                                    <>
                                        <rect x={names + 8} y={y + 4} width={length(row.values[0])} height={13} fill={`var(${measures[0].fill})`} />
                                        <rect x={names + 8} y={y + 18} width={length(row.values[1])} height={6} fill={`var(${measures[1].fill})`} />
                                    </>
                                )}
                                <text x={names + 12 + Math.max(...row.values.map(length))} y={y + 19} fill="var(--quiet)" font-size="12">
                                    {texts[i]}
                                </text>
                            </g>
                        );
                    })}
                </svg>
            )}
        </div>
    );
}
