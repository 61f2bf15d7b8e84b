// SPDX-License-Identifier: BSD-3-Clause
import { createContext } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';

import { NoSlice, type Source } from '../data/source';
import type { Summary } from '../data/types';

/** What a running job tells about itself, at each version of its data. */
export interface LiveState {
    version: number;
    seconds: number;
    live: LiveShares | null;
    /** Of a job that is, or was, sampled from outside. `note` is what the command has said. */
    sampling: { runs: boolean; seconds: number; limit_seconds: number; note: string } | null;
    /** Ranks on hosts that are not seen. */
    unseen: { ranks: string; hosts: string } | null;
}

export interface LiveShares {
    samples: number;
    ranks: number;
    work: number;
    transfer: number;
    waiting: number;
    /** Of threads, if it is sampled from outside. */
    stops: { count: number; median_ns: number; max_ns: number } | null;
    modules: { name: string; share: number; transfer: number; waiting: number; interval_width: number | null }[];
}

/** The profile that the page shows: its source and its first slice; `live` while the job runs. */
export interface Profile {
    source: Source;
    summary: Summary;
    live?: LiveState;
}

export const ProfileContext = createContext<Profile | null>(null);

export function useProfile(): Profile {
    const profile = useContext(ProfileContext);
    if (!profile) throw new Error('no profile');
    return profile;
}

export type Loaded<T> = { state: 'loading' } | { state: 'ready'; data: T } | { state: 'none' } | { state: 'failed'; error: string };

/** A slice of the profile, or why it is not there; none is asked for without a name. */
export function useSlice<T>(name: string): Loaded<T> {
    const { source } = useProfile();
    const [loaded, setLoaded] = useState<Loaded<T>>({ state: 'loading' });
    const shown = useRef('');
    useEffect(() => {
        let current = true;
        const settle = (next: Loaded<T>): void => {
            if (current) setLoaded(next);
        };
        // A newer version of a running job replaces what is shown when it is there.
        if (shown.current !== name) settle({ state: 'loading' });
        shown.current = name;
        if (!name) return settle({ state: 'none' });
        source.slice<T>(name).then(
            (data) => settle({ state: 'ready', data }),
            (error: Error) =>
                settle(error instanceof NoSlice ? { state: 'none' } : { state: 'failed', error: error.message }),
        );
        return () => {
            current = false;
        };
    }, [source, name]);
    return loaded;
}
