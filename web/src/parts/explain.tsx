// SPDX-License-Identifier: BSD-3-Clause
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface Props {
    /** What the number is, and from what it was computed. */
    what: ComponentChildren;
    children: ComponentChildren;
}

/** A number or term that explains itself while the pointer or the keyboard focus is on it. */
export function Explain({ what, children }: Props) {
    const id = useId();
    return (
        <span class="explain" tabIndex={0} aria-describedby={id}>
            {children}
            <span class="explanation" role="tooltip" id={id}>
                {what}
            </span>
        </span>
    );
}
