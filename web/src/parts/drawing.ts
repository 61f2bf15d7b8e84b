// SPDX-License-Identifier: BSD-3-Clause
// Drawings on a canvas have the colours of the moment (colours.ts), so they are made again when the page turns dark or light,
// and in the colours of paper while it is printed. The browser takes the page right after `beforeprint`, so that is done at
// once, and not by rendering.
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

import { canBeSaved } from './picture';

const drawings = new Set<() => void>();
const redraw = () => drawings.forEach((draw) => draw());
const root = document.documentElement;

window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
window.addEventListener('beforeprint', () => {
    root.setAttribute('data-print', ''); // style/tokens.css
    redraw();
});
window.addEventListener('afterprint', () => {
    root.removeAttribute('data-print');
    redraw();
});

/** Calls `draw` whenever the colours change, until the returned function is called. */
export function onColours(draw: () => void): () => void {
    drawings.add(draw);
    return () => drawings.delete(draw);
}

/** Draws whenever one of `needs` changes, or the colours do; with the pen of the canvas (picture.ts). */
export function useDrawing(canvas: RefObject<HTMLCanvasElement | null>, draw: () => void, needs: unknown[]): void {
    const latest = useRef(draw);
    latest.current = draw;
    useEffect(draw, needs);
    useEffect(() => {
        if (canvas.current) canBeSaved(canvas.current, () => latest.current());
        return onColours(() => latest.current());
    }, []);
}
