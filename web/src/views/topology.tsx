// SPDX-License-Identifier: BSD-3-Clause
// Who sends to whom: a matrix from the whole job down to single pairs of ranks, and the heaviest cells in sight.
import { signal, type Signal } from '@preact/signals';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { hasRank } from '../data/rankset';
import { type Cell, HostRanges, type Metric, Tiles, type TopologyHead } from '../data/topology';
import { ChartFrame } from '../parts/chart';
import { onColours } from '../parts/drawing';
import { Loading } from '../parts/loading';
import { SliceView } from '../parts/slice_view';
import { type Column, Table } from '../parts/table';
import { useProfile } from '../parts/use_slice';
import { param, selectedRanks, setParam } from '../state';
import { bytes, count, nanoseconds, percentFine, plural, seconds } from '../text/units';
import { MARGIN, MatrixDrawing } from './topology_drawing';

const METRICS: { key: string; metric: Metric; title: string; base: number; show: (value: number) => string }[] = [
    { key: 'bytes', metric: 'bytes', title: 'bytes', base: 4, show: (value) => bytes(value) },
    { key: 'messages', metric: 'messages', title: 'messages', base: 10, show: (value) => count(value) },
    { key: 'time', metric: 'time_ns', title: 'time in calls', base: 10, show: (value) => nanoseconds(value) },
];
const HEAVIEST = 100;
const REST = 160; /* ms without movement, after which table and address follow */

export function TopologyView() {
    const { job } = useProfile().summary;
    return (
        <>
            <h2>Topology: who sends to whom</h2>
            <SliceView<TopologyHead> name="topology" missing="The profile has no matrix of communication: its MPI calls were not counted.">
                {(head) =>
                    head.pairs === 0 ? (
                        <p class="calm">
                            {job.mpi
                                ? 'No point-to-point message was sent between ranks.'
                                : 'The program made no MPI calls, so there are no messages between ranks.'}
                        </p>
                    ) : (
                        <Topology head={head} />
                    )
                }
            </SliceView>
        </>
    );
}

function Topology({ head }: { head: TopologyHead }) {
    const { source, summary } = useProfile();
    const tiles = useMemo(() => new Tiles(source, head), [source, head]);
    const hosts = useMemo(() => new HostRanges(summary.job.hosts_list), [summary]);
    const [pointed] = useState(() => signal<Pointed | null>(null));
    const [heaviest] = useState(() => signal<Heaviest | null>(null));
    const metric = METRICS.find(({ key }) => key === param('metric')) ?? METRICS[0];
    const grid = summary.job.cart_dims;
    const { left_out: left } = head;
    const level = heaviest.value?.level ?? 0;
    return (
        <>
            <p>
                <strong data-value="pairs">{plural(head.pairs, 'pair')}</strong> exchanged{' '}
                <strong data-value="messages">{count(head.totals.messages)}</strong> messages,{' '}
                <strong data-value="bytes">{bytes(head.totals.bytes)}</strong>, point to point.
                <BetweenHosts tiles={tiles} hosts={hosts} />
                {left.pairs > 0 &&
                    ` The profile of this large job omits ${count(left.pairs)} lighter pairs with ${count(left.messages)} messages, ${bytes(left.bytes)}.`}
                {grid.length > 0 &&
                    ` The program arranges its ranks in a grid of ${grid.join(' x ')}${grid.length > 1 ? '; the last dimension varies fastest' : ''}.`}
            </p>
            <div class="topology">
                <ChartFrame
                    name="topology"
                    title={`Matrix of ${metric.title}`}
                    caption={
                        <>
                            Rows send, columns receive; {level > 0 ? `a cell is ${2 ** level} x ${2 ** level} ranks; ` : ''}
                            the scale is logarithmic
                            {hosts.hosts.length > 1 && 2 ** level * hosts.hosts.length < head.ranks ? '; a frame is a host, and what is outside goes over the network' : ''}.
                        </>
                    }
                    table={() => <Heavy heaviest={heaviest} metric={metric} head={head} name="topology-table" />}
                >
                    <Matrix tiles={tiles} hosts={hosts} metric={metric} pointed={pointed} heaviest={heaviest} />
                </ChartFrame>
                <div>
                    <Details pointed={pointed} hosts={hosts} />
                    <Heavy heaviest={heaviest} metric={metric} head={head} name="heaviest" />
                </div>
            </div>
            {metric.metric === 'time_ns' && (
                <p class="quiet">Time that sender and receiver spent in calls for this pair. Time in MPI_Wait and similar routines is not attributed to pairs.</p>
            )}
            {head.programs.length > 0 && (
                <Table
                    name="programs"
                    caption="Between programs"
                    rows={head.programs}
                    sortedBy={3}
                    columns={[
                        { title: 'From', text: true, value: (row) => row.from },
                        { title: 'To', text: true, value: (row) => row.to },
                        { title: 'Pairs', value: (row) => row.pairs, show: (row) => count(row.pairs) },
                        { title: 'Bytes', value: (row) => row.bytes, show: (row) => bytes(row.bytes), bar: true },
                        { title: 'Messages', value: (row) => row.messages, show: (row) => count(row.messages) },
                        { title: 'Sending', unit: 's', value: (row) => row.send_s, show: (row) => seconds(row.send_s) },
                        { title: 'Receiving', unit: 's', value: (row) => row.receive_s, show: (row) => seconds(row.receive_s) },
                    ]}
                />
            )}
        </>
    );
}

