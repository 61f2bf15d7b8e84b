// SPDX-License-Identifier: BSD-3-Clause

/** Round numbers from 0 up to `max`, at most `most` steps: powers of two for bytes, else 1, 2, 5, 10 ... */
export function ticks(max: number, most: number, ofBytes: boolean): number[] {
    if (!(max > 0)) return [0];
    let step: number;
    if (ofBytes) {
        step = 2 ** Math.ceil(Math.log2(max / most));
    } else {
        const unit = 10 ** Math.floor(Math.log10(max / most));
        step = (([1, 2, 5, 10] as const).find((m) => m * unit * most >= max) ?? 10) * unit;
    }
    const list = [];
    for (let i = 0; i * step <= max * 1.0001; i++) list.push(i * step);
    return list;
}
