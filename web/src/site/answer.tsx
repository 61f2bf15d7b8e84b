// SPDX-License-Identifier: BSD-3-Clause
import type { ComponentChildren } from 'preact';

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
    switch (loaded.state) {
        case 'loading':
            return <p class="quiet" role="status">Loading ...</p>;
        case 'failed':
            return <p class="problem" role="alert">These data cannot be shown: {loaded.error}</p>;
        case 'none':
            return <p class="problem">{missing ?? 'There is no such page.'}</p>;
        default:
            return (
                <div class={loaded.busy ? 'stale' : undefined} aria-busy={loaded.busy ? 'true' : undefined}>
                    {loaded.busy && <span class="sr" role="status">Loading ...</span>}
                    {children(loaded.data, loaded.busy)}
                </div>
            );
    }
}
