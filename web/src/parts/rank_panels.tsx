// SPDX-License-Identifier: BSD-3-Clause
// Figures of ranks as panels below each other on one axis of ranks, in one canvas. If there are more ranks than pixels, a
// column is the mean of neighbouring ranks, and a panel of one series also shows their least and most. What follows the
// pointer is drawn in elements above the canvas, so that moving it costs nothing that grows with the ranks.
import { useMemo, useRef, useState } from 'preact/hooks';

import { meanOf, type Values } from '../data/rank_rows';
import { formatRanks } from '../data/rankset';
import { LONGEST_SELECTION, setParam } from '../state';
import { count } from '../text/units';
import { colour } from './colours';
import { useDrawing } from './drawing';
import { penOf } from './picture';
import { ticks } from './ticks';
import { useWidth } from './use_box';

export interface Series {
    name: string;
    /** A custom property: "--program". */
    colour: string;
    values: Values;
}

export interface Panel {
    title: string;
    height: number;
    /** Several are stacked. */
    series: Series[];
    show: (value: number | null) => string;
    ofBytes?: boolean;
    /** Where the scale ends at least, so that panels can be compared. */
    upTo?: number;
}

export interface Mark {
    /** Between the places `at` - 1 and `at`. */
    at: number;
    text: string;
}

interface Props {
    label: string;
    panels: Panel[];
    /** The rank of each row. */
    ranks: number[];
    /** Rows from the left to the right. */
    order: number[];
    /** "ranks, sorted by MPI time" */
    axis: string;
    /** Whether the order is that of ranks, so that the axis can have numbers. */
    byRank: boolean;
    marks?: Mark[];
    selected: Uint8Array | null;
}

const TITLE = 20;
const LEGEND_LINE = 18;
const GAP = 14;
const AXIS = 34;
const FONT = '12px system-ui, sans-serif';
const BOLD = '600 12px system-ui, sans-serif';

// ---- columns ----

interface Columns {
    n: number;
    /** First place of each column, and the end of the last one. */
    from: Uint32Array;
}

function columnsOf(places: number, width: number): Columns {
    const n = Math.min(places, Math.max(1, width));
    const from = new Uint32Array(n + 1);
    for (let c = 0; c <= n; c++) from[c] = Math.floor((c * places) / n);
    return { n, from };
}

interface Heights {
    /** By series and column: mean, NaN if unknown. */
    means: Float64Array[];
    /** Of the only series. */
    least: Float64Array | null;
    most: Float64Array | null;
    top: number;
    unknown: number;
}

function heightsOf(panel: Panel, order: number[], { n, from }: Columns): Heights {
    const single = panel.series.length === 1;
    const means = panel.series.map(() => new Float64Array(n).fill(NaN));
    const least = single ? new Float64Array(n).fill(NaN) : null;
    const most = single ? new Float64Array(n).fill(NaN) : null;
    let top = panel.upTo ?? 0;
    let unknown = 0;
    for (let c = 0; c < n; c++) {
        let stacked = 0;
        panel.series.forEach(({ values }, s) => {
            let sum = 0;
            let known = 0;
            let low = Infinity;
            let high = -Infinity;
            for (let place = from[c]; place < from[c + 1]; place++) {
                const value = values[order[place]];
                if (value === null || value === undefined) {
                    if (single) unknown++;
                    continue;
                }
                known++;
                sum += value;
                if (value < low) low = value;
                if (value > high) high = value;
            }
            if (!known) return;
            means[s][c] = sum / known;
            stacked += sum / known;
            if (least && most) {
                least[c] = low;
                most[c] = high;
                stacked = high;
            }
        });
        top = Math.max(top, stacked);
    }
    return { means, least, most, top, unknown };
}

// ---- drawing ----

interface Frame {
    left: number;
    width: number;
    /** Top of the drawing area of each panel. */
    tops: number[];
    bottom: number;
    height: number;
}

