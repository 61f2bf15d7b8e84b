// SPDX-License-Identifier: BSD-3-Clause
// A menu that opens below its title, and closes with Escape; and a choice of columns for one.
import type { ComponentChildren } from 'preact';

export function Menu({ title, part, children }: { title: string; part?: string; children: ComponentChildren }) {
    return (
        <details
            class="menu"
            data-part={part}
            onKeyDown={(event) => {
                const menu = event.currentTarget;
                if (event.key !== 'Escape' || !menu.open) return;
                event.preventDefault();
                menu.open = false;
                menu.querySelector('summary')?.focus();
            }}
        >
            <summary>{title}</summary>
            <div class="menu-body">{children}</div>
        </details>
    );
}

interface ChoiceProps {
    legend: string;
    all: { key: string; title: string; about?: string }[];
    shown: string[];
    onShown: (keys: string[]) => void;
}

export function ColumnChoice({ legend, all, shown, onShown }: ChoiceProps) {
    return (
        <fieldset>
            <legend>{legend}</legend>
            {all.map(({ key, title, about }) => (
                <label key={key} title={about}>
                    <input
                        type="checkbox"
                        data-column={key}
                        checked={shown.includes(key)}
                        onChange={(event) => {
                            const on = event.currentTarget.checked;
                            onShown(all.map((column) => column.key).filter((k) => (k === key ? on : shown.includes(k))));
                        }}
                    />{' '}
                    {title}
                </label>
            ))}
        </fieldset>
    );
}
