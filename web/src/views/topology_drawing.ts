// SPDX-License-Identifier: BSD-3-Clause
// Draws the part of the matrix that is in sight. A tile becomes a picture of 256 x 256 points once, and moving and
// zooming only copies these pictures, so that the work per frame does not depend on the number of ranks.
import type { HostRanges, Metric, Tile, Tiles } from '../data/topology';
import type { Range } from '../data/rankset';
import { colour } from '../parts/colours';
import { canBeSaved, penOf } from '../parts/picture';

/** The square of the matrix in sight: its first row and column, and how many ranks it is wide. */
export interface Frame {
    row: number;
    column: number;
    span: number;
}

export const MARGIN = { left: 66, top: 42, right: 10, bottom: 40 };
const LEAST_CELL = 2; /* CSS pixels: finer cells are joined, by using the next level */
const LEAST_SPAN = 4;
const PICTURES = 300;

interface Scale {
    low: number;
    high: number;
}

export class MatrixDrawing {
    frame: Frame;
    cursor: { from: number; to: number } | null = null;
    metric: Metric = 'bytes';
    selected: Range[] = [];
    format: (value: number) => string = String;
    /** Ticks of the scale are powers of it. */
    base = 10;
    side = 400;
    private ratio = 1;
    private pictures = new Map<string, { picture: HTMLCanvasElement; stamp: string }>();
    private shades = new Uint32Array(256);
    private stops: string[] = [];
    private asked = '';
    private any = true; /* cells in sight */

    constructor(
        private readonly canvas: HTMLCanvasElement,
        private readonly tiles: Tiles,
        private readonly hosts: HostRanges,
    ) {
        this.frame = this.whole();
        this.readColours();
        canBeSaved(canvas, () => this.draw());
    }

    get ranks(): number {
        return Math.max(1, this.tiles.head.ranks);
    }

    whole(): Frame {
        return { row: 0, column: 0, span: this.ranks };
    }

    isWhole(): boolean {
        return this.frame.span >= this.ranks;
    }

    /** Colours of the theme: again whenever it changes. */
    readColours(): void {
        this.stops = [0, 1, 2, 3, 4].map((i) => colour(`--heat-${i}`));
        const strip = document.createElement('canvas');
        strip.width = 256;
        strip.height = 1;
        const pen = strip.getContext('2d');
        if (!pen) return;
        pen.fillStyle = this.gradient(pen, 256);
        pen.fillRect(0, 0, 256, 1);
        this.shades = new Uint32Array(pen.getImageData(0, 0, 256, 1).data.buffer);
        this.pictures.clear();
    }

    private gradient(pen: CanvasRenderingContext2D, width: number): CanvasGradient {
        const gradient = pen.createLinearGradient(0, 0, width, 0);
        this.stops.forEach((stop, i) => gradient.addColorStop(i / (this.stops.length - 1), stop));
        return gradient;
    }

    resize(side: number): void {
        this.side = side;
        this.ratio = Math.min(3, window.devicePixelRatio || 1);
        this.canvas.width = Math.round((side + MARGIN.left + MARGIN.right) * this.ratio);
        this.canvas.height = Math.round((side + MARGIN.top + MARGIN.bottom) * this.ratio);
        this.canvas.style.width = `${side + MARGIN.left + MARGIN.right}px`;
        this.canvas.style.height = `${side + MARGIN.top + MARGIN.bottom}px`;
    }

    /** CSS pixels per rank. */
    get pixels(): number {
        return this.side / this.frame.span;
    }

    get level(): number {
        const level = Math.ceil(Math.log2(LEAST_CELL / this.pixels));
        return Math.max(0, Math.min(this.tiles.head.levels - 1, level));
    }

    /** The pair of ranks at a place of the canvas; null if it is outside the matrix. */
    ranksAt(x: number, y: number): { from: number; to: number } | null {
        const to = this.frame.column + (x - MARGIN.left) / this.pixels;
        const from = this.frame.row + (y - MARGIN.top) / this.pixels;
        const inside = x >= MARGIN.left && y >= MARGIN.top && x < MARGIN.left + this.side && y < MARGIN.top + this.side;
        return inside && from < this.ranks && to < this.ranks ? { from: Math.floor(from), to: Math.floor(to) } : null;
    }

