// SPDX-License-Identifier: BSD-3-Clause
// The footprint of a job: a small bar for each of its figures, marked where it is good or bad. What has reference values is
// compared with the users of the site: bad is the worst quarter, good the best one. The others have limits.
import { count, percent, UNKNOWN } from '../text/units';
import type { Figure, Me, Reference, SiteJob } from './data';

interface Bar {
    key: Figure | 'waiting_fraction' | 'io_fraction' | 'memory_fraction';
    letter: string;
    name: string;
    better: 'high' | 'low';
    /** Of figures without reference values: from here on it is bad. */
    limit?: number;
    /** Not bad up to here (if low is better), or from here on, whatever others do. */
    fine?: number;
    rate?: boolean;
}

export const BARS: Bar[] = [
    { key: 'parallel', letter: 'E', name: 'parallel efficiency', better: 'high', fine: 0.95 },
    { key: 'mpi_fraction', letter: 'M', name: 'time in MPI', better: 'low', fine: 0.05 },
    { key: 'waiting_fraction', letter: 'W', name: 'waiting in MPI (estimated)', better: 'low', limit: 0.1 },
    { key: 'io_fraction', letter: 'D', name: 'time in file I/O', better: 'low', limit: 0.05 },
    { key: 'memory_fraction', letter: 'R', name: 'memory of the host in use', better: 'low', limit: 0.9 },
    { key: 'instruction_rate', letter: 'I', name: 'instructions per second', better: 'high', rate: true },
    { key: 'fp_rate', letter: 'F', name: 'floating-point instructions per second', better: 'high', rate: true },
    { key: 'l2_miss_rate', letter: 'L', name: 'level-2 misses per second', better: 'low', rate: true },
];

export type Verdict = 'good' | 'bad' | '';

const NEAR = 0.02;
/** Fewer values are nothing to compare with. */
export const LEAST_COMPARED = 4;

/** Against the users of the site. */
export function verdictOf(value: number | null, better: 'high' | 'low', reference: Reference | undefined, fine?: number): Verdict {
    if (value === null || !reference || reference.n < LEAST_COMPARED || reference.p25 === null || reference.p75 === null) return '';
    // what is hardly different from most is neither
    if (reference.median !== null && Math.abs(value - reference.median) < NEAR * Math.abs(reference.median)) return '';
    const good = better === 'high' ? value > reference.p75 : value < reference.p25;
    const bad = better === 'high' ? value < reference.p25 : value > reference.p75;
    if (bad && fine !== undefined && (better === 'high' ? value >= fine : value <= fine)) return '';
    return good ? 'good' : bad ? 'bad' : '';
}

function judge(bar: Bar, value: number | null, reference: Reference | undefined): Verdict {
    if (bar.limit !== undefined) return value !== null && value >= bar.limit ? 'bad' : '';
    return verdictOf(value, bar.better, reference, bar.fine);
}

const WIDE = 13;
const HIGH = 20;
const MARKS = 6;

export function rate(value: number | null | undefined): string {
    if (value === null || value === undefined) return UNKNOWN;
    // from a million on as counts from ten millions on are
    return value >= 1e6 && value < 1e7 ? `${(value / 1e6).toFixed(1)} M/s` : `${count(Math.round(value))}/s`;
}

export function Footprint({ job, me }: { job: SiteJob; me: Me }) {
    const bars = BARS.map((bar) => {
        const value = job[bar.key];
        const reference = bar.limit === undefined ? me.reference?.[bar.key as Figure] : undefined;
        // a rate is drawn against that of the site: half of the height is its median
        const median = reference?.median ?? null;
        const share = value === null ? null : bar.rate ? (median ? value / median / 2 : null) : value;
        const verdict = judge(bar, value, reference);
        return { ...bar, value, share, verdict, text: `${bar.name} ${bar.rate ? rate(value) : percent(value)}${verdict ? ` (${verdict})` : ''}` };
    });
    const label = bars.map(({ text }) => text).join(', ');
    return (
        <svg class="footprint" role="img" aria-label={label} width={BARS.length * WIDE} height={HIGH + MARKS}>
            <title>{bars.map(({ text }) => text).join('\n')}</title>
            {bars.map(({ key, share, verdict }, i) => {
                const x = i * WIDE + 1;
                const high = share === null ? 0 : Math.max(1, Math.round(HIGH * Math.min(1, share)));
                return (
                    <g key={key} class={verdict || 'plain'}>
                        <rect class="track" x={x} y={0} width={WIDE - 3} height={HIGH} />
                        {share === null ? (
                            <text class="none" x={x + 5} y={HIGH - 5}>
                                ?
                            </text>
                        ) : (
                            <rect class="value" x={x} y={HIGH - high} width={WIDE - 3} height={high} />
                        )}
                        {verdict === 'bad' && <path class="mark" d={`M${x} ${HIGH + MARKS}l5 -5l5 5z`} />}
                        {verdict === 'good' && <circle class="mark" cx={x + 5} cy={HIGH + MARKS - 2.5} r={2} />}
                    </g>
                );
            })}
        </svg>
    );
}

/** The letters above the bars. */
export function FootprintHeading() {
    return (
        <span class="footprint-heading">
            {BARS.map(({ letter, name }) => (
                <abbr key={letter} title={name} style={{ width: `${WIDE}px` }}>
                    {letter}
                </abbr>
            ))}
        </span>
    );
}

export function FootprintLegend() {
    return (
        <p class="quiet footprint-legend">
            Footprint:{' '}
            {BARS.map(({ letter, name }, i) => (
                <span key={letter}>
                    {i > 0 && ', '}
                    <b>{letter}</b> {name}
                </span>
            ))}
            . <span class="bad-word">▲ below a bar: bad</span>, the worst quarter of the site&apos;s users, or waiting from 10 %, I/O from 5 %, memory from 90 % on.{' '}
            <span class="good-word">● good</span>, the best quarter.
        </p>
    );
}
