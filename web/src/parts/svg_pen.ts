// SPDX-License-Identifier: BSD-3-Clause
// A pen that writes what is drawn on a canvas as SVG: the methods and properties of a canvas's context that the drawings of
// these pages and uPlot use. Curves, text and rectangles stay what they are; only pictures (drawImage, the tile of a pattern)
// become pixels.

type Matrix = [a: number, b: number, c: number, d: number, e: number, f: number];

const round = (value: number) => String(Math.round(value * 100) / 100);

/** Without what XML cannot contain. */
function escaped(text: string): string {
    const legal = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');
    return legal.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c] as string);
}

/** In the place of the browser's Path2D, whose content cannot be read. */
export class SvgPath {
    d: string;

    constructor(other?: SvgPath | string) {
        this.d = typeof other === 'string' ? other : (other?.d ?? '');
    }

    addPath(other: SvgPath): void {
        this.d += other.d;
    }

    moveTo(x: number, y: number): void {
        this.d += `M${round(x)} ${round(y)}`;
    }

    lineTo(x: number, y: number): void {
        this.d += `${this.d ? 'L' : 'M'}${round(x)} ${round(y)}`;
    }

    bezierCurveTo(...points: number[]): void {
        this.d += `C${points.map(round).join(' ')}`;
    }

    rect(x: number, y: number, width: number, height: number): void {
        this.d += `M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}z`;
    }

    /** A whole turn is two arcs. */
    arc(x: number, y: number, r: number, from: number, to: number, backwards = false): void {
        const parts = Math.abs(to - from) > Math.PI ? 2 : 1;
        const point = (angle: number) => `${round(x + r * Math.cos(angle))} ${round(y + r * Math.sin(angle))}`;
        this.d += `${this.d ? 'L' : 'M'}${point(from)}`;
        for (let i = 1; i <= parts; i++) this.d += `A${round(r)} ${round(r)} 0 0 ${backwards ? 0 : 1} ${point(from + ((to - from) * i) / parts)}`;
    }

    closePath(): void {
        this.d += 'z';
    }
}

const MOST_CELLS = 30000; // of a picture that is written as rectangles
const SHARPER = 4; // points for one of a picture whose points are cells: programs smooth them when they enlarge it

/** The points of a picture as rectangles by colour, those of a row that are alike as one; null if they are too many. */
function cellsOf({ data, width, height }: ImageData, x: number, y: number, wide: number, high: number): Map<string, string> | null {
    const points = new Uint32Array(data.buffer);
    const paths = new Map<string, SvgPath>();
    let n = 0;
    for (let row = 0; row < height; row++)
        for (let from = 0, to = 0; from < width; from = to) {
            const point = points[row * width + from];
            for (to = from + 1; to < width && points[row * width + to] === point; ) to++;
            if (!(point >>> 24)) continue;
            if (++n > MOST_CELLS) return null;
            const name = `#${[0, 8, 16].map((shift) => ((point >>> shift) & 255).toString(16).padStart(2, '0')).join('')}`;
            let path = paths.get(name);
            if (!path) paths.set(name, (path = new SvgPath()));
            path.rect(x + from * wide, y + row * high, (to - from) * wide, high);
        }
    return new Map(Array.from(paths, ([name, { d }]) => [name, d]));
}

/** What is not one colour: written among the definitions when it is first used. */
interface Paint {
    id: string;
    definition: () => string;
    written: boolean;
}

/** What save() keeps. */
interface State {
    fillStyle: string | Paint;
    strokeStyle: string | Paint;
    lineWidth: number;
    lineCap: string;
    lineJoin: string;
    dashes: number[];
    globalAlpha: number;
    font: string;
    textAlign: string;
    textBaseline: CanvasTextBaseline;
    matrix: Matrix;
    /** The clip path in force, '' if none. */
    clip: string;
}

