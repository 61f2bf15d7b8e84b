// SPDX-License-Identifier: BSD-3-Clause
// Bars over classes of sizes, stacked, and the cumulated share as a line.
import { percent } from '../text/units';
import { ticks } from './ticks';
import { useWidth } from './use_box';

export interface SizeClass {
    /** "16..32 KiB" */
    name: string;
    /** "16 KiB", below the bar. */
    short: string;
    /** One for each series. */
    values: number[];
}

interface Props {
    label: string;
    series: { name: string; colour: string }[];
    classes: SizeClass[];
    show: (value: number) => string;
    ofBytes?: boolean;
    /** Below the axis: "size of messages". */
    axis: string;
}

const HEIGHT = 240;
const BOTTOM = 40;
const RIGHT = 46;

export function SizeBars(props: Props) {
    const [box, whole] = useWidth<HTMLDivElement>();
    return <div ref={box}>{whole > 0 && <Picture {...props} whole={whole} />}</div>;
}

const LINE = 18;

interface Entry {
    name: string;
    /** Null: the line. */
    colour: string | null;
    x: number;
    y: number;
}

/** The legend is in the picture, so that it is also in a saved one. */
function legendOf(series: Props['series'], whole: number): { entries: Entry[]; height: number } {
    const context = document.createElement('canvas').getContext('2d');
    if (context) context.font = '12px system-ui, sans-serif';
    const entries: Entry[] = [];
    let x = 0;
    let y = 0;
    const named = series.length > 1 ? series.map(({ name, colour: of }) => ({ name, colour: of as string | null })) : [];
    for (const { name, colour: of } of [...named, { name: 'cumulated', colour: null }]) {
        const width = Math.min(whole, (context?.measureText(name).width ?? 7 * name.length) + 36);
        if (x > 0 && x + width > whole) {
            x = 0;
            y += LINE;
        }
        entries.push({ name, colour: of, x, y });
        x += width;
    }
    return { entries, height: y + LINE + 6 };
}

function Picture({ label, series, classes, show, ofBytes, axis, whole }: Props & { whole: number }) {
    const left = 72;
    const legend = legendOf(series, whole);
    const width = Math.max(40, whole - left - RIGHT);
    const totals = classes.map(({ values }) => values.reduce((sum, value) => sum + value, 0));
    const top = Math.max(0, ...totals);
    const all = totals.reduce((sum, value) => sum + value, 0);
    const plot = HEIGHT - BOTTOM - 10;
    const y = (value: number) => 10 + plot * (1 - (top > 0 ? value / top : 0));
    const step = width / Math.max(1, classes.length);
    const bar = Math.min(60, step * 0.8);
    const every = Math.max(1, Math.ceil(52 / step));
    let sum = 0;
    const line = totals.map((value, i) => {
        sum += value;
        return [left + (i + 1) * step, 10 + plot * (1 - (all > 0 ? sum / all : 0)), all > 0 ? sum / all : 0];
    });
    const text = 'var(--text)';
    const quiet = 'var(--quiet)';
    return (
        <svg
            xmlns="http://www.w3.org/2000/svg"
            width={whole}
            height={HEIGHT + legend.height}
            viewBox={`0 ${-legend.height} ${whole} ${HEIGHT + legend.height}`}
            role="img"
            aria-label={label}
            font-family="system-ui, sans-serif"
            font-size="12"
        >
            <rect y={-legend.height} width={whole} height={HEIGHT + legend.height} fill="var(--page)" />
            {legend.entries.map((entry) => (
                <g key={entry.name} transform={`translate(${entry.x} ${entry.y - legend.height})`}>
                    {entry.colour ? (
                        <rect y="3" width="11" height="11" fill={`var(${entry.colour})`} />
                    ) : (
                        <line x1="0" x2="14" y1="8.5" y2="8.5" stroke={text} stroke-width="1.5" />
                    )}
                    <text x="18" y="13" fill={text}>
                        {entry.name.slice(0, 200)}
                    </text>
                </g>
            ))}
            {ticks(top, 4, ofBytes ?? false).map((tick) => (
                <g key={tick}>
                    <line x1={left} x2={left + width} y1={y(tick)} y2={y(tick)} stroke="var(--line)" />
                    <text x={left - 6} y={y(tick)} text-anchor="end" dominant-baseline="middle" fill={quiet}>
                        {tick === 0 ? '0' : show(tick).replace('.0 ', ' ')}
                    </text>
                </g>
            ))}
            {[0, 0.5, 1].map((share) => (
                <text key={share} x={left + width + 5} y={10 + plot * (1 - share)} dominant-baseline="middle" fill={quiet}>
                    {percent(share)}
                </text>
            ))}
            {classes.map((one, i) => {
                let base = 0;
                const x = left + i * step + (step - bar) / 2;
                return (
                    <g key={one.name}>
                        <title>
                            {`${one.name}: ${show(totals[i])}, ${percent(all > 0 ? totals[i] / all : null)}` +
                                (series.length > 1 ? `\n${series.map(({ name }, s) => (one.values[s] ? `${name} ${show(one.values[s])}` : '')).filter(Boolean).join('\n')}` : '')}
                        </title>
                        <rect x={left + i * step} y={10} width={step} height={plot} fill="transparent" />
                        {one.values.map((value, s) => {
                            if (!(value > 0)) return null;
                            const from = base;
                            base += value;
                            return <rect key={s} x={x} y={y(base)} width={bar} height={Math.max(0.5, y(from) - y(base))} fill={`var(${series[s].colour})`} />;
                        })}
                        {i % every === 0 && (
                            <text x={left + (i + 0.5) * step} y={HEIGHT - BOTTOM + 16} text-anchor="middle" fill={quiet}>
                                {one.short}
                            </text>
                        )}
                    </g>
                );
            })}
            <polyline points={[[left, 10 + plot], ...line].map(([a, b]) => `${a},${b}`).join(' ')} fill="none" stroke={text} stroke-width="1.5" />
            {line.map(([a, b, share], i) => (
                <circle key={i} cx={a} cy={b} r="2.5" fill={text}>
                    <title>{`up to ${classes[i].name}: ${percent(share)}`}</title>
                </circle>
            ))}
            <text x={left + width} y={HEIGHT - 6} text-anchor="end" fill={quiet}>
                {axis}
            </text>
        </svg>
    );
}
