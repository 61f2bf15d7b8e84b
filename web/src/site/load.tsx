// SPDX-License-Identifier: BSD-3-Clause
// Load over time as stacked areas: who, or what, used the machine, per day or month.
import { useMemo, useState } from 'preact/hooks';
import uPlot from 'uplot';

import { ChartFrame, Plot } from '../parts/chart';
import { colour, coloursOfNames } from '../parts/colours';
import { type Column, Table } from '../parts/table';
import { param, setParam } from '../state';
import { count, percent, seconds } from '../text/units';
import { type Load, query } from './data';
import { Answer } from './answer';
import type { Days } from './period';

export const BY: Record<string, string> = {
    program: 'program',
    user: 'user',
    ranks: 'number of ranks',
    language: 'language',
    routine: 'MPI routine',
    finding: 'finding',
};
const MEASURES: Record<string, string> = { cpu_s: 'CPU time', mpi_s: 'MPI time', wasted_s: 'wasted CPU time' };

interface Props {
    usual: string;
    possible: string[];
    user?: string;
    days: Days;
}

export function LoadOverTime({ usual, possible, user, days }: Props) {
    const by = possible.includes(param('by')) ? param('by') : usual;
    const own = by === 'routine' ? 'time_s' : by === 'finding' ? 'wasted_s' : '';
    const measure = own || (MEASURES[param('measure')] ? param('measure') : 'cpu_s');
    const choices = (
        <>
            <label>
                by{' '}
                <select data-choice="by" value={by} onChange={(event) => setParam({ by: event.currentTarget.value })}>
                    {possible.map((key) => (
                        <option key={key} value={key}>
                            {BY[key]}
                        </option>
                    ))}
                </select>
            </label>
            {!own && (
                <label>
                    show{' '}
                    <select data-choice="measure" value={measure} onChange={(event) => setParam({ measure: event.currentTarget.value })}>
                        {Object.entries(MEASURES).map(([key, title]) => (
                            <option key={key} value={key}>
                                {title}
                            </option>
                        ))}
                    </select>
                </label>
            )}
        </>
    );
    return (
        <section aria-label="Load over time" data-part="load">
            <div class="controls">
                <h2>Load over time</h2>
                {choices}
            </div>
            <Answer<Load> path={query('load', { by, from: days.from, to: days.to, user })}>{(load) => <Areas load={load} by={by} measure={measure} />}</Answer>
        </section>
    );
}

function valuesOf(series: Load['series'][number], measure: string): number[] {
    return series[measure as 'cpu_s'] ?? [];
}

function secondsOf(day: string): number {
    return Date.parse(`${day}T00:00:00Z`) / 1000;
}

/** Where the last step ends. */
function endOf(load: Load): number {
    const last = secondsOf(load.days[load.days.length - 1]);
    if (load.step === 'day') return last + 86400;
    const date = new Date(last * 1000);
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / 1000;
}

/** Of all steps, in seconds. */
function lengthOf(load: Load): number {
    return load.days.length ? endOf(load) - secondsOf(load.days[0]) : 0;
}