    show(frame: Frame): void {
        const span = Math.min(this.ranks, Math.max(Math.min(LEAST_SPAN, this.ranks), frame.span));
        const limit = this.ranks - span;
        this.frame = {
            span,
            row: Math.min(limit, Math.max(0, frame.row)),
            column: Math.min(limit, Math.max(0, frame.column)),
        };
    }

    /** Zooms so that the place (x, y) of the canvas stays where it is. */
    zoom(factor: number, x: number, y: number): void {
        const before = this.frame;
        const across = (x - MARGIN.left) / this.side;
        const down = (y - MARGIN.top) / this.side;
        const span = Math.min(this.ranks, Math.max(Math.min(LEAST_SPAN, this.ranks), before.span * factor));
        this.show({ span, row: before.row + (before.span - span) * down, column: before.column + (before.span - span) * across });
    }

    pan(dx: number, dy: number): void {
        this.show({ ...this.frame, column: this.frame.column - dx / this.pixels, row: this.frame.row - dy / this.pixels });
    }

    /** The place of a pair in the canvas. */
    placeOf(from: number, to: number): [x: number, y: number] {
        return [MARGIN.left + (to - this.frame.column) * this.pixels, MARGIN.top + (from - this.frame.row) * this.pixels];
    }

    /** Moves the matrix so that the cursor is in sight. */
    reveal(): void {
        if (!this.cursor) return;
        const width = 2 ** this.level;
        const into = (first: number, at: number) => Math.max(Math.min(first, at), at + width - this.frame.span);
        this.show({ ...this.frame, row: into(this.frame.row, this.cursor.from), column: into(this.frame.column, this.cursor.to) });
    }

    /** Tiles of a level that are in sight. */
    *inSight(level: number): Generator<{ row: number; column: number; name: string }> {
        const width = this.tiles.head.tile * 2 ** level;
        const { row, column, span } = this.frame;
        for (let r = Math.floor(row / width); r * width < row + span && r * width < this.ranks; r++)
            for (let c = Math.floor(column / width); c * width < column + span && c * width < this.ranks; c++)
                if (this.tiles.exists(level, r, c)) yield { row: r, column: c, name: `${level}/${r}/${c}` };
    }

    scale(level: number): Scale {
        const high = this.tiles.head.max[this.metric][level] || 1;
        const least = this.tiles.least[this.metric][level];
        if (least >= high) return { low: high, high }; // all cells have one value
        return { low: Number.isFinite(least) ? Math.min(high, this.base ** Math.floor(Math.log(least) / Math.log(this.base) + 1e-9)) : high, high };
    }

    // ---- pictures of tiles ----

    private paint(tile: Tile, scale: Scale): HTMLCanvasElement {
        const size = this.tiles.head.tile;
        const picture = document.createElement('canvas');
        picture.width = size;
        picture.height = size;
        const pen = picture.getContext('2d');
        if (!pen) return picture;
        const image = pen.createImageData(size, size);
        const points = new Uint32Array(image.data.buffer);
        const values = tile[this.metric];
        const base = Math.log(scale.low);
        const range = Math.log(scale.high) - base;
        for (let i = 0; i < values.length; i++) {
            const share = range > 0 ? Math.max(0, (Math.log(values[i]) - base) / range) : 1;
            points[tile.cells[i]] = this.shades[Math.min(255, Math.round(255 * share))];
        }
        pen.putImageData(image, 0, 0);
        return picture;
    }

    private picture(level: number, row: number, column: number): HTMLCanvasElement | null {
        const tile = this.tiles.get(level, row, column);
        if (!tile) return null;
        const name = `${level}/${row}/${column}`;
        const scale = this.scale(level);
        const stamp = `${this.metric} ${scale.low}`;
        const kept = this.pictures.get(name);
        if (kept?.stamp === stamp) return kept.picture;
        const picture = this.paint(tile, scale);
        if (this.pictures.size >= PICTURES) this.pictures.delete(this.pictures.keys().next().value as string);
        this.pictures.set(name, { picture, stamp });
        return picture;
    }

    // ---- the whole drawing ----