const ALL_TILES = 64;

/** How much goes to another host, if the pairs are few enough to look at all of them. */
function BetweenHosts({ tiles, hosts }: { tiles: Tiles; hosts: HostRanges }) {
    const [fraction, setFraction] = useState<number | null>(null);
    const few = hosts.hosts.length > 1 && tiles.head.tiles[0].length <= ALL_TILES;
    useEffect(() => {
        let current = true;
        if (few) tiles.bytesBetween(hosts).then((between) => current && setFraction(between / tiles.head.totals.bytes), () => {});
        return () => {
            current = false;
        };
    }, [tiles, hosts]);
    if (!few || fraction === null || !Number.isFinite(fraction)) return null;
    return (
        <>
            {' '}
            <strong data-value="between-hosts">{percentFine(fraction)}</strong> of the bytes go to another host.
        </>
    );
}

// ---- the matrix ----

interface Pointed {
    from: number;
    to: number;
    width: number;
    /** null: no messages; undefined: not known yet. */
    cell: Cell | null | undefined;
}

interface Heaviest {
    metric: Metric;
    level: number;
    cells: Cell[];
    /** Cells in sight, of which `cells` are the heaviest. */
    all: number;
    whole: boolean;
}

interface MatrixProps {
    tiles: Tiles;
    hosts: HostRanges;
    metric: (typeof METRICS)[number];
    pointed: Signal<Pointed | null>;
    heaviest: Signal<Heaviest | null>;
}

function numbers(text: string, n: number): number[] | null {
    const list = text.split(',').map(Number);
    return text && list.length === n && list.every((value) => Number.isFinite(value) && value >= 0) ? list : null;
}

function Matrix({ tiles, hosts, metric, pointed, heaviest }: MatrixProps) {
    const box = useRef<HTMLDivElement>(null);
    const canvas = useRef<HTMLCanvasElement>(null);
    const control = useRef<Control | null>(null);
    const [whole, setWhole] = useState(true);
    const [zoomed, setZoomed] = useState(0);
    const [error, setError] = useState('');
    useEffect(() => {
        if (!canvas.current || !box.current) return;
        const made = new Control(box.current, canvas.current, tiles, hosts, pointed, heaviest, (isWhole) => {
            setWhole(isWhole);
            setZoomed((n) => n + 1);
            setError(tiles.error);
        });
        control.current = made;
        return () => made.end();
    }, [tiles, hosts]);
    const at = param('at');
    const cell = param('cell');
    const chosen = selectedRanks.value;
    useEffect(() => control.current?.setMetric(metric), [metric]);
    useEffect(() => control.current?.setSelected(chosen), [chosen]);
    useEffect(() => control.current?.setAddress(at, cell), [at, cell]);
    void zoomed;
    const label =
        `Matrix of ${metric.title} between ${plural(tiles.head.ranks, 'rank')}. ` +
        'Arrow keys move to a cell, plus and minus zoom, Enter zooms to the cell, 0 shows the whole matrix.';
    return (
        <div class="matrix" ref={box} tabIndex={0} role="application" aria-label={label}>
            <p class="zoom">
                <label>
                    Colour:{' '}
                    <select value={metric.key} onChange={(event) => setParam({ metric: event.currentTarget.value })}>
                        {METRICS.map(({ key, title }) => (
                            <option key={key} value={key}>
                                {title}
                            </option>
                        ))}
                    </select>
                </label>
                <button type="button" aria-label="Zoom in" onClick={() => control.current?.zoomBy(0.5)}>
                    +
                </button>
                <button type="button" aria-label="Zoom out" disabled={whole} onClick={() => control.current?.zoomBy(2)}>
                    −
                </button>
                <button type="button" disabled={whole} onClick={() => control.current?.showWhole()}>
                    Whole matrix
                </button>
            </p>
            <canvas ref={canvas} role="img" aria-label={`Matrix of ${metric.title}; the table has its heaviest cells`} data-whole={whole ? 'yes' : 'no'} />
            <p class="hint quiet">Wheel, + and − zoom; drag moves; arrow keys go from cell to cell.</p>
            {error && <p class="problem">A part of the matrix cannot be loaded: {error}</p>}
        </div>
    );
}