function legendLines(context: CanvasRenderingContext2D, panel: Panel, width: number): Series[][] {
    if (panel.series.length < 2) return [];
    const lines: Series[][] = [[]];
    let x = 0;
    context.font = FONT;
    for (const series of panel.series) {
        const step = context.measureText(series.name).width + 34;
        if (x + step > width && lines[lines.length - 1].length > 0) {
            lines.push([]);
            x = 0;
        }
        lines[lines.length - 1].push(series);
        x += step;
    }
    return lines;
}

function frameOf(context: CanvasRenderingContext2D, panels: Panel[], whole: number): Frame {
    const left = whole < 500 ? 58 : 72;
    const width = Math.max(20, whole - left - 8);
    const tops: number[] = [];
    let y = 0;
    for (const panel of panels) {
        y += TITLE + LEGEND_LINE * legendLines(context, panel, width).length;
        tops.push(y);
        y += panel.height + GAP;
    }
    return { left, width, tops, bottom: y - GAP, height: y - GAP + AXIS };
}

function drawTitle(context: CanvasRenderingContext2D, panel: Panel, unknown: number, frame: Frame, top: number): void {
    const lines = legendLines(context, panel, frame.width);
    let y = top - LEGEND_LINE * lines.length - 6;
    context.textAlign = 'left';
    context.textBaseline = 'alphabetic';
    context.fillStyle = colour('--text');
    context.font = BOLD;
    context.fillText(panel.title, frame.left, y);
    if (unknown > 0) {
        const x = frame.left + context.measureText(panel.title).width + 10;
        context.font = FONT;
        context.fillStyle = colour('--quiet');
        context.fillText(`unknown for ${count(unknown)} rank${unknown === 1 ? '' : 's'}`, x, y);
    }
    context.font = FONT;
    for (const line of lines) {
        y += LEGEND_LINE;
        let x = frame.left;
        for (const series of line) {
            context.fillStyle = colour(series.colour);
            context.fillRect(x, y - 9, 10, 10);
            context.fillStyle = colour('--text');
            context.fillText(series.name, x + 14, y);
            x += context.measureText(series.name).width + 34;
        }
    }
}

function drawScale(context: CanvasRenderingContext2D, panel: Panel, top: number, scale: number, frame: Frame): void {
    context.font = FONT;
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    for (const tick of ticks(scale, panel.height > 100 ? 5 : 2, panel.ofBytes ?? false)) {
        const y = Math.round(top + panel.height * (1 - (scale > 0 ? tick / scale : 0))) + 0.5;
        context.strokeStyle = colour('--line');
        context.beginPath();
        context.moveTo(frame.left - 4, y);
        context.lineTo(frame.left + frame.width, y);
        context.stroke();
        context.fillStyle = colour('--quiet');
        context.fillText(tick === 0 ? '0' : panel.show(tick).replace('.0 ', ' '), frame.left - 7, y);
    }
}

function drawColumns(context: CanvasRenderingContext2D, panel: Panel, heights: Heights, columns: Columns, top: number, frame: Frame): void {
    const scale = heights.top > 0 ? panel.height / heights.top : 0;
    const bottom = top + panel.height;
    const wide = frame.width / columns.n;
    const x = (c: number) => frame.left + (wide < 1.5 ? c : Math.round(c * wide));
    const gap = wide >= 4 ? 1 : 0;
    const base = new Float64Array(columns.n);
    panel.series.forEach((series, s) => {
        context.fillStyle = colour(series.colour);
        const mean = heights.means[s];
        for (let c = 0; c < columns.n; c++) {
            if (!(mean[c] > 0)) continue;
            const from = base[c];
            base[c] += mean[c] * scale;
            // Ends are rounded, not lengths, so that the column as a whole has the right height.
            const y = Math.round(bottom - base[c]);
            const height = Math.round(bottom - from) - y;
            context.fillRect(x(c), y, Math.max(1, x(c + 1) - x(c) - gap), height);
        }
    });
    if (heights.least && heights.most) {
        context.fillStyle = colour('--text');
        context.globalAlpha = 0.35;
        for (let c = 0; c < columns.n; c++) {
            const high = bottom - heights.most[c] * scale;
            const low = bottom - heights.least[c] * scale;
            if (low - high >= 1) context.fillRect(x(c), high, Math.max(1, x(c + 1) - x(c) - gap), low - high);
        }
        context.globalAlpha = 1;
        context.fillStyle = colour('--line');
        for (let c = 0; c < columns.n; c++) {
            if (!Number.isNaN(heights.means[0][c])) continue;
            for (let y = bottom - 3; y > top; y -= 8) context.fillRect(x(c), y, Math.max(1, x(c + 1) - x(c) - gap), 3);
        }
    }
}

