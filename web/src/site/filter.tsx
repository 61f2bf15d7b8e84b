// SPDX-License-Identifier: BSD-3-Clause
// What the job list shows: the fields are the parameters of the address.
import { useId, useState } from 'preact/hooks';

import { address, param, setParam } from '../state';
import type { Me } from './data';
import { days, PeriodChoice } from './period';

const TEXTS = ['user', 'program', 'account', 'partition', 'host', 'rule', 'tag'] as const;
const NUMBERS = ['ranks_from', 'ranks_to'] as const;
const ALL = [...TEXTS, ...NUMBERS, 'state', 'mpi', 'last', 'from', 'to'];

/** Of the staff the list is about the last days; own jobs are few. */
export function usualPeriod(me: Me): string {
    return me.staff ? '30' : 'all';
}

/** The filters as the server knows them; what is wrong in the address is left out. */
export function filterOf(me: Me): Record<string, string> {
    const filter: Record<string, string> = {};
    for (const key of TEXTS) if (param(key) && (me.staff || key !== 'user')) filter[key] = param(key);
    for (const key of NUMBERS) if (/^\d{1,9}$/.test(param(key))) filter[key] = param(key);
    if (param('state') === 'complete' || param('state') === 'incomplete') filter.state = param('state');
    const mpi = Number(param('mpi'));
    if (param('mpi') && mpi >= 0 && mpi <= 100) filter.mpi_from = String(mpi / 100);
    const { from, to } = days(me, usualPeriod(me));
    return { ...filter, ...(from ? { from } : {}), ...(to ? { to } : {}) };
}

export function clearFilter(): void {
    setParam({ ...Object.fromEntries(ALL.map((key) => [key, ''])), after: '' });
}

function set(name: string, value: string): void {
    setParam({ [name]: value, after: '' });
}

function TextField({ name, title, list }: { name: string; title: string; list?: string[] }) {
    const id = useId();
    return (
        <label>
            <span>{title}</span>
            <input
                type="search"
                data-filter={name}
                list={list ? id : undefined}
                autocomplete="off"
                spellcheck={false}
                value={param(name)}
                onChange={(event) => set(name, event.currentTarget.value.trim())}
            />
            {list && (
                <datalist id={id}>
                    {list.map((value) => (
                        <option key={value} value={value} />
                    ))}
                </datalist>
            )}
        </label>
    );
}

function NumberField({ name, title, max }: { name: string; title: string; max?: number }) {
    return (
        <label class="short">
            <span>{title}</span>
            <input
                type="number"
                min={0}
                max={max}
                step={name === 'mpi' ? 'any' : 1}
                data-filter={name}
                value={param(name)}
                onChange={(event) => set(name, event.currentTarget.validity.valid ? event.currentTarget.value : '')}
            />
        </label>
    );
}

function Choice({ name, title, values }: { name: string; title: string; values: [string, string][] }) {
    const known = values.some(([key]) => key === param(name));
    return (
        <label>
            <span>{title}</span>
            <select data-filter={name} value={param(name)} onChange={(event) => set(name, event.currentTarget.value)}>
                <option value="">any</option>
                {values.map(([key, text]) => (
                    <option key={key} value={key}>
                        {text}
                    </option>
                ))}
                {param(name) && !known && <option value={param(name)}>{param(name)}</option>}
            </select>
        </label>
    );
}

export function FilterBar({ me }: { me: Me }) {
    const inUse = ALL.filter((key) => address.value.params.get(key)).length;
    const [open] = useState(() => window.matchMedia('(min-width: 700px)').matches);
    return (
        <details class="filters" open={open}>
            <summary>Filter{inUse > 0 && ` (${inUse})`}</summary>
            <form
                role="search"
                aria-label="Filter"
                onSubmit={(event) => {
                    event.preventDefault();
                    if (document.activeElement instanceof HTMLInputElement) document.activeElement.blur();
                }}
            >
                <TextField name="program" title="Program" list={me.programs} />
                {me.staff && <TextField name="user" title="User" list={me.users} />}
                <PeriodChoice usual={usualPeriod(me)} />
                <Choice name="rule" title="Finding" values={me.rules.map((rule) => [rule, rule])} />
                <Choice name="state" title="End" values={[['complete', 'complete'], ['incomplete', 'incomplete']]} />
                <NumberField name="ranks_from" title="Ranks from" />
                <NumberField name="ranks_to" title="Ranks to" />
                <NumberField name="mpi" title="In MPI from %" max={100} />
                <TextField name="account" title="Account" list={me.accounts} />
                <TextField name="partition" title="Partition" list={me.partitions} />
                <TextField name="host" title="Host" />
                <TextField name="tag" title="Tag" list={me.tags} />
                <span class="actions">
                    <button type="button" onClick={clearFilter} disabled={inUse === 0}>
                        Clear filter
                    </button>
                </span>
            </form>
        </details>
    );
}