const INITIAL: State = {
    fillStyle: '#000000',
    strokeStyle: '#000000',
    lineWidth: 1,
    lineCap: 'butt',
    lineJoin: 'miter',
    dashes: [],
    globalAlpha: 1,
    font: '10px sans-serif',
    textAlign: 'start',
    textBaseline: 'alphabetic',
    matrix: [1, 0, 0, 1, 0, 0],
    clip: '',
};

function transformText(matrix: Matrix): string {
    const known = matrix.map((value) => String(Math.round(value * 1e6) / 1e6));
    return known.join(' ') === '1 0 0 1 0 0' ? '' : ` transform="matrix(${known.join(' ')})"`;
}

const ANCHORS: Record<string, string> = { right: 'end', end: 'end', center: 'middle' };

export class SvgPen {
    private state = { ...INITIAL };
    private saved: State[] = [];
    private path = new SvgPath();
    private definitions = '';
    private body = '';
    private group = ''; // clip and transform of the open group
    private ids = 0;
    private rectangles = { style: '', d: '' }; // of one style, written as one path
    imageSmoothingEnabled = true;

    /** `canvas` is only told to those who ask, `ruler` measures text. */
    constructor(
        readonly canvas: HTMLCanvasElement,
        private readonly ruler: CanvasRenderingContext2D,
    ) {}

    // ---- state ----

    get fillStyle() {
        return this.state.fillStyle;
    }
    set fillStyle(value) {
        this.state.fillStyle = value;
    }
    get strokeStyle() {
        return this.state.strokeStyle;
    }
    set strokeStyle(value) {
        this.state.strokeStyle = value;
    }
    get lineWidth() {
        return this.state.lineWidth;
    }
    set lineWidth(value) {
        this.state.lineWidth = value;
    }
    get lineCap() {
        return this.state.lineCap;
    }
    set lineCap(value) {
        this.state.lineCap = value;
    }
    get lineJoin() {
        return this.state.lineJoin;
    }
    set lineJoin(value) {
        this.state.lineJoin = value;
    }
    get globalAlpha() {
        return this.state.globalAlpha;
    }
    set globalAlpha(value) {
        this.state.globalAlpha = value;
    }
    get font() {
        return this.state.font;
    }
    set font(value) {
        this.state.font = value;
    }
    get textAlign() {
        return this.state.textAlign;
    }
    set textAlign(value) {
        this.state.textAlign = value;
    }
    get textBaseline() {
        return this.state.textBaseline;
    }
    set textBaseline(value) {
        this.state.textBaseline = value;
    }

    setLineDash(dashes: number[]): void {
        this.state.dashes = dashes;
    }

    save(): void {
        this.saved.push({ ...this.state });
    }

    restore(): void {
        this.state = this.saved.pop() ?? this.state;
    }

    /** As if nothing had been drawn, with so many points for one unit. */
    reset(scale: number): void {
        this.saved = [];
        this.state = { ...INITIAL, matrix: [scale, 0, 0, scale, 0, 0] };
    }

    setTransform(...matrix: Matrix): void {
        this.state.matrix = matrix;
    }

    private multiply([a, b, c, d, e, f]: Matrix): void {
        const [A, B, C, D, E, F] = this.state.matrix;
        this.state.matrix = [A * a + C * b, B * a + D * b, A * c + C * d, B * c + D * d, A * e + C * f + E, B * e + D * f + F];
    }

    scale(x: number, y: number): void {
        this.multiply([x, 0, 0, y, 0, 0]);
    }

    translate(x: number, y: number): void {
        this.multiply([1, 0, 0, 1, x, y]);
    }

    rotate(angle: number): void {
        this.multiply([Math.cos(angle), Math.sin(angle), -Math.sin(angle), Math.cos(angle), 0, 0]);
    }

    // ---- what is written ----

    private define(make: (id: string) => string): string {
        const id = `d${++this.ids}`;
        this.definitions += make(id);
        return id;
    }

