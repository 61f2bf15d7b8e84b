// SPDX-License-Identifier: BSD-3-Clause
// The timers of the program (doc/JSON.md, `timers`), and the tree that they form.
import { countRanks, parseRanks } from './rankset';
import type { Spread } from './types';

export interface TimerEvent {
    time_s: number;
    rank: number;
    event: number;
}

export interface TimerBin {
    from_ns: number;
    to_ns: number;
    max: number;
    max_rank: number;
    min: number;
    min_rank: number;
    avg: number;
}

export interface TimerGroup {
    ranks: string;
    /** Longest events first. */
    bins: TimerBin[];
}

export interface TimerMisuse {
    what?: string;
    count: number;
    ranks: string;
    function: string | null;
    file: string | null;
    line: number | null;
}

export interface Timer {
    name: string;
    /** "" none, "*" different ones. */
    parent: string;
    ranks: string;
    events: Spread | null;
    total_s: Spread | null;
    time_s: number;
    threads: number;
    thread_total_s: Spread | null;
    in_other_timers_s: number;
    exclusive_s: number;
    overhead_s: number;
    corrected_s: number;
    longest?: TimerEvent;
    second?: TimerEvent;
    shortest?: TimerEvent;
    first_half: { events: number; time_s: number };
    second_half: { events: number; time_s: number };
    histograms: TimerGroup[];
    wrong_use: TimerMisuse[];
    running_at_end: TimerMisuse[];
}

export interface TimerRow {
    timer: Timer;
    depth: number;
    ranks: number;
    /** Of all ranks together. */
    events: number;
    /** Mean over longest total of a rank; null if it is not comparable. */
    balance: number | null;
    /** How long ranks would wait for the slowest one, on average. */
    lost_s: number;
}

function rowOf(timer: Timer, depth: number): TimerRow {
    const ranks = countRanks(parseRanks(timer.ranks));
    const total = timer.total_s;
    const balance = total && total.max > 0 && ranks > 1 ? total.avg / total.max : null;
    return {
        timer,
        depth,
        ranks,
        events: timer.first_half.events + timer.second_half.events || Math.round((timer.events?.avg ?? 0) * ranks),
        balance,
        lost_s: total && balance !== null ? total.max - total.avg : 0,
    };
}

/** In the order of a tree: most time first, each with those below that were started in it. */
export function timerRows(timers: Timer[]): TimerRow[] {
    const below = new Map<string, Timer[]>();
    const names = new Set(timers.map(({ name }) => name));
    for (const timer of timers) {
        const parent = names.has(timer.parent) && timer.parent !== timer.name ? timer.parent : '';
        below.set(parent, [...(below.get(parent) ?? []), timer]);
    }
    for (const list of below.values()) list.sort((a, b) => b.time_s - a.time_s);
    const rows: TimerRow[] = [];
    const done = new Set<string>();
    const add = (first: Timer[]) => {
        const stack = [...first].reverse().map((timer) => ({ timer, depth: 0 }));
        for (let at = stack.pop(); at; at = stack.pop()) {
            if (done.has(at.timer.name)) continue;
            done.add(at.timer.name);
            rows.push(rowOf(at.timer, at.depth));
            const { depth } = at;
            for (const timer of [...(below.get(at.timer.name) ?? [])].reverse()) stack.push({ timer, depth: depth + 1 });
        }
    };
    add(below.get('') ?? []);
    add(timers); // those that were started in each other only
    return rows;
}

/** Number of a decimal bin: 9 per power of ten, 1-9 ns first. */
export function binIndex(from_ns: number): number {
    if (from_ns < 1) return 0;
    const power = Math.floor(Math.log10(from_ns) + 1e-9);
    return 1 + 9 * power + Math.round(from_ns / 10 ** power) - 1;
}

export function binStart(index: number): number {
    return index === 0 ? 0 : (((index - 1) % 9) + 1) * 10 ** Math.floor((index - 1) / 9);
}

export function fullestBin(group: TimerGroup): TimerBin | null {
    return group.bins.reduce<TimerBin | null>((most, bin) => (!most || bin.avg > most.avg ? bin : most), null);
}