    draw(): void {
        const pen = penOf(this.canvas);
        if (!pen) return;
        const { side } = this;
        pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
        pen.fillStyle = colour('--page');
        pen.fillRect(0, 0, side + MARGIN.left + MARGIN.right, side + MARGIN.top + MARGIN.bottom);
        pen.save();
        pen.beginPath();
        pen.rect(MARGIN.left, MARGIN.top, side, side);
        pen.clip();
        pen.fillStyle = colour('--card');
        pen.fillRect(MARGIN.left, MARGIN.top, this.ranks * this.pixels, this.ranks * this.pixels);
        this.drawTiles(pen);
        this.drawGrid(pen);
        this.drawSelection(pen);
        this.drawHosts(pen);
        if (!this.any) this.drawNothing(pen);
        this.drawCursor(pen);
        pen.restore();
        pen.strokeStyle = colour('--quiet');
        pen.lineWidth = 1;
        pen.strokeRect(MARGIN.left - 0.5, MARGIN.top - 0.5, side + 1, side + 1);
        this.drawAxes(pen);
        this.drawLegend(pen);
    }

    private drawTiles(pen: CanvasRenderingContext2D): void {
        const { level } = this;
        const missing: string[] = [];
        this.any = false;
        pen.imageSmoothingEnabled = false;
        for (const tile of this.inSight(level)) {
            const picture = this.picture(level, tile.row, tile.column);
            const width = this.tiles.head.tile * 2 ** level;
            const [x, y] = this.placeOf(tile.row * width, tile.column * width);
            this.any ||= !picture || this.hasCells(level, tile.row, tile.column);
            if (picture) {
                pen.drawImage(picture, x, y, width * this.pixels, width * this.pixels);
            } else {
                missing.push(tile.name);
                this.drawCoarser(pen, level, tile.row, tile.column, x, y, width * this.pixels);
            }
        }
        const all = missing.join(' ');
        if (all !== this.asked) {
            this.asked = all;
            this.tiles.want(missing);
        }
    }

    /** Whether any cell of a tile is in sight. Most often one of the first cells is. */
    private hasCells(level: number, row: number, column: number): boolean {
        const tile = this.tiles.get(level, row, column);
        const size = this.tiles.head.tile;
        const width = 2 ** level;
        const { frame } = this;
        return (
            tile?.cells.some((place) => {
                const from = (row * size + Math.floor(place / size)) * width;
                const to = (column * size + (place % size)) * width;
                return from + width > frame.row && from < frame.row + frame.span && to + width > frame.column && to < frame.column + frame.span;
            }) ?? false
        );
    }

    private drawNothing(pen: CanvasRenderingContext2D): void {
        pen.fillStyle = colour('--quiet');
        pen.font = '13px system-ui, sans-serif';
        pen.textAlign = 'center';
        pen.textBaseline = 'middle';
        pen.fillText('no messages between these ranks', MARGIN.left + this.side / 2, MARGIN.top + this.side / 2);
    }

    /** While a tile is loaded, the same part of the next level that is there. */
    private drawCoarser(pen: CanvasRenderingContext2D, level: number, row: number, column: number, x: number, y: number, width: number): void {
        for (let up = 1; level + up < this.tiles.head.levels; up++) {
            const [r, c] = [row >> up, column >> up];
            const picture = this.picture(level + up, r, c);
            if (!picture) continue;
            const part = this.tiles.head.tile / 2 ** up;
            pen.globalAlpha = 0.6;
            pen.drawImage(picture, (column - (c << up)) * part, (row - (r << up)) * part, part, part, x, y, width, width);
            pen.globalAlpha = 1;
            return;
        }
    }

    /** Lines between cells, and the values, if there is room for them. */
    private drawGrid(pen: CanvasRenderingContext2D): void {
        const size = this.pixels;
        if (size < 14) return;
        const { row, column, span } = this.frame;
        pen.strokeStyle = colour('--page');
        pen.lineWidth = 1;
        pen.beginPath();
        for (let i = 0; i <= Math.ceil(span); i++) {
            const x = Math.round(MARGIN.left + (Math.floor(column) + i - column) * size) + 0.5;
            const y = Math.round(MARGIN.top + (Math.floor(row) + i - row) * size) + 0.5;
            pen.moveTo(x, MARGIN.top);
            pen.lineTo(x, MARGIN.top + this.side);
            pen.moveTo(MARGIN.left, y);
            pen.lineTo(MARGIN.left + this.side, y);
        }
        pen.stroke();
        if (size < 56) return;
        pen.font = '12px system-ui, sans-serif';
        pen.textAlign = 'center';
        pen.textBaseline = 'middle';
        const scale = this.scale(0);
        for (let from = Math.floor(row); from < Math.min(this.ranks, row + span); from++)
            for (let to = Math.floor(column); to < Math.min(this.ranks, column + span); to++) {
                const cell = this.tiles.cell(0, from, to);
                if (!cell) continue;
                const value = cell[this.metric];
                const share = scale.high > scale.low ? Math.log(Math.max(value, scale.low) / scale.low) / Math.log(scale.high / scale.low) : 1;
                const [x, y] = this.placeOf(from, to);
                pen.fillStyle = this.ink(share);
                pen.fillText(this.format(value), x + size / 2, y + size / 2);
            }
    }