    private paintText(paint: string | Paint): string {
        if (typeof paint === 'string') return escaped(paint);
        if (!paint.written) this.definitions += paint.definition();
        paint.written = true;
        return `url(#${paint.id})`;
    }

    private writeRectangles(): void {
        const { style, d } = this.rectangles;
        if (d) this.body += `<path${style} d="${d}"/>\n`;
        this.rectangles = { style: '', d: '' };
    }

    /** Everything with one clip path and one transformation is in one group. */
    private enter(): void {
        const { matrix, clip } = this.state;
        const group = `${clip && ` clip-path="url(#${clip})"`}|${transformText(matrix)}`;
        if (group === this.group) return;
        this.leave();
        const [clipped, moved] = group.split('|');
        this.body += `<g${clipped}><g${moved}>\n`;
        this.group = group;
    }

    private leave(): void {
        this.writeRectangles();
        if (this.group) this.body += '</g></g>\n';
        this.group = '';
    }

    private write(element: string): void {
        this.enter();
        this.writeRectangles();
        this.body += `${element}\n`;
    }

    private get opacity(): string {
        return this.state.globalAlpha < 1 ? ` opacity="${round(this.state.globalAlpha)}"` : '';
    }

    private get filled(): string {
        return ` fill="${this.paintText(this.state.fillStyle)}"${this.opacity}`;
    }

    private get stroked(): string {
        const { strokeStyle, lineWidth, lineCap, lineJoin, dashes } = this.state;
        const cap = lineCap === 'butt' ? '' : ` stroke-linecap="${escaped(lineCap)}"`;
        const join = lineJoin === 'miter' ? '' : ` stroke-linejoin="${escaped(lineJoin)}"`;
        const dash = dashes.length ? ` stroke-dasharray="${dashes.map(round).join(' ')}"` : '';
        return ` fill="none" stroke="${this.paintText(strokeStyle)}" stroke-width="${round(lineWidth)}"${cap}${join}${dash}${this.opacity}`;
    }

    // ---- drawing ----

    beginPath(): void {
        this.path = new SvgPath();
    }
    moveTo(x: number, y: number): void {
        this.path.moveTo(x, y);
    }
    lineTo(x: number, y: number): void {
        this.path.lineTo(x, y);
    }
    rect(x: number, y: number, width: number, height: number): void {
        this.path.rect(x, y, width, height);
    }

    clip(path: SvgPath = this.path): void {
        const { clip, matrix } = this.state;
        const within = clip && ` clip-path="url(#${clip})"`;
        this.state.clip = this.define((id) => `<clipPath id="${id}"${within}><path${transformText(matrix)} d="${path.d}"/></clipPath>\n`);
    }

    fill(path: SvgPath | string = this.path): void {
        const { d } = path instanceof SvgPath ? path : this.path;
        if (d) this.write(`<path${this.filled} d="${d}"/>`);
    }

    stroke(path: SvgPath = this.path): void {
        if (path.d) this.write(`<path${this.stroked} d="${path.d}"/>`);
    }

    clearRect(): void {}

    fillRect(x: number, y: number, width: number, height: number): void {
        const rectangle = new SvgPath();
        rectangle.rect(x, y, width, height);
        const style = this.filled;
        this.enter();
        if (style !== this.rectangles.style || this.opacity) this.writeRectangles(); // those that are seen through may not be joined
        this.rectangles = { style, d: this.rectangles.d + rectangle.d };
    }

    strokeRect(x: number, y: number, width: number, height: number): void {
        const rectangle = new SvgPath();
        rectangle.rect(x, y, width, height);
        this.stroke(rectangle);
    }

    measureText(text: string): TextMetrics {
        this.ruler.font = this.state.font;
        this.ruler.textBaseline = 'alphabetic';
        return this.ruler.measureText(text);
    }

