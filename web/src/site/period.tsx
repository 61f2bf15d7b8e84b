// SPDX-License-Identifier: BSD-3-Clause
// The time that a page is about: the last days before the latest job, all, or from a day to a day.
import { param, setParam } from '../state';
import type { Me } from './data';

const LAST: Record<string, string> = { 7: 'last 7 days', 30: 'last 30 days', 90: 'last 90 days', 365: 'last 365 days', all: 'all' };
const DAY_MS = 86400000;

/** Whether it is a day of the calendar: the address may have been written by anybody. */
export function isDay(text: string): boolean {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
    const time = Date.parse(`${text}T00:00:00Z`);
    return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

export interface Days {
    from: string;
    to: string;
}

/** The days that the address asks for; `usual` if it says nothing. Empty: without a limit. */
export function days(me: Me, usual: string): Days {
    const from = param('from');
    const to = param('to');
    if (from || to) return { from: isDay(from) ? from : '', to: isDay(to) ? to : '' };
    const last = LAST[param('last')] ? param('last') : usual;
    const end = me.last_day ? Date.parse(`${me.last_day}T00:00:00Z`) : NaN;
    if (last === 'all' || Number.isNaN(end)) return { from: '', to: '' };
    return { from: new Date(end - (Number(last) - 1) * DAY_MS).toISOString().slice(0, 10), to: me.last_day ?? '' };
}

/** The same, where a question needs both ends. */
export function wholeDays(me: Me, usual: string): Days {
    const { from, to } = days(me, usual);
    return { from: from || me.first_day || '', to: to || me.last_day || '' };
}

export function PeriodChoice({ usual }: { usual: string }) {
    const own = param('from') || param('to');
    return (
        <>
            <label>
                <span>Ended in the</span>{' '}
                <select
                    data-filter="last"
                    value={own ? 'own' : LAST[param('last')] ? param('last') : usual}
                    onChange={(event) => event.currentTarget.value !== 'own' && setParam({ last: event.currentTarget.value, from: '', to: '', after: '' })}
                >
                    {Object.entries(LAST)
                        .sort(([a], [b]) => (Number(a) || 1e9) - (Number(b) || 1e9))
                        .map(([key, text]) => (
                            <option key={key} value={key}>
                                {text}
                            </option>
                        ))}
                    {own && <option value="own">days from .. to</option>}
                </select>
            </label>
            <label>
                <span>from day</span> <DayField name="from" />
            </label>
            <label>
                <span>to day</span> <DayField name="to" />
            </label>
        </>
    );
}

function DayField({ name }: { name: 'from' | 'to' }) {
    return (
        <input
            type="date"
            data-filter={name}
            value={isDay(param(name)) ? param(name) : ''}
            onChange={(event) => {
                const { value, validity } = event.currentTarget;
                if (!validity.badInput) setParam({ [name]: value, last: '', after: '' });
            }}
        />
    );
}
