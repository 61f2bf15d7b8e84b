// SPDX-License-Identifier: BSD-3-Clause
// Charts as files, for papers and other programs: SVG, and PNG. A chart that is an SVG element is copied; one that is drawn on
// a canvas is drawn once more with a pen that writes SVG (svg_pen.ts). The legend beside a canvas is part of the file.
import { colour } from './colours';
import { save } from './copy';
import { SvgPen } from './svg_pen';

/** Draws the content of a canvas again with this pen, or says no more than that it is done. */
type Draw = (pen: SvgPen) => void | Promise<void>;

const drawings = new WeakMap<HTMLCanvasElement, Draw>();
let recording: { canvas: HTMLCanvasElement; pen: SvgPen } | null = null;

/** The pen with which to draw on a canvas. */
export function penOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D | null {
    return recording?.canvas === canvas ? (recording.pen as unknown as CanvasRenderingContext2D) : canvas.getContext('2d');
}

/** `draw` draws all that is on the canvas, with the pen that it asks `penOf` for. */
export function canBeSaved(canvas: HTMLCanvasElement, draw: () => void): void {
    drawings.set(canvas, (pen) => {
        recording = { canvas, pen };
        try {
            draw();
        } finally {
            recording = null;
        }
        draw(); // a drawing that sets the size of its canvas has cleared it
    });
}

/** The same for what asks nobody for its pen. */
export function canBeSavedBy(canvas: HTMLCanvasElement, draw: Draw): void {
    drawings.set(canvas, draw);
}

// ---- the legend ----

interface Item {
    colour: string;
    /** How its swatch is hatched: across, slanted. */
    hatch: string;
    text: string;
}

const FONT = '12px system-ui, sans-serif';
const LINE = 18;
const SWATCH = 11;

function legendOf(figure: Element): Item[] {
    const items = [...figure.querySelectorAll('.legend li')].filter((item) => item.querySelector('.swatch') || !item.querySelector('button'));
    return items.map((item) => {
        const swatch = item.querySelector<HTMLElement>('.swatch');
        return {
            colour: swatch ? getComputedStyle(swatch).getPropertyValue(swatch.dataset.hatch ? 'border-top-color' : 'background-color') : '',
            hatch: swatch?.dataset.hatch ?? '',
            text: (item.textContent ?? '').replace(/\s+/g, ' ').trim().slice(0, 100),
        };
    });
}

interface Placed extends Item {
    x: number;
    y: number;
}

function placeLegend(pen: CanvasRenderingContext2D, items: Item[], width: number): { placed: Placed[]; height: number } {
    let [x, y] = [0, 0];
    pen.font = FONT;
    const placed = items.map((item) => {
        const wide = pen.measureText(item.text).width + 36;
        if (x > 0 && x + wide > width) [x, y] = [0, y + LINE];
        const place = { ...item, x: x + 4, y };
        x += wide;
        return place;
    });
    return { placed, height: items.length ? y + LINE + 6 : 0 };
}

function drawLegend(pen: CanvasRenderingContext2D, placed: Placed[], top: number, width: number, height: number): void {
    pen.fillStyle = colour('--page');
    pen.fillRect(0, top, width, height);
    pen.font = FONT;
    pen.textAlign = 'left';
    pen.textBaseline = 'middle';
    for (const { colour: own, hatch, text, x, y } of placed) {
        const middle = top + y + LINE / 2;
        if (hatch) drawHatch(pen, own, hatch, x, middle - SWATCH / 2);
        else if (own) {
            pen.fillStyle = own;
            pen.fillRect(x, middle - SWATCH / 2, SWATCH, SWATCH);
        }
        pen.fillStyle = colour('--text');
        pen.fillText(text, x + SWATCH + 6, middle);
    }
}

function drawHatch(pen: CanvasRenderingContext2D, own: string, hatch: string, x: number, y: number): void {
    pen.strokeStyle = own;
    pen.lineWidth = 1;
    pen.strokeRect(x + 0.5, y + 0.5, SWATCH - 1, SWATCH - 1);
    pen.beginPath();
    for (const at of [3, 6, 9]) {
        pen.moveTo(x, y + at);
        pen.lineTo(x + (hatch === 'across' ? SWATCH : at), hatch === 'across' ? y + at : y);
    }
    pen.stroke();
}

