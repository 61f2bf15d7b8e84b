// SPDX-License-Identifier: BSD-3-Clause
// Numbers as the text reports show them: src/base/units.c has the same rules.

export const UNKNOWN = 'unknown';

function commas(digits: string): string {
    const [whole, rest] = digits.split('.');
    const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
    return rest === undefined ? grouped : `${grouped}.${rest}`;
}

/** toFixed, but 111.25 is 111.2 as in C: what is exactly between two numbers becomes the even one. */
function rounded(value: number, decimals: number): string {
    const halves = value * 2 * 10 ** decimals;
    const between = Number.isInteger(value * 2 ** (decimals + 1)) && Number.isInteger(halves) && halves % 2 === 1;
    if (!between) return value.toFixed(decimals);
    const below = (halves - 1) / 2;
    return ((below % 2 === 0 ? below : below + 1) / 10 ** decimals).toFixed(decimals);
}

function decimal(value: number, decimals: number): string {
    return value < 0 ? `-${commas(rounded(-value, decimals))}` : commas(rounded(value, decimals));
}

/** Rounding may reach 1 of the next unit: 999.96 ms is 1.0 s. */
function reaches(value: number, unit: number): boolean {
    return value >= unit * 0.99995;
}

export function seconds(s: number | null | undefined): string {
    if (s === null || s === undefined) return UNKNOWN;
    if (s < 0) return `-${seconds(-s)}`;
    const ns = s * 1e9;
    if (s >= 36000) return `${decimal(s / 3600, 1)} h`;
    if (reaches(ns, 1e9)) return `${decimal(s, reaches(ns, 1e12) ? 0 : 1)} s`;
    if (reaches(ns, 1e6)) return `${decimal(ns / 1e6, 1)} ms`;
    return reaches(ns, 1e3) ? `${decimal(ns / 1e3, 1)} us` : `${decimal(ns, 0)} ns`;
}

export function nanoseconds(ns: number | null | undefined): string {
    return seconds(ns === null || ns === undefined ? ns : ns / 1e9);
}

export function bytes(value: number | null | undefined, per = ''): string {
    if (value === null || value === undefined) return UNKNOWN;
    if (value < 0) return `-${bytes(-value, per)}`;
    const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
    let unit = 0;
    while (unit + 1 < units.length && reaches(value, 1024)) {
        value /= 1024;
        unit++;
    }
    const whole = unit === 0 && (Number.isInteger(value) || value >= 99.95);
    return `${decimal(value, whole ? 0 : 1)} ${units[unit]}${per}`;
}

export function count(value: number | null | undefined): string {
    if (value === null || value === undefined) return UNKNOWN;
    if (value < 1e7) return decimal(Number.isInteger(value) ? value : Math.round(value * 10) / 10, Number.isInteger(value) ? 0 : 1);
    const units = ['M', 'G', 'T', 'P', 'E'];
    let unit = 0;
    value /= 1e6;
    for (; unit + 1 < units.length && reaches(value, 1000); unit++) value /= 1000;
    return `${decimal(value, 1)} ${units[unit]}`;
}

/** "35 %"; what is little but not nothing is "<1 %". */
export function percent(fraction: number | null | undefined): string {
    if (fraction === null || fraction === undefined || !Number.isFinite(fraction)) return UNKNOWN;
    if (fraction > 0 && fraction < 0.005) return '<1 %';
    if (fraction >= 0.995 && fraction < 1) return '>99 %';
    return `${rounded(100 * fraction, 0)} %`;
}

/** "35.2 %", for columns of tables. */
export function percentFine(fraction: number | null | undefined): string {
    if (fraction === null || fraction === undefined || !Number.isFinite(fraction)) return UNKNOWN;
    if (fraction > 0 && fraction < 0.0005) return '<0.1 %';
    if (fraction >= 0.9995 && fraction < 1) return '>99.9 %';
    return `${rounded(100 * fraction, 1)} %`;
}

export function date(iso: string | null): string {
    return iso ? iso.replace('T', ' ').replace('Z', ' UTC') : UNKNOWN;
}

export function plural(n: number, word: string): string {
    return `${count(n)} ${word}${n === 1 ? '' : 's'}`;
}
