// SPDX-License-Identifier: BSD-3-Clause
// What the main thread of each rank did over time: the sequence of modules.
import { useMemo, useRef, useState } from 'preact/hooks';

import { moduleColour, type Sequence, total, type Modules } from '../data/modules';
import { ChartFrame } from '../parts/chart';
import { useDrawing } from '../parts/drawing';
import { Table } from '../parts/table';
import { useWidth } from '../parts/use_box';
import { param, selectedRanks, setParam } from '../state';
import { percent, plural, seconds } from '../text/units';
import { drawSequence, rowHeight, SEQUENCE_MARGIN, sequenceAt, type Window } from './sequence_drawing';

const LEAST = 8; /* intervals in sight */
const LEGEND = 14;

type Place = { row: number; moment: number };

function windowOf(sequence: Sequence): Window {
    const [from, to] = param('time').split(',').map(Number);
    const moment = (s: number) => Math.round((s - sequence.start_s) / sequence.moment_s);
    if (!(to > from)) return { from: 0, to: sequence.moments };
    return limited(sequence, moment(from), moment(to));
}

function limited(sequence: Sequence, from: number, to: number): Window {
    const width = Math.min(sequence.moments, Math.max(LEAST, to - from));
    const first = Math.min(sequence.moments - width, Math.max(0, from));
    return { from: first, to: first + width };
}

function show(sequence: Sequence, { from, to }: Window): void {
    const time = (moment: number) => String(Math.round((sequence.start_s + moment * sequence.moment_s) * 1e6) / 1e6);
    setParam({ time: from === 0 && to === sequence.moments ? '' : `${time(from)},${time(to)}` });
}

/** The run in which an interval of a row is. */
function runAt(sequence: Sequence, { row, moment }: Place) {
    let at = 0;
    for (const [module, waiting, moments, transfer] of sequence.ranks[row].runs) {
        if (moment < at + moments) return { module, state: stateOf(waiting, transfer), from: at, moments };
        at += moments;
    }
    return null;
}

function stateOf(waiting: boolean, transfer: boolean): string {
    return waiting ? 'waiting' : transfer ? 'transfer' : 'work';
}

function describe(sequence: Sequence, place: Place): string {
    const run = runAt(sequence, place);
    const time = seconds(sequence.start_s + place.moment * sequence.moment_s);
    const what = run && run.module !== null ? `${sequence.modules[run.module].name.slice(0, 100)}, ${run.state}, for ${seconds(run.moments * sequence.moment_s)}` : 'no sample';
    return `rank ${sequence.ranks[place.row].rank} at ${time}: ${what}`;
}

