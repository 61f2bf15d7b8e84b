// SPDX-License-Identifier: BSD-3-Clause
import { percent, percentFine } from '../text/units';

interface Props {
    value: number | null;
    /** One digit after the point, for tables. */
    fine?: boolean;
}

/** A fraction as a number and a bar. */
export function Meter({ value, fine }: Props) {
    return (
        <span class="gauge">
            <span class="number">{fine ? percentFine(value) : percent(value)}</span>
            <span class="meter" aria-hidden="true">
                {value !== null && <span style={{ width: `${100 * Math.min(1, Math.max(0, value))}%` }} />}
            </span>
        </span>
    );
}