/** Pointer, wheel and keys. Nothing here draws the page again: the canvas is drawn once per frame at most, and the rest of
 *  the page follows when the matrix has come to rest. */
class Control {
    private readonly drawing: MatrixDrawing;
    private frame = 0;
    private rest = 0;
    private written = { at: '', cell: '' };
    private readonly pointers = new Map<number, { x: number; y: number }>();
    private readonly stop = new AbortController();
    private readonly observer: ResizeObserver;
    private moved = false;

    constructor(
        private readonly box: HTMLElement,
        private readonly canvas: HTMLCanvasElement,
        private readonly tiles: Tiles,
        hosts: HostRanges,
        private readonly pointed: Signal<Pointed | null>,
        private readonly heaviest: Signal<Heaviest | null>,
        private readonly rested: (whole: boolean) => void,
    ) {
        this.drawing = new MatrixDrawing(canvas, tiles, hosts);
        const { signal: ended } = this.stop;
        const listen = <E extends Event>(on: EventTarget, name: string, does: (event: E) => void, passive = true) =>
            on.addEventListener(name, does as EventListener, { signal: ended, passive });
        listen<WheelEvent>(canvas, 'wheel', (event) => this.wheel(event), false);
        listen<PointerEvent>(canvas, 'pointerdown', (event) => this.down(event));
        listen<PointerEvent>(canvas, 'pointermove', (event) => this.move(event));
        listen<PointerEvent>(canvas, 'pointerup', (event) => this.up(event));
        listen<PointerEvent>(canvas, 'pointercancel', (event) => this.up(event));
        listen<PointerEvent>(canvas, 'pointerleave', () => this.point(this.drawing.cursor));
        listen<MouseEvent>(canvas, 'dblclick', (event) => this.zoomAt(0.25, ...this.place(event)));
        listen<KeyboardEvent>(box, 'keydown', (event) => this.key(event), false);
        ended.addEventListener(
            'abort',
            onColours(() => {
                this.drawing.readColours();
                this.drawing.draw();
            }),
        );
        tiles.arrived = () => this.changed();
        this.observer = new ResizeObserver(() => this.resize());
        this.observer.observe(box);
        this.resize();
    }

    end(): void {
        this.stop.abort();
        this.observer.disconnect();
        cancelAnimationFrame(this.frame);
        clearTimeout(this.rest);
        this.tiles.arrived = () => {};
    }

    setMetric({ metric, show, base }: MatrixProps['metric']): void {
        this.drawing.metric = metric;
        this.drawing.format = show;
        this.drawing.base = base;
        this.changed();
    }

    setSelected(ranges: [number, number][]): void {
        this.drawing.selected = [...ranges].sort((a, b) => a[0] - b[0]);
        this.changed();
    }

    /** The address has changed; not by this matrix, because then it is what was written. */
    setAddress(at: string, cell: string): void {
        if (at === this.written.at && cell === this.written.cell) return;
        const frame = numbers(at, 3);
        const place = numbers(cell, 2);
        if (frame) this.drawing.show({ row: frame[0], column: frame[1], span: frame[2] });
        else this.drawing.show(this.drawing.whole());
        const { ranks } = this.drawing;
        this.drawing.cursor = place && place[0] < ranks && place[1] < ranks ? { from: Math.floor(place[0]), to: Math.floor(place[1]) } : null;
        this.written = { at, cell };
        this.point(this.drawing.cursor);
        this.changed();
    }

    // ---- drawing ----

    private redraw(): void {
        if (this.frame) return;
        this.frame = requestAnimationFrame(() => {
            this.frame = 0;
            this.drawing.draw();
        });
    }

