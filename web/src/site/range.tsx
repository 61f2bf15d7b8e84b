// SPDX-License-Identifier: BSD-3-Clause
// Where a value stands among those of others: a line from the least to the most, a box with the middle half, and a mark.
import { percent, percentFine, UNKNOWN } from '../text/units';
import type { Figure, Reference } from './data';
import { LEAST_COMPARED, rate, verdictOf } from './footprint';

export const FIGURE_NAMES: Record<Figure, string> = {
    parallel: 'parallel efficiency',
    mpi_fraction: 'time in MPI',
    instruction_rate: 'instructions, outside MPI',
    fp_rate: 'floating-point instructions, outside MPI',
    l2_miss_rate: 'level-2 misses, outside MPI',
};
export const BETTER: Record<Figure, 'high' | 'low'> = { parallel: 'high', mpi_fraction: 'low', instruction_rate: 'high', fp_rate: 'high', l2_miss_rate: 'low' };

export function figureText(figure: Figure, value: number | null | undefined): string {
    return figure === 'parallel' || figure === 'mpi_fraction' ? percentFine(value) : rate(value);
}

const WIDE = 220;
const HIGH = 22;
const LEAST_HALF = 0.02;

/** "lower than for 82 % of 40 users" */
export function standing(reference: Reference, value: number | null, of: string): string {
    if (value === null) return 'unknown';
    if (reference.n === 0) return `no ${of} to compare with`;
    if (reference.median === null) return `not shown: they are of only ${reference.others} other user${reference.others === 1 ? '' : 's'}`;
    if (reference.n < LEAST_COMPARED) return `only ${reference.n} ${of} to compare with`;
    if (reference.percentile !== null && reference.percentile !== undefined) {
        const below = reference.percentile;
        return below >= 50 ? `higher than for ${percent(below / 100)} of ${reference.n} ${of}` : `lower than for ${percent(1 - below / 100)} of ${reference.n} ${of}`;
    }
    if (reference.p25 !== null && value < reference.p25) return `in the lowest quarter of ${reference.n} ${of}`;
    if (reference.p75 !== null && value > reference.p75) return `in the highest quarter of ${reference.n} ${of}`;
    return `in the middle half of ${reference.n} ${of}`;
}

export function Range({ figure, reference, value }: { figure: Figure; reference: Reference; value: number | null }) {
    const { min, max, p25, p75, median } = reference;
    if (reference.n < LEAST_COMPARED || (reference.median === null && reference.others > 0)) return null;
    if (min === null || max === null || p25 === null || p75 === null || median === null) return <span class="quiet">{UNKNOWN}</span>;
    // what differs by little is not drawn as if it differed by much
    const middle = (Math.min(min, value ?? min) + Math.max(max, value ?? max)) / 2;
    const half = Math.max(Math.max(max, value ?? max) - middle, LEAST_HALF * Math.abs(middle)) || 1;
    const x = (v: number) => WIDE / 2 + ((WIDE / 2 - 6) * (v - middle)) / half;
    const text = (v: number | null) => figureText(figure, v);
    const label = `least ${text(min)}, middle half ${text(p25)} to ${text(p75)}, median ${text(median)}, most ${text(max)}${value !== null ? `; here ${text(value)}` : ''}`;
    const verdict = verdictOf(value, BETTER[figure], reference);
    return (
        <svg class="range" role="img" aria-label={label} width={WIDE} height={HIGH} viewBox={`0 0 ${WIDE} ${HIGH}`}>
            <title>{label}</title>
            <path class="whole-range" d={`M${x(min)} 11H${x(max)}M${x(min)} 7v8M${x(max)} 7v8`} />
            <rect class="middle" x={x(p25)} y={5} width={Math.max(2, x(p75) - x(p25))} height={12} />
            <path class="median" d={`M${x(median)} 4v14`} />
            {value !== null && <path class={`own ${verdict}`} d={`M${x(value)} 11m-5.5 0l5.5 -9l5.5 9l-5.5 9z`} />}
        </svg>
    );
}

export function RangeLegend() {
    return <p class="quiet">Line: least to most. Box: the middle half, with the median. Diamond: the value here.</p>;
}

interface ReferencesProps {
    /** Among whom: "users", "runs". */
    rows: { figure: Figure; value: number | null; sets: { of: string; reference: Reference | undefined }[] }[];
}

export function References({ rows }: ReferencesProps) {
    return (
        <section data-part="references">
            {rows.map(({ figure, value, sets }) => {
                return (
                    <div key={figure} class="reference">
                        <h3>
                            {FIGURE_NAMES[figure]} <strong>{figureText(figure, value)}</strong>
                        </h3>
                        {sets.map(({ of, reference }) =>
                            reference ? (
                                <div key={of} class="reference-set">
                                    <Range figure={figure} reference={reference} value={value} />
                                    <Standing figure={figure} reference={reference} value={value} of={of} />
                                </div>
                            ) : null,
                        )}
                    </div>
                );
            })}
            <RangeLegend />
        </section>
    );
}

function Standing({ figure, reference, value, of }: { figure: Figure; reference: Reference; value: number | null; of: string }) {
    const verdict = verdictOf(value, BETTER[figure], reference);
    return (
        <span class={verdict ? `${verdict}-word` : 'quiet'}>
            {verdict === 'bad' ? '▲ ' : verdict === 'good' ? '● ' : ''}
            {standing(reference, value, of)}
            {verdict === 'bad' && ': bad'}
            {verdict === 'good' && ': good'}
        </span>
    );
}
