// SPDX-License-Identifier: BSD-3-Clause
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';

interface Props {
    /** What the number is, and from what it was computed. */
    what: ComponentChildren;
    children: ComponentChildren;
}

/** A number or term that explains itself while the pointer or the keyboard focus is on it, or until Escape. */
export function Explain({ what, children }: Props) {
    const id = useId();
    const [shut, setShut] = useState(false);
    const again = () => setShut(false);
    return (
        <span
            class={shut ? 'explain shut' : 'explain'}
            tabIndex={0}
            aria-describedby={id}
            onKeyDown={(event) => event.key === 'Escape' && setShut(true)}
            onBlur={again}
            onPointerEnter={again}
        >
            {children}
            <span class="explanation" role="tooltip" id={id}>
                {what}
            </span>
        </span>
    );
}