    fillText(text: string, x: number, y: number): void {
        const { font, textAlign, textBaseline } = this.state;
        const up = this.measureText(text).actualBoundingBoxAscent;
        this.ruler.textBaseline = textBaseline;
        const down = up - this.ruler.measureText(text).actualBoundingBoxAscent;
        const [, weight, size, family] = /^(?:(\w+) )?([\d.]+)px (.*)$/.exec(font) ?? ['', '', '10', 'sans-serif'];
        const anchor = ANCHORS[textAlign] ? ` text-anchor="${ANCHORS[textAlign]}"` : '';
        const bold = weight ? ` font-weight="${escaped(weight)}"` : '';
        this.write(
            `<text x="${round(x)}" y="${round(y + down)}" font-family="${escaped(family)}" font-size="${size}"${bold}${anchor}${this.filled} xml:space="preserve">${escaped(text)}</text>`,
        );
    }

    /** The whole picture, or a part of it, into a rectangle. */
    drawImage(picture: HTMLCanvasElement, ...places: number[]): void {
        const whole = [0, 0, picture.width, picture.height];
        const [fromX, fromY, wide, high, x, y, width, height] = places.length === 8 ? places : [...whole, ...places];
        const [columns, rows] = [Math.max(1, Math.round(wide)), Math.max(1, Math.round(high))];
        const times = this.imageSmoothingEnabled ? 1 : SHARPER;
        const part = document.createElement('canvas');
        const pen = part.getContext('2d');
        if (!pen) return;
        const copy = (scale: number) => {
            [part.width, part.height] = [columns * scale, rows * scale];
            pen.imageSmoothingEnabled = this.imageSmoothingEnabled;
            pen.drawImage(picture, fromX, fromY, wide, high, 0, 0, part.width, part.height);
        };
        copy(1);
        const cells = this.imageSmoothingEnabled ? null : cellsOf(pen.getImageData(0, 0, columns, rows), x, y, width / columns, height / rows);
        if (cells) {
            for (const [paint, d] of cells) this.write(`<path fill="${paint}"${this.opacity} shape-rendering="crispEdges" d="${d}"/>`);
            return;
        }
        copy(times);
        const place = ` x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"`;
        this.write(`<image${place} preserveAspectRatio="none"${this.opacity} href="${part.toDataURL()}"/>`);
    }

    createLinearGradient(x1: number, y1: number, x2: number, y2: number) {
        const id = `d${++this.ids}`;
        let stops = '';
        const ends = ` x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"`;
        return {
            id,
            written: false,
            definition: () => `<linearGradient id="${id}" gradientUnits="userSpaceOnUse"${ends}>${stops}</linearGradient>\n`,
            addColorStop: (offset: number, colour: string) => {
                stops += `<stop offset="${round(offset)}" stop-color="${escaped(colour)}"/>`;
            },
        };
    }

    createPattern(tile: HTMLCanvasElement) {
        const id = `d${++this.ids}`;
        const size = ` width="${tile.width}" height="${tile.height}"`;
        const picture = tile.toDataURL();
        let transform = '';
        return {
            id,
            written: false,
            definition: () => `<pattern id="${id}" patternUnits="userSpaceOnUse"${size}${transform}><image${size} href="${picture}"/></pattern>\n`,
            setTransform: ({ a, b, c, d, e, f }: DOMMatrix) => {
                transform = transformText([a, b, c, d, e, f]).replace('transform', 'patternTransform');
            },
        };
    }

    /** The drawing, of a size in points of the canvas, shown in a size in pixels of the page, before a background. */
    finish(points: [width: number, height: number], pixels: [width: number, height: number], background: string): string {
        this.leave();
        return (
            `<svg xmlns="http://www.w3.org/2000/svg" width="${round(pixels[0])}" height="${round(pixels[1])}" viewBox="0 0 ${round(points[0])} ${round(points[1])}">\n` +
            `<defs>\n${this.definitions}</defs>\n<rect width="100%" height="100%" fill="${escaped(background)}"/>\n${this.body}</svg>\n`
        );
    }
}