function Areas({ load, by, measure }: { load: Load; by: string; measure: string }) {
    const [at, setAt] = useState<number | null>(null);
    const title = `${by === 'routine' ? 'MPI time' : by === 'finding' ? 'CPU time that findings cost' : (MEASURES[measure] ?? '')} per ${load.step} by ${BY[by]}`;
    const { data, options, colours, capacity } = useMemo(() => {
        const names = load.series.map(({ name }) => name);
        const colours = coloursOfNames(names.filter((name) => name !== 'other'));
        colours.set('other', '--other');
        const n = load.days.length;
        const sums: number[][] = [];
        load.series.forEach((one, i) => {
            const values = valuesOf(one, measure);
            sums.push(Array.from({ length: n + 1 }, (_, j) => (i > 0 ? sums[i - 1][j] : 0) + (values[Math.min(j, n - 1)] ?? 0)));
        });
        const top = Math.max(0, ...(sums[sums.length - 1] ?? []));
        // the axis counts in hours as soon as times are shown in hours
        const unit = top >= 36000 ? 3600 : 1;
        const perStep = load.capacity_s && n ? (load.capacity_s * lengthOf(load)) / 86400 / n : null;
        // a line of the machine's capacity only where it tells something
        const capacity = perStep && measure === 'cpu_s' && top > perStep / 3 ? perStep : null;
        const x = n ? [...load.days.map(secondsOf), endOf(load)] : [];
        const data = [x, ...[...sums].reverse().map((values) => values.map((value) => value / unit))] as uPlot.AlignedData;
        const options: Omit<uPlot.Options, 'width' | 'height'> = {
            legend: { show: false },
            padding: [8, 16, 0, 0],
            tzDate: (ts) => uPlot.tzDate(new Date(ts * 1000), 'Etc/UTC'),
            cursor: { drag: { x: false, y: false }, points: { show: false } },
            scales: { y: { range: (_u, _min, max) => [0, Math.max(max, (capacity ?? 0) / unit) * 1.05 || 1] } },
            axes: [
                { stroke: () => colour('--quiet'), grid: { stroke: () => colour('--line'), width: 1 }, space: 70, values: (_u, ticks) => ticks.map((tick) => new Date(tick * 1000).toISOString().slice(load.step === 'month' ? 0 : 5, load.step === 'month' ? 7 : 10)) },
                { stroke: () => colour('--quiet'), grid: { stroke: () => colour('--line'), width: 1 }, size: 88, values: (_u, ticks) => ticks.map((tick) => (tick === 0 ? '0' : unit === 3600 ? `${count(tick)} h` : seconds(tick))) },
            ],
            series: [
                {},
                ...[...load.series].reverse().map(({ name }) => ({
                    label: name,
                    stroke: () => colour('--page'),
                    width: 1,
                    fill: () => colour(colours.get(name) ?? '--other'),
                    points: { show: false },
                    paths: uPlot.paths.stepped?.({ align: 1 }),
                })),
            ],
            hooks: {
                draw: [(plot) => capacity !== null && line(plot, capacity / unit)],
                setCursor: [(plot) => setAt(plot.cursor.left !== undefined && plot.cursor.left >= 0 ? Math.min(n - 1, Math.max(0, dayAt(plot, x))) : null)],
            },
        };
        return { data, options, colours, capacity };
    }, [load, measure]);
    const sumOf = (one: Load['series'][number]) => valuesOf(one, measure).reduce((sum, value) => sum + value, 0);
    const total = load.series.reduce((sum, one) => sum + sumOf(one), 0);
    const atTotal = at === null ? 0 : load.series.reduce((sum, one) => sum + (valuesOf(one, measure)[at] ?? 0), 0);
    if (load.days.length === 0 || load.series.length === 0) return <p class="quiet">No job ended in this time.</p>;
    const columns: Column<number>[] = [
        { title: load.step === 'day' ? 'Day' : 'Month', text: true, value: (i) => load.days[i], show: (i) => <span class="whole">{load.days[i].slice(0, load.step === 'day' ? 10 : 7)}</span> },
        ...load.series.map((one): Column<number> => ({ title: one.name, unit: 's', value: (i) => valuesOf(one, measure)[i] ?? null, show: (i) => seconds(valuesOf(one, measure)[i]) })),
    ];
    return (
        <ChartFrame
            name="load"
            title={title}
            caption={
                <>
                    {load.capacity_s && measure === 'cpu_s' ? `The jobs took ${percent(total / ((load.capacity_s * lengthOf(load)) / 86400))} of the machine's ${seconds(load.capacity_s)} per day. ` : ''}
                    {capacity !== null && 'Dashed: what the machine has. '}
                    The order of the names is that of the areas, from below.
                </>
            }
            table={() => <Table name="load" caption={title} rows={load.days.map((_, i) => i)} columns={columns} limit={31} />}
        >
            <Plot label={`${title}; the table has the numbers`} data={data} options={options} height={260} />
            <ul class="legend" data-part="load-legend">
                {load.series.map((one) => (
                    <li key={one.name}>
                        <span class="swatch" style={{ background: `var(${colours.get(one.name)})` }} aria-hidden="true" />
                        <bdi class="name">{one.name}</bdi>{' '}
                        <span class="quiet">{at === null ? seconds(sumOf(one)) : seconds(valuesOf(one, measure)[at])}</span>
                    </li>
                ))}
                <li>
                    <strong>{at === null ? `together ${seconds(total)}` : `${load.days[at]}: ${seconds(atTotal)}`}</strong>
                </li>
            </ul>
        </ChartFrame>
    );
}

/** The step that the pointer is in. */
function dayAt(plot: uPlot, x: number[]): number {
    const value = plot.posToVal(plot.cursor.left ?? 0, 'x');
    return x.filter((start) => start <= value).length - 1;
}

function line(plot: uPlot, value: number): void {
    const { ctx, bbox } = plot;
    const y = plot.valToPos(value, 'y', true);
    ctx.save();
    ctx.strokeStyle = colour('--text');
    ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.restore();
}
