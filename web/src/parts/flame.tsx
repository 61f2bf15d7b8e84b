// SPDX-License-Identifier: BSD-3-Clause
// Flame graph (callers below) and icicle (callers above) of a part of a tree, on a canvas: as wide as its time, as deep
// as its calls. Only what is at least half a pixel wide is laid out, so its cost depends on the width of the page.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { Tree } from '../data/tree';
import { colour } from './colours';
import { useDrawing } from './drawing';
import { penOf } from './picture';

const ROW = 20;
const LEVELS = 26;
const ANCESTORS = 3;
const LEAST = 0.5; // pixels
const LOAD = 40; // pixels: children of narrower boxes are not loaded for the picture

export interface Box {
    node: number;
    level: number;
    x: number;
    width: number;
}

interface Props {
    tree: Tree;
    root: number;
    icicle: boolean;
    weight: (node: number) => number;
    /** A colour of the theme such as "--waiting", or "#rrggbb". */
    fill: (node: number) => string;
    text: (node: number) => string;
    describe: (node: number) => string;
    selected: number;
    /** Boxes that a search found; null: no search. */
    hit: ((node: number) => boolean) | null;
    label: string;
    onSelect: (node: number) => void;
    onZoom: (node: number) => void;
    /** What decides the colours: it is drawn again when this changes. */
    colours: string;
}

/** Boxes of what is below a node, parents before children. */
export function layOut(tree: Tree, root: number, weight: (node: number) => number, width: number, levels: number): { boxes: Box[]; cut: boolean } {
    const boxes: Box[] = [{ node: root, level: 0, x: 0, width }];
    let cut = false;
    for (let i = 0; i < boxes.length; i++) {
        const box = boxes[i];
        if (!tree.opened(box.node)) continue;
        if (box.level + 1 >= levels) {
            cut = true;
            continue;
        }
        let sum = 0;
        tree.forChildren(box.node, (child) => (sum += weight(child)));
        const whole = Math.max(sum, weight(box.node));
        if (!(whole > 0)) continue;
        let x = box.x;
        tree.forChildren(box.node, (child) => {
            const wide = (weight(child) / whole) * box.width;
            if (wide >= LEAST) boxes.push({ node: child, level: box.level + 1, x, width: wide });
            x += wide;
        });
    }
    return { boxes, cut };
}

function channels(hex: string): [number, number, number] {
    const value = parseInt(hex.slice(1), 16) || 0;
    return [value >> 16, (value >> 8) & 255, value & 255];
}