    /** Black or white, whichever can be read on the shade. */
    private ink(share: number): string {
        const shade = this.shades[Math.min(255, Math.round(255 * share))];
        const light = 0.3 * (shade & 255) + 0.6 * ((shade >> 8) & 255) + 0.1 * ((shade >> 16) & 255);
        return light > 130 ? '#000000' : '#ffffff';
    }

    /** Pairs without a selected rank become pale. */
    private drawSelection(pen: CanvasRenderingContext2D): void {
        const gaps = (first: number): Range[] => {
            const end = first + this.frame.span;
            const out: Range[] = [];
            let at = first;
            for (const [low, high] of this.selected) {
                if (low > at) out.push([at, Math.min(low, end)]);
                at = Math.max(at, high + 1);
            }
            if (at < end) out.push([at, end]);
            return out.filter(([low, high]) => high > first && low < end);
        };
        if (this.selected.length === 0) return;
        const rows = gaps(this.frame.row);
        const columns = gaps(this.frame.column);
        if (rows.length * columns.length > 2500) return; // the bands at the axes show it
        pen.fillStyle = colour('--page');
        pen.globalAlpha = 0.75;
        for (const [top, bottom] of rows)
            for (const [left, right] of columns) {
                const [x, y] = this.placeOf(top, left);
                pen.fillRect(x, y, (right - left) * this.pixels, (bottom - top) * this.pixels);
            }
        pen.globalAlpha = 1;
    }

    /** A frame around what the ranks of a host send to each other. */
    private drawHosts(pen: CanvasRenderingContext2D): void {
        if (this.hosts.hosts.length < 2) return;
        const { row, column, span } = this.frame;
        pen.strokeStyle = colour('--text');
        pen.lineWidth = 1.5;
        pen.beginPath();
        const first = Math.max(row, column);
        const end = Math.min(row, column) + span;
        for (let i = this.hosts.from(first); i < this.hosts.first.length && this.hosts.first[i] < end; i++) {
            const width = (this.hosts.last[i] - this.hosts.first[i] + 1) * this.pixels;
            if (width < 5) {
                // too small to be seen: the next one that begins a pixel or more further on
                i = Math.max(i, this.hosts.from(this.hosts.first[i] + 1 / this.pixels) - 1);
                continue;
            }
            const [x, y] = this.placeOf(this.hosts.first[i], this.hosts.first[i]);
            pen.rect(x, y, width, width);
        }
        pen.stroke();
    }

    private drawCursor(pen: CanvasRenderingContext2D): void {
        if (!this.cursor) return;
        const width = 2 ** this.level;
        const [x, y] = this.placeOf(Math.floor(this.cursor.from / width) * width, Math.floor(this.cursor.to / width) * width);
        const size = Math.max(5, width * this.pixels);
        pen.lineWidth = 5;
        pen.strokeStyle = colour('--page');
        pen.strokeRect(x - 1, y - 1, size + 2, size + 2);
        pen.lineWidth = 2.5;
        pen.strokeStyle = colour('--focus');
        pen.strokeRect(x - 1, y - 1, size + 2, size + 2);
    }

    private drawAxes(pen: CanvasRenderingContext2D): void {
        const size = this.pixels;
        const digits = String(this.ranks).length;
        const step = tickStep(Math.max(18, digits * 8 + 10) / size);
        pen.fillStyle = colour('--quiet');
        pen.font = '12px system-ui, sans-serif';
        const centre = size >= 3 ? 0.5 : 0;
        const ticks = (first: number, mark: (rank: number, at: number) => void) => {
            for (let rank = Math.ceil(first / step) * step; rank < this.ranks; rank += step) {
                const at = (rank + centre - first) * size;
                if (at > this.side) break;
                mark(rank, at);
            }
        };
        pen.textAlign = 'center';
        pen.textBaseline = 'alphabetic';
        ticks(this.frame.column, (rank, at) => pen.fillText(String(rank), MARGIN.left + at, MARGIN.top - 9));
        pen.textAlign = 'right';
        pen.textBaseline = 'middle';
        ticks(this.frame.row, (rank, at) => pen.fillText(String(rank), MARGIN.left - 9, MARGIN.top + at));
        pen.fillStyle = colour('--text');
        pen.textAlign = 'left';
        pen.textBaseline = 'alphabetic';
        pen.fillText('to rank →', MARGIN.left, 13);
        pen.save();
        pen.translate(12, MARGIN.top);
        pen.rotate(-Math.PI / 2);
        pen.textAlign = 'right';
        pen.fillText('← from rank', 0, 0);
        pen.restore();
        this.drawBands(pen);
    }

