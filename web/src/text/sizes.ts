// SPDX-License-Identifier: BSD-3-Clause
// Ranges of sizes as the text reports write them.

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

function whole(value: number): [number, string] {
    let unit = 0;
    for (; value >= 1024 && unit + 1 < UNITS.length; unit++) value /= 1024;
    return [value, UNITS[unit]];
}

/** A bin of messages, whose bounds are powers of two: "64..127 B", "16..32 KiB", "512 KiB..1 MiB". */
export function messageSize(from: number, to: number): string {
    if (from === to) return `${from} B`;
    if (from < 1024) return `${from}..${to} B`;
    const [low, unit] = whole(from);
    const [high, next] = whole(to + 1);
    return unit === next ? `${low}..${high} ${unit}` : `${low} ${unit}..${high} ${next}`;
}

/** Where a bin begins, for axes: "16 KiB". */
export function sizeFrom(from: number): string {
    const [value, unit] = whole(from);
    return `${Number.isInteger(value) ? value : value.toFixed(1)} ${unit}`;
}

/** A bin of requests to files: "below 128 B", "4 KiB to 16 KiB", "16 MiB and more". */
export function requestSize(from: number, to: number | null): string {
    if (to === null) return `${sizeFrom(from)} and more`;
    return from <= 1 ? `below ${sizeFrom(to + 1)}` : `${sizeFrom(from)} to ${sizeFrom(to + 1)}`;
}
