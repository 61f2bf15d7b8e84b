// SPDX-License-Identifier: BSD-3-Clause
import type { ComponentChildren } from 'preact';

import { useSlice } from './use_slice';

interface Props<T> {
    name: string;
    /** Shown if the profile has no such slice. */
    missing?: ComponentChildren;
    children: (data: T) => ComponentChildren;
}

/** Shows a slice once it is there. */
export function SliceView<T>({ name, missing, children }: Props<T>) {
    const loaded = useSlice<T>(name);
    switch (loaded.state) {
        case 'loading':
            return <p class="quiet" role="status">Loading ...</p>;
        case 'failed':
            return <p class="problem" role="alert">These data cannot be shown: {loaded.error}</p>;
        case 'none':
            return <p class="quiet">{missing ?? 'The profile has no such data.'}</p>;
        default:
            return <>{children(loaded.data)}</>;
    }
}