/** What is not selected becomes pale. */
function drawSelection(context: CanvasRenderingContext2D, { order, selected }: Props, columns: Columns, frame: Frame): void {
    if (!selected) return;
    const at = (c: number) => frame.left + (c * frame.width) / columns.n;
    let from = 0;
    const isChosen = (c: number) => {
        for (let place = columns.from[c]; place < columns.from[c + 1]; place++) if (selected[order[place]]) return true;
        return false;
    };
    for (let c = 0; c < columns.n; c = from) {
        const chosen = isChosen(c);
        from = c + 1;
        while (from < columns.n && isChosen(from) === chosen) from++;
        const width = at(from) - at(c);
        if (chosen) {
            context.fillStyle = colour('--focus');
            context.fillRect(at(c), frame.bottom + 1, Math.max(1, width), 4);
        } else {
            context.fillStyle = colour('--page');
            context.globalAlpha = 0.65;
            for (let i = 0; i < frame.tops.length; i++) {
                const bottom = i + 1 < frame.tops.length ? frame.tops[i + 1] - TITLE - GAP : frame.bottom;
                context.fillRect(at(c), frame.tops[i], width, bottom - frame.tops[i]);
            }
            context.globalAlpha = 1;
        }
    }
}

function drawMarks(context: CanvasRenderingContext2D, { marks = [], order }: Props, frame: Frame): void {
    const place = (mark: Mark) => Math.round(frame.left + (mark.at * frame.width) / order.length) - 0.5;
    context.strokeStyle = colour('--text');
    context.setLineDash([5, 3]);
    for (const mark of marks) {
        context.beginPath();
        context.moveTo(place(mark), frame.tops[0]);
        context.lineTo(place(mark), frame.bottom);
        context.stroke();
    }
    context.setLineDash([]);
    context.font = FONT;
    context.textBaseline = 'top';
    context.textAlign = 'left';
    const free = [-Infinity, -Infinity, -Infinity, -Infinity]; // where the texts of each line end
    for (const mark of marks) {
        const x = place(mark);
        const width = context.measureText(mark.text).width;
        const start = x + 6 + width < frame.left + frame.width ? x + 4 : x - 6 - width;
        const line = free.findIndex((end) => end < start);
        if (line < 0) continue;
        free[line] = start + width + 8;
        const y = frame.tops[0] + 2 + line * 18;
        context.fillStyle = colour('--page');
        context.fillRect(start - 2, y - 2, width + 4, 16);
        context.fillStyle = colour('--text');
        context.fillText(mark.text, start, y);
    }
}

function drawAxis(context: CanvasRenderingContext2D, { axis, byRank, ranks, order, panels }: Props, frame: Frame): void {
    const y = frame.bottom + 8;
    context.font = FONT;
    context.textBaseline = 'top';
    context.fillStyle = colour('--quiet');
    const few = order.length <= Math.floor(frame.width / 28);
    if (byRank || few) {
        const step = few ? 1 : Math.max(1, ticks(order.length, Math.max(2, Math.floor(frame.width / 80)), false)[1]);
        context.textAlign = 'center';
        for (let place = 0; place < order.length; place += step)
            context.fillText(String(ranks[order[place]]), Math.max(frame.left + 4, frame.left + ((place + 0.5) * frame.width) / order.length), y);
    }
    context.textAlign = 'right';
    const wide = order.length / frame.width;
    const means = panels.some(({ series }) => series.length === 1) ? 'mean, grey: least to most' : 'mean';
    const aggregated = wide > 1 ? `${frame.width < 500 ? '' : axis}; ${wide.toFixed(0)} ranks per column: ${means}` : axis;
    context.fillText(aggregated.replace(/^; /, ''), frame.left + frame.width, y + (byRank || few ? 14 : 0));
}