export function SequenceChart({ sequence, modules }: { sequence: Sequence; modules: Modules | null }) {
    const [box, width] = useWidth<HTMLDivElement>();
    const canvas = useRef<HTMLCanvasElement>(null);
    const [place, setPlace] = useState<Place | null>(null);
    const [brush, setBrush] = useState<{ from: number; to: number } | null>(null);
    const shown = windowOf(sequence);
    const only = sequence.modules.findIndex(({ name }) => name === param('module'));
    const chosen = selectedRanks.value;
    useDrawing(canvas, () => {
        if (canvas.current && width > 0) drawSequence(canvas.current, sequence, shown, width, chosen, only >= 0 ? only : null);
    }, [sequence, shown.from, shown.to, width, chosen, only]);

    const at = (event: PointerEvent) => {
        const edges = canvas.current?.getBoundingClientRect();
        return edges ? { x: event.clientX - edges.left, y: event.clientY - edges.top } : { x: 0, y: 0 };
    };
    const momentAt = (x: number) => {
        const share = (x - SEQUENCE_MARGIN.left) / (width - SEQUENCE_MARGIN.left - SEQUENCE_MARGIN.right);
        return Math.min(shown.to, Math.max(shown.from, shown.from + share * (shown.to - shown.from)));
    };
    const zoom = (factor: number) => {
        const middle = place ? place.moment : (shown.from + shown.to) / 2;
        const length = Math.max(LEAST, (shown.to - shown.from) * factor);
        const share = (middle - shown.from) / (shown.to - shown.from);
        const from = Math.round(middle - length * share);
        show(sequence, limited(sequence, from, from + Math.round(length)));
    };
    const key = (event: KeyboardEvent) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const step = Math.max(1, Math.round((shown.to - shown.from) / 100)) * (event.shiftKey ? 10 : 1);
        const moves: Record<string, [number, number]> = { ArrowLeft: [0, -step], ArrowRight: [0, step], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
        const move = moves[event.key];
        if (move) {
            const now = place ?? { row: 0, moment: shown.from };
            const next = {
                row: Math.min(sequence.ranks.length - 1, Math.max(0, now.row + move[0])),
                moment: Math.min(sequence.moments - 1, Math.max(0, now.moment + move[1])),
            };
            setPlace(next);
            const length = shown.to - shown.from;
            if (next.moment < shown.from || next.moment >= shown.to) show(sequence, limited(sequence, next.moment - length / 2, next.moment + length / 2));
        } else if (event.key === '+' || event.key === '=') zoom(0.5);
        else if (event.key === '-') zoom(2);
        else if (event.key === '0' || event.key === 'Home') setParam({ time: '' });
        else if (event.key === 'Escape') setPlace(null);
        else return;
        event.preventDefault();
    };
    const whole = shown.from === 0 && shown.to === sequence.moments;
    const scale = (width - SEQUENCE_MARGIN.left - SEQUENCE_MARGIN.right) / (shown.to - shown.from);
    return (
        <ChartFrame
            name="sequence"
            title="What each process did over time"
            caption={
                <>
                    One row per process{sequence.rank_step > 1 && `, one rank in ${sequence.rank_step}`}; colours are modules. In MPI the module is the one that called it.
                </>
            }
            table={() => <SequenceTable sequence={sequence} />}
            tools={
                <>
                    <button type="button" aria-label="Zoom in" onClick={() => zoom(0.5)}>
                        +
                    </button>
                    <button type="button" aria-label="Zoom out" disabled={whole} onClick={() => zoom(2)}>
                        −
                    </button>
                    <button type="button" disabled={whole} onClick={() => setParam({ time: '' })}>
                        Whole run
                    </button>
                </>
            }
        >
            <SequenceLegend sequence={sequence} modules={modules} />
            <div
                class="sequence"
                ref={box}
                tabIndex={0}
                role="application"
                aria-label="Sequence of modules. Arrow keys move, plus and minus zoom, 0 shows the whole run."
                onKeyDown={key}
            >
                <canvas
                    ref={canvas}
                    role="img"
                    aria-label={`What ${plural(sequence.ranks.length, 'rank')} did over ${seconds(sequence.moments * sequence.moment_s)}; the table has all periods`}
                    onPointerDown={(event) => {
                        if (event.button !== 0) return;
                        event.currentTarget.setPointerCapture(event.pointerId);
                        const moment = momentAt(at(event).x);
                        setBrush({ from: moment, to: moment });
                    }}
                    onPointerMove={(event) => {
                        const { x, y } = at(event);
                        setPlace(sequenceAt(sequence, shown, width, x, y));
                        if (brush) setBrush({ ...brush, to: momentAt(x) });
                    }}
                    onPointerUp={() => {
                        if (brush && Math.abs(brush.to - brush.from) * scale > 6)
                            show(sequence, limited(sequence, Math.floor(Math.min(brush.from, brush.to)), Math.ceil(Math.max(brush.from, brush.to))));
                        setBrush(null);
                    }}
                    onPointerCancel={() => setBrush(null)}
                    onDblClick={() => setParam({ time: '' })}
                />
                {brush && (
                    <div
                        class="brush"
                        style={{
                            left: `${SEQUENCE_MARGIN.left + (Math.min(brush.from, brush.to) - shown.from) * scale}px`,
                            width: `${Math.abs(brush.to - brush.from) * scale}px`,
                        }}
                    />
                )}
                {place && place.moment >= shown.from && place.moment < shown.to && (
                    <div
                        class="crosshair"
                        style={{
                            left: `${SEQUENCE_MARGIN.left + (place.moment + 0.5 - shown.from) * scale}px`,
                            top: `${SEQUENCE_MARGIN.top + place.row * rowHeight(sequence.ranks.length)}px`,
                            height: `${rowHeight(sequence.ranks.length)}px`,
                        }}
                    />
                )}
            </div>
            <p class="hint" aria-live="polite" data-part="moment">
                {place ? <bdi>{describe(sequence, place)}</bdi> : <span class="quiet">Point at a row to see what it is; drag to zoom into a period, double click shows the whole run.</span>}
            </p>
        </ChartFrame>
    );
}

