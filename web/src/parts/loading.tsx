// SPDX-License-Identifier: BSD-3-Clause
import type { ComponentChildren } from 'preact';

import type { Loaded } from './use_slice';

export function Loading() {
    return (
        <p class="quiet" role="status">
            Loading ...
        </p>
    );
}

/** In the place of data that are not there, or not yet. */
export function NotLoaded<T>({ loaded, children }: { loaded: Exclude<Loaded<T>, { state: 'ready' }>; children: ComponentChildren }) {
    switch (loaded.state) {
        case 'loading':
            return <Loading />;
        case 'failed':
            return (
                <p class="problem" role="alert">
                    These data cannot be shown: {loaded.error}
                </p>
            );
        default:
            return <>{children}</>;
    }
}