// ---- files ----

/** A drawing by itself: colours of the theme become those that it has now. */
function svgText(svg: SVGElement): string {
    const copy = svg.cloneNode(true) as SVGElement;
    for (const element of [copy, ...copy.querySelectorAll('*')])
        for (const attribute of ['fill', 'stroke']) {
            const property = /^var\((--[\w-]+)\)$/.exec(element.getAttribute(attribute) ?? '');
            if (property) element.setAttribute(attribute, colour(property[1]));
        }
    const page = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
    for (const [name, value] of [['width', '100%'], ['height', '100%'], ['fill', colour('--page')]]) page.setAttribute(name, value);
    copy.prepend(page);
    return new XMLSerializer().serializeToString(copy);
}

/** A canvas for pictures of the same size, and how many of its points are a pixel of the page. */
function likeness(canvas: HTMLCanvasElement, items: Item[]) {
    const { width } = canvas.getBoundingClientRect();
    const ratio = width > 0 ? canvas.width / width : 1;
    const copy = document.createElement('canvas');
    const pen = copy.getContext('2d');
    if (!pen) return null;
    const { placed, height } = placeLegend(pen, items, canvas.width / ratio);
    return { copy, pen, ratio, placed, height };
}

async function canvasText(canvas: HTMLCanvasElement, draw: Draw, items: Item[]): Promise<string> {
    const made = likeness(canvas, items);
    if (!made) return '';
    const { pen: ruler, ratio, placed, height } = made;
    const pen = new SvgPen(canvas, ruler);
    await draw(pen);
    const [width, top] = [canvas.width / ratio, canvas.height / ratio];
    pen.reset(ratio);
    if (height) drawLegend(pen as unknown as CanvasRenderingContext2D, placed, top, width, height);
    return pen.finish([canvas.width, canvas.height + height * ratio], [width, top + height], colour('--page'));
}

function savePng(name: string, canvas: HTMLCanvasElement): void {
    canvas.toBlob((blob) => blob && save(`${name}.png`, blob));
}

function saveCanvasAsPng(name: string, canvas: HTMLCanvasElement, items: Item[]): void {
    const made = likeness(canvas, items);
    if (!made) return;
    const { copy, pen, ratio, placed, height } = made;
    copy.width = canvas.width;
    copy.height = Math.round(canvas.height + height * ratio);
    pen.fillStyle = colour('--page');
    pen.fillRect(0, 0, copy.width, copy.height); // some canvases are seen through
    pen.drawImage(canvas, 0, 0);
    pen.scale(ratio, ratio);
    if (height) drawLegend(pen, placed, canvas.height / ratio, canvas.width / ratio, height);
    savePng(name, copy);
}

const PIXELS = 2; // of a picture for one of the page

/** The drawing as pixels, for programs that do not read SVG. */
function saveSvgAsPng(name: string, svg: SVGElement): void {
    const { width, height } = svg.getBoundingClientRect();
    const picture = new Image();
    picture.onload = () => {
        const canvas = document.createElement('canvas');
        canvas.width = PIXELS * width;
        canvas.height = PIXELS * height;
        canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
        savePng(name, canvas);
    };
    picture.src = `data:image/svg+xml,${encodeURIComponent(svgText(svg))}`;
}

/** Saves the picture in a figure. */
export async function savePicture(name: string, figure: Element, kind: 'svg' | 'png'): Promise<void> {
    const canvas = figure.querySelector<HTMLCanvasElement>('canvas:not(.tools *)');
    const svg = figure.querySelector<SVGElement>('svg:not(.tools *, li *)');
    const draw = canvas && drawings.get(canvas);
    if (kind === 'png') {
        if (canvas) saveCanvasAsPng(name, canvas, legendOf(figure));
        else if (svg) saveSvgAsPng(name, svg);
        return;
    }
    const text = canvas && draw ? await canvasText(canvas, draw, legendOf(figure)) : svg ? svgText(svg) : '';
    if (text) save(`${name}.svg`, new Blob([text], { type: 'image/svg+xml' }));
}
