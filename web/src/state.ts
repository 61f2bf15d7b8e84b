// SPDX-License-Identifier: BSD-3-Clause
// The state of the page is its address, so that a link shows what its sender saw:
//
//   #/VIEW?ranks=3-7&...              a report in one file
//   #/profile/ID/VIEW?ranks=3-7&...   from the server; a running job is #/live/KEY/VIEW
//
// Views read it with `param` and change it with `setParam`; `ranks` is common to all of them.
import { computed, signal } from '@preact/signals';

import { parseRanks } from './data/rankset';

const hash = signal(window.location.hash);
window.addEventListener('hashchange', () => (hash.value = window.location.hash));

interface Address {
    path: string[];
    params: URLSearchParams;
}

function parse(text: string): Address {
    const [path, query] = text.replace(/^#\/?/, '').split('?', 2);
    return { path: path.split('/').filter(Boolean).map(safeDecode), params: new URLSearchParams(query ?? '') };
}

function safeDecode(text: string): string {
    try {
        return decodeURIComponent(text);
    } catch {
        return text;
    }
}

export const address = computed(() => parse(hash.value));

export function addressOf(path: string[], params: Record<string, string | null> = {}): string {
    const query = new URLSearchParams();
    for (const [key, value] of Object.entries(params)) if (value) query.set(key, value);
    const text = query.toString();
    return `#/${path.map(encodeURIComponent).join('/')}${text ? `?${text}` : ''}`;
}

const PLACES = ['profile', 'live', 'scale', 'history'];

/** The part of the path before the view: empty in a file. */
export const place = computed(() => {
    const { path } = address.value;
    return PLACES.includes(path[0]) ? path.slice(0, 2) : [];
});

export const viewName = computed(() => address.value.path[place.value.length] ?? 'overview');

/** The address of a view of the same profile; it keeps the selected ranks. */
export function viewAddress(view: string, params: Record<string, string | null> = {}): string {
    return addressOf([...place.value, view], { ranks: param('ranks'), ...params });
}

export function param(name: string): string {
    return address.value.params.get(name) ?? '';
}

/** An empty value removes it. Changing a parameter is not a step that the back button undoes. */
export function setParam(values: Record<string, string>): void {
    hash.value = window.location.hash; // a change whose event has not come yet must not be overwritten
    const { path, params } = address.value;
    const next = Object.fromEntries(params);
    const text = addressOf(path, { ...next, ...values });
    window.history.replaceState(null, '', text);
    hash.value = text;
}

/** Addresses of more characters than this are cut by some programs that pass them on. */
export const LONGEST_SELECTION = 20000;

export const selectedRanks = computed(() => parseRanks(param('ranks')));
