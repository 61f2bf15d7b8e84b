// SPDX-License-Identifier: BSD-3-Clause
// Whether a job is one of those that take longer than their program did before: from what the analysis found, asked for once.
import { signal } from '@preact/signals';

import { ask, type Insight, query, type SiteJob } from './data';

export interface Slower {
    /** 0.04: 4 % longer. */
    slower: number;
    /** Since which day, if the analysis has found it. */
    since: string | null;
}

interface Found {
    factor: number;
    since_at: number;
    day: string | null;
}

const found = signal<Map<string, Found> | null>(null);
let asked = false;

function keyOf(user: string | null, program: string | null): string {
    return JSON.stringify([user, program]);
}

function load(): void {
    if (asked) return;
    asked = true;
    ask<{ insights: Insight[] }>(query('insights', {})).then(
        ({ insights }) => {
            const map = new Map<string, Found>();
            for (const { kind, user, program, day, details } of insights)
                if (kind === 'slower' && typeof details?.factor === 'number' && typeof details.since_at === 'number')
                    map.set(keyOf(user, program), { factor: details.factor, since_at: details.since_at, day });
            found.value = map;
        },
        () => {
            asked = false; // the next list asks again
        },
    );
}

/** Null if nothing is known to have changed. */
export function slowerOf(job: SiteJob): Slower | null {
    load();
    const change = found.value?.get(keyOf(job.user, job.program));
    return change && (job.started_at ?? 0) >= change.since_at ? { slower: change.factor - 1, since: change.day } : null;
}