    private changed(): void {
        this.redraw();
        clearTimeout(this.rest);
        this.rest = window.setTimeout(() => this.atRest(), REST);
    }

    private resize(): void {
        const room = this.box.clientWidth - MARGIN.left - MARGIN.right;
        const side = Math.floor(Math.max(180, Math.min(room, 720, window.innerHeight - 340)));
        if (side !== this.drawing.side || !this.canvas.style.width) this.drawing.resize(Math.max(side, Math.min(room, 260)));
        this.changed();
    }

    private atRest(): void {
        const { drawing } = this;
        const { row, column, span } = drawing.frame;
        const tidy = (value: number) => String(Math.round(value * 100) / 100);
        const at = drawing.isWhole() ? '' : [row, column, span].map(tidy).join(',');
        const cell = drawing.cursor ? `${drawing.cursor.from},${drawing.cursor.to}` : '';
        if (at !== this.written.at || cell !== this.written.cell) {
            this.written = { at, cell };
            setParam({ at, cell });
        }
        this.canvas.style.touchAction = drawing.isWhole() ? 'pan-y' : 'none';
        this.heaviest.value = this.findHeaviest();
        if (this.pointed.value) this.point(this.pointed.value);
        this.rested(drawing.isWhole());
    }

    private findHeaviest(): Heaviest {
        const { level, metric, frame, selected } = this.drawing;
        const width = 2 ** level;
        const size = this.tiles.head.tile;
        const inside = (first: number, at: number) => at + width > first && at < first + frame.span;
        let found: { value: number; make: () => Cell }[] = [];
        let all = 0;
        let limit = -1;
        const cut = () => {
            found.sort((a, b) => b.value - a.value);
            found = found.slice(0, HEAVIEST);
            if (found.length === HEAVIEST) limit = found[HEAVIEST - 1].value;
        };
        for (const { row, column } of this.drawing.inSight(level)) {
            const tile = this.tiles.get(level, row, column);
            if (!tile) continue;
            for (let i = 0; i < tile.cells.length; i++) {
                const from = (row * size + Math.floor(tile.cells[i] / size)) * width;
                const to = (column * size + (tile.cells[i] % size)) * width;
                if (!inside(frame.row, from) || !inside(frame.column, to)) continue;
                if (selected.length && !touches(selected, from, width) && !touches(selected, to, width)) continue;
                all++;
                const value = tile[metric][i];
                if (value <= limit) continue;
                found.push({ value, make: () => this.tiles.cellAt(tile, i, level, row, column) });
                if (found.length >= 20 * HEAVIEST) cut();
            }
        }
        cut();
        return { metric, level, cells: found.map(({ make }) => make()), all, whole: this.drawing.isWhole() };
    }

    private point(at: { from: number; to: number } | null): void {
        if (!at) {
            this.pointed.value = null;
            return;
        }
        const width = 2 ** this.drawing.level;
        const from = Math.floor(at.from / width) * width;
        const to = Math.floor(at.to / width) * width;
        this.pointed.value = { from, to, width, cell: this.tiles.cell(this.drawing.level, from, to) };
    }

    // ---- zoom ----

    private zoomAt(factor: number, x: number, y: number): void {
        this.drawing.zoom(factor, x, y);
        this.changed();
    }

    /** Around the cursor if it is in sight, else around the middle. */
    zoomBy(factor: number): void {
        const { cursor, side } = this.drawing;
        const middle: [number, number] = [MARGIN.left + side / 2, MARGIN.top + side / 2];
        const place = cursor ? this.drawing.placeOf(cursor.from, cursor.to) : middle;
        const inside = place[0] >= MARGIN.left && place[1] >= MARGIN.top && place[0] <= MARGIN.left + side && place[1] <= MARGIN.top + side;
        this.zoomAt(factor, ...(inside ? place : middle));
    }

    showWhole(): void {
        this.drawing.show(this.drawing.whole());
        this.changed();
    }

    // ---- events ----

    private place(event: MouseEvent): [x: number, y: number] {
        const box = this.canvas.getBoundingClientRect();
        return [event.clientX - box.left, event.clientY - box.top];
    }

    private wheel(event: WheelEvent): void {
        const out = event.deltaY > 0;
        if (out && this.drawing.isWhole()) return; // the page scrolls
        const [x, y] = this.place(event);
        if (!this.drawing.ranksAt(x, y)) return;
        event.preventDefault();
        const steps = event.deltaMode === 0 ? event.deltaY / 100 : event.deltaY / 3;
        this.zoomAt(1.3 ** Math.max(-4, Math.min(4, steps)), x, y);
    }