/** Modules with their colours: a click makes all others pale. Their shares are those of the table of modules. */
function SequenceLegend({ sequence, modules }: { sequence: Sequence; modules: Modules | null }) {
    const [all, setAll] = useState(false);
    const chosen = param('module');
    const present = sequence.modules.filter((module) => module.work_moments + module.transfer_moments + module.waiting_moments > 0);
    const listed = all ? present : present.slice(0, LEGEND);
    const whole = modules ? total(modules.tree) : 0;
    return (
        <div class="sequence-legend">
            <ul class="legend">
                <li>
                    <span class="swatch state-work" aria-hidden="true" />
                    work
                </li>
                <li>
                    <span class="swatch state-transfer" data-hatch="across" aria-hidden="true" />
                    transfer{modules && whole > 0 && ` ${percent(modules.tree.transfer_s / whole)}`}
                </li>
                <li>
                    <span class="swatch state-waiting" data-hatch="slanted" aria-hidden="true" />
                    waiting{modules && whole > 0 && ` ${percent(modules.tree.waiting_s / whole)}`}
                </li>
            </ul>
            <ul class="legend">
                {listed.map(({ name, colour }) => (
                    <li key={name}>
                        <button type="button" class="module" aria-pressed={chosen === name} title={`Show ${name.slice(0, 200)} alone`} onClick={() => setParam({ module: chosen === name ? '' : name })}>
                            <span class="swatch" style={{ background: `var(${moduleColour(name, colour)})` }} aria-hidden="true" />
                            <bdi>{name.slice(0, 80)}</bdi>
                        </button>
                    </li>
                ))}
                {present.length > LEGEND && (
                    <li>
                        <button type="button" onClick={() => setAll(!all)}>
                            {all ? 'fewer' : `${present.length - LEGEND} more`}
                        </button>
                    </li>
                )}
            </ul>
        </div>
    );
}

interface Period {
    rank: number;
    start_s: number;
    end_s: number;
    module: string;
    state: string;
}

function SequenceTable({ sequence }: { sequence: Sequence }) {
    const rows = useMemo(() => {
        const periods: Period[] = [];
        for (const { rank, runs } of sequence.ranks) {
            let at = 0;
            for (const [module, waiting, moments, transfer] of runs) {
                const start_s = sequence.start_s + at * sequence.moment_s;
                at += moments;
                if (module !== null)
                    periods.push({ rank, start_s, end_s: sequence.start_s + at * sequence.moment_s, module: sequence.modules[module].name, state: stateOf(waiting, transfer) });
            }
        }
        return periods;
    }, [sequence]);
    return (
        <Table
            name="sequence"
            caption="Periods in which a rank was in one module and state"
            rows={rows}
            columns={[
                { title: 'Rank', value: (row) => row.rank },
                { title: 'Start', unit: 's', value: (row) => row.start_s, show: (row) => seconds(row.start_s) },
                { title: 'End', unit: 's', value: (row) => row.end_s, show: (row) => seconds(row.end_s) },
                { title: 'Module', text: true, value: (row) => row.module },
                { title: 'State', text: true, value: (row) => row.state },
            ]}
        />
    );
}