function draw(canvas: HTMLCanvasElement, props: Props, whole: number): Frame | null {
    const context = penOf(canvas);
    if (!context) return null;
    const frame = frameOf(context, props.panels, whole);
    const ratio = Math.min(3, window.devicePixelRatio || 1);
    canvas.width = Math.round(whole * ratio);
    canvas.height = Math.round(frame.height * ratio);
    canvas.style.height = `${frame.height}px`;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = colour('--page');
    context.fillRect(0, 0, whole, frame.height);
    context.lineWidth = 1;
    const columns = columnsOf(props.order.length, frame.width);
    props.panels.forEach((panel, i) => {
        const heights = heightsOf(panel, props.order, columns);
        drawTitle(context, panel, heights.unknown, frame, frame.tops[i]);
        drawScale(context, panel, frame.tops[i], heights.top, frame);
        drawColumns(context, panel, heights, columns, frame.tops[i], frame);
    });
    drawSelection(context, props, columns, frame);
    drawMarks(context, props, frame);
    drawAxis(context, props, frame);
    return frame;
}

// ---- the component ----

/** The places that are pointed at, from `first` to `last`. */
interface Pointed {
    first: number;
    last: number;
}

export function RankPanels(props: Props) {
    const { label, panels, ranks, order, selected } = props;
    const [box, whole] = useWidth<HTMLDivElement>();
    const canvas = useRef<HTMLCanvasElement>(null);
    const [frame, setFrame] = useState<Frame | null>(null);
    const [cursor, setCursor] = useState<Pointed | null>(null);
    const [start, setStart] = useState<number | null>(null);
    const [refused, setRefused] = useState(0);
    const { axis, byRank, marks } = props;
    useDrawing(canvas, () => {
        if (canvas.current && whole > 0 && order.length > 0) setFrame(draw(canvas.current, props, whole));
    }, [whole, panels, ranks, order, selected, axis, byRank, marks]);

    /** The places of the column at x. */
    const at = (x: number): Pointed | null => {
        if (!frame || order.length === 0) return null;
        const columns = Math.min(order.length, frame.width);
        const column = Math.min(columns - 1, Math.max(0, Math.floor(((x - frame.left) * columns) / frame.width)));
        return { first: Math.floor((column * order.length) / columns), last: Math.floor(((column + 1) * order.length) / columns) - 1 };
    };
    const spot = (event: PointerEvent) => at(event.clientX - (box.current?.getBoundingClientRect().left ?? 0));
    const select = ({ first, last }: Pointed) => {
        const text = formatRanks(order.slice(first, last + 1).map((row) => ranks[row]));
        setRefused(text.length > LONGEST_SELECTION ? last - first + 1 : 0);
        if (text.length <= LONGEST_SELECTION) setParam({ ranks: text });
    };
    const span = (from: number, to: Pointed): Pointed => ({ first: Math.min(from, to.first), last: Math.max(from, to.last) });
    const key = (event: KeyboardEvent) => {
        const now = cursor ?? { first: 0, last: 0 };
        const page = Math.max(1, Math.round(order.length / 20));
        const step = { ArrowRight: 1, ArrowLeft: -1, PageDown: page, PageUp: -page, Home: -order.length, End: order.length }[event.key];
        if (step !== undefined) {
            const place = (p: number) => Math.min(order.length - 1, Math.max(0, p));
            if (event.shiftKey) setCursor(step > 0 ? { ...now, last: place(now.last + step) } : { ...now, first: place(now.first + step) });
            else {
                const next = cursor ? place((step > 0 ? now.last : now.first) + step) : place(step > 1 ? step : 0);
                setCursor({ first: next, last: next });
            }
        } else if (event.key === 'Enter' || event.key === ' ') {
            if (cursor) select(cursor);
        } else if (event.key === 'Escape') {
            setCursor(null);
            setParam({ ranks: '' });
        } else return;
        event.preventDefault();
    };
    const x = (place: number) => (frame ? frame.left + (place * frame.width) / order.length : 0);
    return (
        <div
            class="rank-panels"
            ref={box}
            tabIndex={0}
            role="group"
            aria-label={`${label}. Arrow keys move along the ranks, with Shift they extend the range, Enter selects it, Escape clears the selection.`}
            onKeyDown={key}
            onBlur={() => setCursor(null)}
            onPointerDown={(event) => {
                const spotted = spot(event);
                if (event.button !== 0 || !spotted) return;
                setStart(spotted.first);
                setCursor(spotted);
                (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
            }}
            onPointerMove={(event) => {
                const spotted = spot(event);
                if (spotted) setCursor(start === null ? spotted : span(start, spotted));
            }}
            onPointerUp={(event) => {
                const spotted = spot(event);
                if (start !== null && spotted) select(span(start, spotted));
                setStart(null);
            }}
            onPointerCancel={() => setStart(null)}
            onPointerLeave={() => start === null && setCursor(null)}
        >
            <canvas ref={canvas} role="img" aria-label={label} />
            {frame && cursor && (
                <>
                    <div
                        class="cursor"
                        aria-hidden="true"
                        style={{
                            left: `${x(cursor.first)}px`,
                            width: `${Math.max(1, x(cursor.last + 1) - x(cursor.first))}px`,
                            top: `${frame.tops[0]}px`,
                            height: `${frame.bottom - frame.tops[0]}px`,
                        }}
                    />
                    <Readout {...props} cursor={cursor} x={x((cursor.first + cursor.last + 1) / 2)} whole={whole} top={frame.tops[0]} />
                </>
            )}
            {refused > 0 && (
                <p class="problem" role="alert">
                    These {count(refused)} ranks are too scattered for an address. Sort by rank to select neighbours, or select fewer.
                </p>
            )}
        </div>
    );
}

const AT_MOST = 20000;

/** The figures of the ranks that are pointed at; of many ranks their mean. */
function Readout({ panels, ranks, order, cursor, x, whole, top }: Props & { cursor: Pointed; x: number; whole: number; top: number }) {
    const { first, last } = cursor;
    const rows = useMemo(() => order.slice(first, Math.min(last + 1, first + AT_MOST)), [order, first, last]);
    const many = last > first;
    const names = many ? formatRanks(rows.slice(0, 200).map((row) => ranks[row])) : String(ranks[order[first]]);
    const side = x < whole / 2 ? { left: `${x + 14}px` } : { right: `${whole - x + 14}px` };
    return (
        <div class="readout" aria-live="polite" style={{ ...side, top: `${top + 6}px` }}>
            <strong>
                {many ? `${count(last - first + 1)} ranks: ${names.length > 26 ? `${names.slice(0, 24)}..` : names}` : `Rank ${names}`}
            </strong>
            {many && <div class="quiet">means</div>}
            <table>
                <tbody>
                    {panels.flatMap((panel, p) =>
                        panel.series.map((series, s) => {
                            const value = meanOf(series.values, rows);
                            if (panel.series.length > 1 && !value) return null;
                            return (
                                <tr key={`${p} ${s}`}>
                                    <th>{panel.series.length > 1 ? series.name : panel.title}</th>
                                    <td>{panel.show(value)}</td>
                                </tr>
                            );
                        }),
                    )}
                </tbody>
            </table>
        </div>
    );
}
