// SPDX-License-Identifier: BSD-3-Clause
// Draws what ranks did over time: one row per rank, in the colours of modules; transfer is striped, waiting is hatched
// and pale.
import { moduleColour, type Sequence } from '../data/modules';
import type { Range } from '../data/rankset';
import { hasRank } from '../data/rankset';
import { colour } from '../parts/colours';
import { penOf } from '../parts/picture';
import { seconds } from '../text/units';

export const SEQUENCE_MARGIN = { left: 66, right: 12, top: 4, bottom: 26 };

export interface Window {
    /** In intervals. */
    from: number;
    to: number;
}

export function rowHeight(rows: number): number {
    return rows <= 4 ? 26 : rows <= 20 ? 17 : rows <= 40 ? 11 : 8;
}

/** The pattern of waiting: the colour, pale, with lines of the full colour. */
function hatch(pen: CanvasRenderingContext2D, own: string, ratio: number, across: boolean): CanvasPattern | string {
    const tile = document.createElement('canvas');
    const size = Math.round(6 * ratio);
    tile.width = size;
    tile.height = size;
    const ink = tile.getContext('2d');
    if (!ink) return own;
    ink.fillStyle = colour('--page');
    ink.fillRect(0, 0, size, size);
    ink.globalAlpha = across ? 0.55 : 0.22;
    ink.fillStyle = own;
    ink.fillRect(0, 0, size, size);
    ink.globalAlpha = across ? 1 : 0.65;
    ink.strokeStyle = own;
    ink.lineWidth = Math.max(1, 1.2 * ratio);
    ink.beginPath();
    if (across) {
        ink.moveTo(0, size / 2);
        ink.lineTo(size, size / 2);
    } else
        for (const shift of [-size, 0, size]) {
            ink.moveTo(shift, size);
            ink.lineTo(shift + size, 0);
        }
    ink.stroke();
    const pattern = pen.createPattern(tile, 'repeat');
    pattern?.setTransform(new DOMMatrix().scale(1 / ratio));
    return pattern ?? own;
}

export interface Inks {
    work: string;
    transfer: CanvasPattern | string;
    waiting: CanvasPattern | string;
}

export function makeInks(pen: CanvasRenderingContext2D, sequence: Sequence, ratio: number): Inks[] {
    return sequence.modules.map(({ name, colour: index }) => {
        const own = colour(moduleColour(name, index));
        return { work: own, transfer: hatch(pen, own, ratio, true), waiting: hatch(pen, own, ratio, false) };
    });
}

export function drawSequence(canvas: HTMLCanvasElement, sequence: Sequence, window_: Window, width: number, selected: Range[], only: number | null): void {
    const ratio = Math.min(3, window.devicePixelRatio || 1);
    const rows = sequence.ranks;
    const high = rowHeight(rows.length);
    const height = SEQUENCE_MARGIN.top + rows.length * high + SEQUENCE_MARGIN.bottom;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
        canvas.style.height = `${height}px`;
    }
    const pen = penOf(canvas);
    if (!pen) return;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.fillStyle = colour('--page');
    pen.fillRect(0, 0, width, height);
    const inks = makeInks(pen, sequence, ratio);
    const inner = width - SEQUENCE_MARGIN.left - SEQUENCE_MARGIN.right;
    const scale = inner / (window_.to - window_.from);
    const labels = Math.max(1, Math.ceil(13 / high));
    const word = (rows[rows.length - 1]?.rank ?? 0) < 10000 ? 'rank ' : '';
    pen.font = '12px system-ui, sans-serif';
    pen.textBaseline = 'middle';
    rows.forEach((row, i) => {
        const y = SEQUENCE_MARGIN.top + i * high;
        const pale = selected.length > 0 && !hasRank(selected, row.rank);
        pen.globalAlpha = pale ? 0.25 : 1;
        if (i % labels === 0) {
            pen.fillStyle = colour('--quiet');
            pen.textAlign = 'right';
            pen.fillText(`${word}${row.rank}`, SEQUENCE_MARGIN.left - 6, y + high / 2);
        }
        let at = 0;
        for (const [module, waiting, moments, transfer] of row.runs) {
            const first = Math.max(at, window_.from);
            const last = Math.min(at + moments, window_.to);
            at += moments;
            if (last <= first || module === null) continue;
            const ink = inks[module];
            if (!ink) continue;
            if (!pale) pen.globalAlpha = only !== null && only !== module ? 0.15 : 1;
            pen.fillStyle = waiting ? ink.waiting : transfer ? ink.transfer : ink.work;
            pen.fillRect(SEQUENCE_MARGIN.left + (first - window_.from) * scale, y, (last - first) * scale + 0.3, high - (high > 8 ? 2 : 1));
        }
    });
    pen.globalAlpha = 1;
    drawTimes(pen, sequence, window_, inner, SEQUENCE_MARGIN.top + rows.length * high);
}

function drawTimes(pen: CanvasRenderingContext2D, sequence: Sequence, { from, to }: Window, inner: number, y: number): void {
    const start = sequence.start_s + from * sequence.moment_s;
    const length = (to - from) * sequence.moment_s;
    const step = roundStep((length * 90) / inner);
    pen.strokeStyle = colour('--quiet');
    pen.fillStyle = colour('--quiet');
    pen.textAlign = 'center';
    pen.textBaseline = 'top';
    pen.beginPath();
    pen.moveTo(SEQUENCE_MARGIN.left, y + 2.5);
    pen.lineTo(SEQUENCE_MARGIN.left + inner, y + 2.5);
    for (let i = Math.ceil(start / step - 1e-9); i * step <= start + length; i++) {
        const x = SEQUENCE_MARGIN.left + ((i * step - start) / length) * inner;
        pen.moveTo(x, y + 2.5);
        pen.lineTo(x, y + 7);
        if (x < SEQUENCE_MARGIN.left + inner - 10) pen.fillText(i === 0 ? '0 s' : timeLabel(i * step, step), x, y + 9);
    }
    pen.stroke();
}

function roundStep(least: number): number {
    const power = 10 ** Math.floor(Math.log10(least));
    for (const factor of [1, 2, 5, 10]) if (factor * power >= least * 0.999) return factor * power;
    return 10 * power;
}

/** As exact as the distance between ticks. */
function timeLabel(s: number, step: number): string {
    if (s >= 36000 || step < 1e-6) return seconds(s);
    const [scale, unit] = step >= 0.1 || s >= 10 ? [1, 's'] : step >= 1e-4 ? [1e3, 'ms'] : [1e6, 'us'];
    return `${(s * scale).toFixed(Math.max(0, -Math.floor(Math.log10(step * scale) + 1e-9)))} ${unit}`;
}

/** What is at a place of the canvas. */
export function sequenceAt(sequence: Sequence, window_: Window, width: number, x: number, y: number): { row: number; moment: number } | null {
    const row = Math.floor((y - SEQUENCE_MARGIN.top) / rowHeight(sequence.ranks.length));
    const share = (x - SEQUENCE_MARGIN.left) / (width - SEQUENCE_MARGIN.left - SEQUENCE_MARGIN.right);
    if (row < 0 || row >= sequence.ranks.length || share < 0 || share >= 1) return null;
    return { row, moment: Math.floor(window_.from + share * (window_.to - window_.from)) };
}