    private down(event: PointerEvent): void {
        const [x, y] = this.place(event);
        if (event.button !== 0 || !this.drawing.ranksAt(x, y)) return;
        this.canvas.setPointerCapture(event.pointerId);
        this.pointers.set(event.pointerId, { x, y });
        this.moved = false;
    }

    private move(event: PointerEvent): void {
        const [x, y] = this.place(event);
        const before = this.pointers.get(event.pointerId);
        if (!before) {
            this.point(this.drawing.ranksAt(x, y) ?? this.drawing.cursor);
            return;
        }
        const other = [...this.pointers.entries()].find(([id]) => id !== event.pointerId)?.[1];
        if (other) {
            const distance = (a: { x: number; y: number }) => Math.hypot(a.x - other.x, a.y - other.y);
            this.drawing.zoom(distance(before) / Math.max(1, distance({ x, y })), (x + other.x) / 2, (y + other.y) / 2);
        } else {
            if (!this.moved && Math.hypot(x - before.x, y - before.y) < 4) return;
            this.drawing.pan(x - before.x, y - before.y);
        }
        this.moved = true;
        this.pointers.set(event.pointerId, { x, y });
        this.changed();
    }

    private up(event: PointerEvent): void {
        if (!this.pointers.delete(event.pointerId) || this.moved) return;
        this.setCursor(this.drawing.ranksAt(...this.place(event)));
    }

    private setCursor(at: { from: number; to: number } | null): void {
        if (!at) return;
        this.drawing.cursor = at;
        this.point(at);
        this.changed();
    }

    private key(event: KeyboardEvent): void {
        if (event.target !== this.box || event.ctrlKey || event.metaKey || event.altKey) return;
        const { drawing } = this;
        const step = 2 ** drawing.level * (event.shiftKey ? 10 : 1);
        const moves: Record<string, [number, number]> = { ArrowUp: [-step, 0], ArrowDown: [step, 0], ArrowLeft: [0, -step], ArrowRight: [0, step] };
        const move = moves[event.key];
        if (move) {
            const { row, column, span } = drawing.frame;
            const within = (rank: number) => Math.min(drawing.ranks - 1, Math.max(0, rank));
            const cursor = drawing.cursor ?? { from: Math.floor(row + span / 2), to: Math.floor(column + span / 2) };
            this.setCursor(drawing.cursor ? { from: within(cursor.from + move[0]), to: within(cursor.to + move[1]) } : cursor);
            drawing.reveal();
        } else if (event.key === '+' || event.key === '=') this.zoomBy(0.5);
        else if (event.key === '-') this.zoomBy(2);
        else if (event.key === 'Enter') this.zoomBy(0.25);
        else if (event.key === '0' || event.key === 'Home') this.showWhole();
        else if (event.key === 'Escape') {
            drawing.cursor = null;
            this.point(null);
            this.changed();
        } else return;
        event.preventDefault();
    }
}

function touches(ranges: [number, number][], first: number, width: number): boolean {
    return width === 1 ? hasRank(ranges, first) : ranges.some(([low, high]) => low < first + width && high >= first);
}

// ---- numbers ----

function rangeText(first: number, width: number, ranks: number): string {
    const last = Math.min(ranks, first + width) - 1;
    return first === last ? `rank ${first}` : `ranks ${first}-${last}`;
}

/** The cell under the pointer or the cursor. */
function Details({ pointed, hosts }: { pointed: Signal<Pointed | null>; hosts: HostRanges }) {
    const { job } = useProfile().summary;
    const at = pointed.value;
    const hostOf = (first: number, width: number) => {
        const names = [hosts.name(first), hosts.name(Math.min(job.ranks, first + width) - 1)];
        if (!names[0] || !names[1]) return 'unknown host';
        return names[0] === names[1] ? names[0] : `${names[0]} .. ${names[1]}`;
    };
    return (
        <div class="card details" aria-live="polite" data-part="cell">
            {!at ? (
                <p class="quiet">Point at a cell to see its numbers.</p>
            ) : (
                <>
                    <p>
                        <strong>{rangeText(at.from, at.width, job.ranks)}</strong> (<bdi>{hostOf(at.from, at.width)}</bdi>) to{' '}
                        <strong>{rangeText(at.to, at.width, job.ranks)}</strong> (<bdi>{hostOf(at.to, at.width)}</bdi>)
                    </p>
                    {at.cell === undefined && <Loading />}
                    {at.cell === null && <p>no messages</p>}
                    {at.cell && (
                        <p>
                            {bytes(at.cell.bytes)} in {plural(at.cell.messages, 'message')}
                            {at.width > 1 && <> of {plural(at.cell.pairs, 'pair')}</>}, {bytes(at.cell.messages ? at.cell.bytes / at.cell.messages : 0)} each;
                            sending {nanoseconds(at.cell.send_ns)}, receiving {nanoseconds(at.cell.receive_ns)}
                        </p>
                    )}
                </>
            )}
        </div>
    );
}

