// SPDX-License-Identifier: BSD-3-Clause
import type { ComponentChildren } from 'preact';

import { NotLoaded } from '../parts/loading';
import { useSite } from './data';

interface Props<T> {
    path: string;
    /** Shown if there is nothing of this name. */
    missing?: ComponentChildren;
    children: (data: T, again: boolean) => ComponentChildren;
}

/** Shows an answer of the server once it is there. */
export function Answer<T>({ path, missing, children }: Props<T>) {
    const loaded = useSite<T>(path);
    if (loaded.state !== 'ready')
        return (
            <NotLoaded loaded={loaded}>
                <p class="problem">{missing ?? 'There is no such page.'}</p>
            </NotLoaded>
        );
    return (
        <div class={loaded.busy ? 'stale' : undefined} aria-busy={loaded.busy ? 'true' : undefined}>
            {loaded.busy && <span class="sr" role="status">Loading ...</span>}
            {children(loaded.data, loaded.busy)}
        </div>
    );
}
