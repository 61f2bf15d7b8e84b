// SPDX-License-Identifier: BSD-3-Clause
// What the server of a site answers (doc/API.md, "A site"). Only the keys that the pages read are here.
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';

import { fetchDocument, NoSlice, post, Refused } from '../data/source';
import type { Loaded } from '../parts/use_slice';

export interface Reference {
    n: number;
    /** Users behind these n, without the one who asks. */
    others: number;
    min: number | null;
    p25: number | null;
    median: number | null;
    p75: number | null;
    max: number | null;
    avg: number | null;
    percentile?: number | null;
    value?: number | null;
}

/** The figures that have reference values. */
export const FIGURES = ['parallel', 'mpi_fraction', 'instruction_rate', 'fp_rate', 'l2_miss_rate'] as const;
export type Figure = (typeof FIGURES)[number];

export interface Me {
    user: string;
    staff: boolean;
    known_by: 'token' | 'proxy' | 'host';
    jobs: number;
    latest_at: number | null;
    first_day: string | null;
    last_day: string | null;
    processors: number | null;
    users: string[];
    programs: string[];
    accounts: string[];
    partitions: string[];
    rules: string[];
    tags: string[];
    reference?: Partial<Record<Figure, Reference>>;
    refused?: { why: string; records: number }[];
}

export interface SiteJob extends Record<Figure, number | null> {
    id: number;
    job_id: string | null;
    user: string | null;
    account: string | null;
    partition: string | null;
    program: string | null;
    started_at: number | null;
    ended_at: number | null;
    wall_s: number | null;
    cpu_s: number | null;
    ranks: number | null;
    hosts: number | null;
    complete: boolean | null;
    end: string | null;
    weight: number | null;
    wasted_s: number | null;
    load_balance: number | null;
    communication: number | null;
    transfer: number | null;
    io_fraction: number | null;
    waiting_fraction: number | null;
    memory_fraction: number | null;
    finding: { rule: string; text: string | null; cost_s: number | null; function: string | null; file: string | null; line: number | null } | null;
    tags: string[];
    profile: boolean;
}

export interface JobPage {
    jobs: SiteJob[];
    next: string | null;
    count?: number | null;
    exact?: boolean;
}

export interface Insight {
    kind: string;
    user: string | null;
    program: string | null;
    host: string | null;
    day: string | null;
    cost_s: number | null;
    certainty: number | null;
    sentence: string;
    details: Record<string, unknown> | null;
}

export type SheetRow = Record<string, number | string | null>;

/** The tables of `fathom site report --format json`. */
export interface SiteSummary {
    from: string;
    until: string;
    totals: Record<string, number | null>;
    [table: string]: SheetRow[] | Record<string, number | null> | string | boolean | null;
}

export function rowsOf(summary: SiteSummary, table: string): SheetRow[] {
    const rows = summary[table];
    return Array.isArray(rows) ? rows : [];
}

export interface Load {
    step: 'day' | 'month';
    from: string;
    days: string[];
    /** Of a day. */
    capacity_s: number | null;
    series: { name: string; cpu_s?: number[]; mpi_s?: number[]; wasted_s?: number[]; time_s?: number[] }[];
}

/** Whoever is not known has to say who it is. */
export const loginNeeded = signal(false);

export function query(path: string, values: Record<string, string | number | null | undefined>): string {
    const words = new URLSearchParams();
    for (const [key, value] of Object.entries(values)) if (value !== '' && value !== null && value !== undefined) words.set(key, String(value));
    const text = words.toString();
    return `/api/site/${path}${text ? `?${text}` : ''}`;
}

/** Two parts of a page that ask the same at the same time get the same answer. */
const underway = new Map<string, Promise<unknown>>();

export function ask<T>(path: string): Promise<T> {
    let answer = underway.get(path) as Promise<T> | undefined;
    if (!answer) {
        answer = fetchDocument<T>(path);
        underway.set(path, answer);
        answer
            .catch((error) => {
                if (error instanceof Refused && error.asksForToken) loginNeeded.value = true;
            })
            .finally(() => underway.delete(path));
    }
    return answer;
}

export function tell(path: string): Promise<void> {
    return post(path);
}

/** What the server answers; while a new question is on its way, the old answer stays. */
export function useSite<T>(path: string): Loaded<T> & { busy: boolean } {
    const [loaded, setLoaded] = useState<{ path: string; answer: Loaded<T> }>({ path: '', answer: { state: 'loading' } });
    useEffect(() => {
        let current = true;
        const settle = (answer: Loaded<T>) => current && setLoaded({ path, answer });
        ask<T>(path).then(
            (data) => settle({ state: 'ready', data }),
            (error: Error) => settle(error instanceof NoSlice ? { state: 'none' } : { state: 'failed', error: error.message }),
        );
        return () => {
            current = false;
        };
    }, [path]);
    return { ...loaded.answer, busy: loaded.path !== path };
}