interface HeavyProps {
    heaviest: Signal<Heaviest | null>;
    metric: (typeof METRICS)[number];
    head: TopologyHead;
    name: string;
}

const WITHOUT_WAIT = 'in the calls of the pair, without MPI_Wait';
const sending: Column<Cell> = { title: 'Sending', unit: 'ns', about: `Time of the sender ${WITHOUT_WAIT}`, value: (cell) => cell.send_ns, show: (cell) => nanoseconds(cell.send_ns) };
const receiving: Column<Cell> = { title: 'Receiving', unit: 'ns', about: `Time of the receiver ${WITHOUT_WAIT}`, value: (cell) => cell.receive_ns, show: (cell) => nanoseconds(cell.receive_ns) };
const time: Column<Cell> = { title: 'Time', unit: 'ns', about: `Of senders and receivers ${WITHOUT_WAIT}`, value: (cell) => cell.time_ns, show: (cell) => nanoseconds(cell.time_ns) };

function Heavy({ heaviest, metric, head, name }: HeavyProps) {
    const found = heaviest.value;
    const level = found?.level ?? 0;
    const columns = useMemo(() => {
        const width = 2 ** level;
        const range = (first: number) => (width === 1 ? String(first) : `${first}-${Math.min(head.ranks, first + width) - 1}`);
        const list: Column<Cell>[] = [
            { title: 'From', value: (cell) => (width === 1 ? cell.from : range(cell.from)), show: (cell) => <Place cell={cell}>{range(cell.from)}</Place> },
            { title: 'To', value: (cell) => (width === 1 ? cell.to : range(cell.to)), show: (cell) => range(cell.to) },
            { title: 'Bytes', about: 'As counted by the sender', value: (cell) => cell.bytes, show: (cell) => bytes(cell.bytes), bar: metric.metric === 'bytes' },
            { title: 'Messages', value: (cell) => cell.messages, show: (cell) => count(cell.messages), bar: metric.metric === 'messages' },
            ...(width === 1 ? [sending, receiving] : [time]),
            { title: 'Share', about: `Of the ${metric.title} of all pairs`, value: (cell) => share(cell, metric.metric, head), show: (cell) => percentFine(share(cell, metric.metric, head)) },
        ];
        if (width > 1) list.splice(2, 0, { title: 'Pairs', value: (cell) => cell.pairs, show: (cell) => count(cell.pairs) });
        return list;
    }, [level, metric, head]);
    if (found?.metric !== metric.metric) return <Loading />;
    const what = level > 0 ? 'cells' : 'pairs';
    const caption =
        (found.all > found.cells.length
            ? `The ${found.cells.length} heaviest of ${count(found.all)} ${what}`
            : `${plural(found.all, what.slice(0, -1))}`) + (found.whole ? '' : ' in sight');
    return <Table key={`${name} ${level}`} name={name} caption={caption} columns={columns} rows={found.cells} limit={12} rowKey={(cell) => `${cell.from} ${cell.to}`} />;
}

function share(cell: Cell, metric: Metric, head: TopologyHead): number | null {
    return head.totals[metric] > 0 ? cell[metric] / head.totals[metric] : null;
}

/** Shows the cell in the matrix: at most 16 cells of the next finer levels around it. */
function Place({ cell, children }: { cell: Cell; children: string }) {
    const span = cell.width > 1 ? cell.width : 16;
    const from = Math.max(0, cell.width > 1 ? cell.from : cell.from - 8);
    const to = Math.max(0, cell.width > 1 ? cell.to : cell.to - 8);
    return (
        <button
            type="button"
            class="link"
            title="Show this cell in the matrix"
            onClick={() => setParam({ at: `${from},${to},${span}`, cell: `${cell.from},${cell.to}` })}
        >
            {children}
        </button>
    );
}
