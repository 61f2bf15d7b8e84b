// SPDX-License-Identifier: BSD-3-Clause
import type { ComponentChildren } from 'preact';

import { viewAddress } from '../state';

/** A rank set that selects these ranks in all views. */
export function RanksLink({ ranks, view = 'balance' }: { ranks: string; view?: string }) {
    if (!ranks) return null;
    const short = ranks.length > 24 ? `${ranks.slice(0, 22)}..` : ranks;
    return (
        <a class="ranks" href={viewAddress(view, { ranks })} title={`Select ranks ${ranks.slice(0, 200)}`}>
            {/[-,]/.test(ranks) ? 'ranks' : 'rank'} {short}
        </a>
    );
}

interface PlaceProps {
    file: string | null;
    line: number | null;
    path?: string | null;
    function?: string | null;
    /** Shown as ~ before the line. */
    approximate_line?: boolean;
}

/** "pcg.f90:118", which shows the line in the call paths. */
export function PlaceLink({ file, line, path, function: name, approximate_line: approximate }: PlaceProps): ComponentChildren {
    if (!file && !name) return <span class="quiet">unknown</span>;
    const text = file ? (line ? `${file}:${approximate ? '~' : ''}${line}` : file) : (name ?? '');
    return (
        <a href={viewAddress('paths', { find: name ?? text, source: path ?? '', line: line ? String(line) : '' })} title={name ?? undefined}>
            <bdi>{text}</bdi>
        </a>
    );
}
