// SPDX-License-Identifier: BSD-3-Clause
import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';

import { NoSlice, type Source } from '../data/source';
import type { Summary } from '../data/types';

/** The profile that the page shows: its source and its first slice. */
export interface Profile {
    source: Source;
    summary: Summary;
}

export const ProfileContext = createContext<Profile | null>(null);

export function useProfile(): Profile {
    const profile = useContext(ProfileContext);
    if (!profile) throw new Error('no profile');
    return profile;
}

export type Loaded<T> = { state: 'loading' } | { state: 'ready'; data: T } | { state: 'none' } | { state: 'failed'; error: string };

/** A slice of the profile, or why it is not there. */
export function useSlice<T>(name: string): Loaded<T> {
    const { source } = useProfile();
    const [loaded, setLoaded] = useState<Loaded<T>>({ state: 'loading' });
    useEffect(() => {
        let current = true;
        const settle = (next: Loaded<T>) => current && setLoaded(next);
        settle({ state: 'loading' });
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
