// SPDX-License-Identifier: BSD-3-Clause
import type { Job } from '../data/types';
import { viewAddress } from '../state';

/** Whether the profile has samples only, because nothing was measured from inside the job. */
export function isFromOutside(job: Job): boolean {
    return job.notes.some(({ code }) => code === 'sampled-from-outside');
}

export function Uncounted() {
    return (
        <p class="verdict">
            Not available: this profile was taken by <code>fathom attach</code> and has samples only. The views{' '}
            <a href={viewAddress('paths')}>Call paths</a> and <a href={viewAddress('modules')}>Modules</a> show them; <code>fathom run</code>{' '}
            measures the rest.
        </p>
    );
}