/** Black or white, whichever can be read on the colour. */
function ink(hex: string): string {
    const [r, g, b] = channels(hex).map((c) => {
        const s = c / 255;
        return s <= 0.03928 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? '#000000' : '#ffffff';
}

/** Between two colours of the theme. */
export function mix(a: string, b: string, share: number): string {
    const x = channels(a);
    const y = channels(b);
    const part = Math.min(1, Math.max(0, share));
    return `#${x.map((c, i) => Math.round(c + (y[i] - c) * part).toString(16).padStart(2, '0')).join('')}`;
}

export function Flame(props: Props) {
    const { tree, root, icicle, weight, fill, text, selected, hit, colours } = props;
    const canvas = useRef<HTMLCanvasElement>(null);
    const frame = useRef<HTMLDivElement>(null);
    const [width, setWidth] = useState(0);
    const [pointed, setPointed] = useState(-1);
    const version = tree.version.value;
    const above = useMemo(() => tree.pathTo(root).slice(0, -1).slice(-ANCESTORS), [tree, root]);
    const { boxes, cut } = useMemo(
        () => (width ? layOut(tree, root, weight, width, LEVELS - above.length) : { boxes: [], cut: false }),
        [tree, root, weight, width, version, above],
    );
    const levels = above.length + 1 + (boxes.length ? boxes[boxes.length - 1].level : 0);
    const height = levels * ROW;

    useEffect(() => {
        const element = frame.current;
        if (!element) return;
        const observer = new ResizeObserver(() => setWidth(Math.max(100, element.clientWidth)));
        observer.observe(element);
        return () => observer.disconnect();
    }, []);

    // The picture needs the children of wide boxes.
    useEffect(() => {
        for (const box of boxes) if (box.width >= LOAD && tree.missing(box.node)) void tree.want(box.node);
    }, [boxes]);

    const y = (level: number) => (icicle ? level * ROW : height - (level + 1) * ROW);
    useDrawing(canvas, () => {
        const element = canvas.current;
        const context = element && penOf(element);
        if (!element || !context || !width) return;
        const dots = Math.min(3, window.devicePixelRatio || 1);
        element.width = Math.round(width * dots);
        element.height = Math.round(height * dots);
        context.scale(dots, dots);
        context.clearRect(0, 0, width, height);
        context.font = '12px system-ui, sans-serif';
        context.textBaseline = 'middle';
        const page = colour('--page');
        const pale = colour('--line');
        const mark = colour('--text');
        const known = new Map<string, string>();
        const resolve = (name: string) => {
            let value = known.get(name);
            if (!value) known.set(name, (value = name.startsWith('--') ? colour(name) : name));
            return value;
        };
        const draw = (node: number, level: number, x: number, wide: number, faded: boolean) => {
            const found = !hit || hit(node);
            let paint = resolve(fill(node));
            if (faded || !found) paint = mix(pale, paint, 0.15);
            context.fillStyle = paint;
            const inner = Math.max(LEAST, wide - (wide > 3 ? 1 : 0));
            context.fillRect(x, y(level), inner, ROW - 1);
            if (node === selected) {
                context.strokeStyle = mark;
                context.lineWidth = 2;
                context.strokeRect(x + 1, y(level) + 1, Math.max(1, inner - 2), ROW - 3);
            }
            if (wide < 24) return;
            context.save();
            context.beginPath();
            context.rect(x, y(level), wide - 4, ROW);
            context.clip();
            context.fillStyle = ink(paint);
            context.fillText(text(node).slice(0, 300), x + 4, y(level) + ROW / 2);
            context.restore();
        };
        context.fillStyle = page;
        context.fillRect(0, 0, width, height);
        above.forEach((node, i) => draw(node, i, 0, width, true));
        for (const box of boxes) draw(box.node, box.level + above.length, box.x, box.width, false);
    }, [boxes, height, width, selected, hit, icicle, colours, above]);

    const at = (event: MouseEvent): number => {
        const area = canvas.current!.getBoundingClientRect();
        const x = event.clientX - area.left;
        const row = Math.floor((event.clientY - area.top) / ROW);
        const level = icicle ? row : levels - 1 - row;
        if (level >= 0 && level < above.length) return above[level];
        // Boxes are sorted by level, and by place within a level.
        const box = boxes.find((b) => b.level === level - above.length && x >= b.x && x < b.x + b.width);
        return box ? box.node : -1;
    };
    const move = (node: number) => node >= 0 && props.onSelect(node);
    const onKeyDown = (event: KeyboardEvent) => {
        if (event.ctrlKey || event.altKey || event.metaKey) return;
        const index = boxes.findIndex(({ node }) => node === selected);
        const box = boxes[index] ?? boxes[0];
        const beside = (step: number) => {
            const other = boxes[boxes.indexOf(box) + step];
            if (other && other.level === box.level) move(other.node);
        };
        const deeper = icicle ? 'ArrowDown' : 'ArrowUp';
        const outer = icicle ? 'ArrowUp' : 'ArrowDown';
        switch (event.key) {
            case 'ArrowLeft':
                beside(-1);
                break;
            case 'ArrowRight':
                beside(1);
                break;
            case deeper:
                move(boxes.find((b) => b.level === box.level + 1 && tree.parent[b.node] === box.node)?.node ?? -1);
                break;
            case outer:
                if (box.node !== root) move(tree.parent[box.node]);
                break;
            case 'Home':
                move(root);
                break;
            case 'Enter':
                props.onZoom(selected);
                break;
            case 'Backspace':
            case 'Escape':
                if (root !== 0) props.onZoom(event.key === 'Escape' ? 0 : tree.parent[root]);
                break;
            default:
                return;
        }
        event.preventDefault();
    };
    const shown = pointed >= 0 && tree.has(pointed) ? pointed : selected;
    return (
        <div class="flame" ref={frame}>
            <div
                class="flame-box"
                role="group"
                tabIndex={0}
                aria-label={`${props.label}. Arrow keys move, Enter zooms in, Backspace zooms out, Escape shows all.`}
                onKeyDown={onKeyDown}
            >
                <canvas
                    ref={canvas}
                    role="img"
                    aria-label={props.label}
                    style={{ width: `${width}px`, height: `${height}px` }}
                    onMouseMove={(event) => setPointed(at(event))}
                    onMouseLeave={() => setPointed(-1)}
                    onClick={(event) => {
                        const node = at(event);
                        if (node < 0) return;
                        props.onSelect(node);
                        props.onZoom(node);
                    }}
                />
            </div>
            <p class="under" aria-live="polite">
                <bdi>{props.describe(shown)}</bdi>
            </p>
            {cut && <p class="quiet">Deeper calls are not drawn: zoom in to see them.</p>}
        </div>
    );
}