    /** At the axes: which ranks share a host, alternately light and dark, and which are selected. */
    private drawBands(pen: CanvasRenderingContext2D): void {
        const band = (first: number, low: number, high: number, thick: number, offset: number, across: boolean) => {
            const from = Math.max(0, (low - first) * this.pixels);
            const to = Math.min(this.side, (high - first) * this.pixels);
            if (to <= from) return;
            if (across) pen.fillRect(MARGIN.left + from, MARGIN.top - offset, Math.max(1, to - from), thick);
            else pen.fillRect(MARGIN.left - offset, MARGIN.top + from, thick, Math.max(1, to - from));
        };
        if (this.hosts.hosts.length > 1)
            for (const across of [true, false]) {
                const first = across ? this.frame.column : this.frame.row;
                for (let i = this.hosts.from(first); i < this.hosts.first.length && this.hosts.first[i] < first + this.frame.span; i++) {
                    if ((this.hosts.last[i] - this.hosts.first[i] + 1) * this.pixels < 2) {
                        i = Math.max(i, this.hosts.from(this.hosts.first[i] + 1 / this.pixels) - 1);
                        continue;
                    }
                    pen.fillStyle = colour(this.hosts.host[i] % 2 ? '--other' : '--line');
                    band(first, this.hosts.first[i], this.hosts.last[i] + 1, 4, 5, across);
                }
            }
        pen.fillStyle = colour('--focus');
        for (const [low, high] of this.selected.slice(0, 2000)) {
            band(this.frame.column, low, high + 1, 4, 5, true);
            band(this.frame.row, low, high + 1, 4, 5, false);
        }
    }

    private drawLegend(pen: CanvasRenderingContext2D): void {
        const { low, high } = this.scale(this.level);
        const top = MARGIN.top + this.side + 12;
        const width = Math.min(this.side, 420);
        const single = !(high > low);
        pen.save();
        pen.translate(MARGIN.left, top);
        pen.fillStyle = this.gradient(pen, width);
        if (single) pen.translate(24 - width, 0); // its end
        pen.fillRect(single ? width - 24 : 0, 0, single ? 24 : width, 11);
        pen.restore();
        pen.fillStyle = colour('--quiet');
        pen.font = '12px system-ui, sans-serif';
        pen.textBaseline = 'top';
        if (single) {
            pen.textAlign = 'left';
            pen.fillText(`${this.format(high)} in each cell with messages`, MARGIN.left + 30, top - 1);
            return;
        }
        const decades = Math.log(high / low) / Math.log(this.base);
        const each = Math.max(1, Math.ceil(decades / (width / 80)));
        let end = -Infinity;
        const label = (value: number, align: CanvasTextAlign) => {
            const x = MARGIN.left + (Math.log(value / low) / Math.log(this.base) / decades) * width;
            const text = this.format(value);
            const half = pen.measureText(text).width;
            const left = align === 'left' ? x : align === 'right' ? x - half : x - half / 2;
            if (left < end + 8) return;
            pen.textAlign = align;
            pen.fillText(text, x, top + 15);
            end = left + half;
        };
        label(low, 'left');
        const last = pen.measureText(this.format(high)).width;
        for (let power = each; power < decades; power += each) {
            const value = low * this.base ** power;
            const x = (power / decades) * width;
            if (x + pen.measureText(this.format(value)).width / 2 < width - last - 8) label(value, 'center');
        }
        label(high, 'right');
    }
}

/** 1, 2 or 5 times a power of ten, at least `least`. */
export function tickStep(least: number): number {
    const power = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, least))));
    for (const factor of [1, 2, 5, 10]) if (factor * power >= least) return factor * power;
    return 10 * power;
}
