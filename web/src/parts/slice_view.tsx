// SPDX-License-Identifier: BSD-3-Clause
import type { ComponentChildren } from 'preact';

import { NotLoaded } from './loading';
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
    if (loaded.state === 'ready') return <>{children(loaded.data)}</>;
    return (
        <NotLoaded loaded={loaded}>
            <p class="quiet">{missing ?? 'The profile has no such data.'}</p>
        </NotLoaded>
    );
}
