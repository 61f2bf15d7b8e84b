// SPDX-License-Identifier: BSD-3-Clause
// The values of ranks as a small picture, the first rank on the left; several ranks share a bar if there are many. A bar is as
// high as the largest value of its ranks: a mean would hide a single rank that is slow. Where nothing is known there is
// nothing.

const BARS = 32;
const WIDE = 80;
const HIGH = 14;

/** A picture, made once for all rows that show it. */
export interface SparkShape {
    width: number;
    /** Paths of the bars, and of those with a marked rank. */
    bars: string;
    marked: string;
}

export function sparkShape(values: Float64Array, isMarked: (place: number) => boolean): SparkShape {
    const n = Math.min(BARS, values.length);
    const largest: number[] = new Array(n).fill(NaN);
    const marks: boolean[] = new Array(n).fill(false);
    let most = 0;
    for (let place = 0; place < values.length; place++) {
        const bar = Math.floor((place * n) / values.length);
        if (isMarked(place)) marks[bar] = true;
        if (Number.isNaN(values[place])) continue;
        if (!(values[place] <= largest[bar])) largest[bar] = values[place];
        most = Math.max(most, values[place]);
    }
    const wide = Math.max(2, Math.floor(WIDE / n));
    const shape: SparkShape = { width: wide * n, bars: '', marked: '' };
    largest.forEach((value, bar) => {
        if (Number.isNaN(value)) return;
        const high = most > 0 ? Math.max(1, Math.round((HIGH * value) / most)) : 1;
        shape[marks[bar] ? 'marked' : 'bars'] += `M${bar * wide} ${HIGH}v${-high}h${wide > 2 ? wide - 1 : wide}v${high}z`;
    });
    return shape;
}

export function Spark({ shape, label }: { shape: SparkShape; label: string }) {
    return (
        <svg class="spark" role="img" aria-label={label} width={shape.width} height={HIGH}>
            <title>{label}</title>
            <path d={shape.bars} />
            <path class="marked" d={shape.marked} />
        </svg>
    );
}
