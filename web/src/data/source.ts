// SPDX-License-Identifier: BSD-3-Clause
// Where the slices of a profile come from (doc/API.md): the page itself, if it is a report in one file, or the server.
// Slices are asked for when a view needs them, and kept.

export class NoSlice extends Error {}
/** The server does not know who asks. */
export class Refused extends Error {
    constructor(
        sentence: string,
        /** Whether a token would help. */
        readonly asksForToken: boolean,
    ) {
        super(sentence);
    }
}

export interface Source {
    /** Rejects with NoSlice if the profile has none of this name. */
    slice<T>(name: string): Promise<T>;
    /** The same, without keeping it: for large slices whose reader keeps them in a form of its own. */
    once<T>(name: string): Promise<T>;
    /** What the page can offer: other profiles, comparisons, running jobs. */
    readonly server: boolean;
}

/** How long the server has been reading a large profile, and how much of it (0 to 1) if that is known; null if nothing is read. */
export interface Reading {
    seconds: number;
    done: number | null;
}
export type Progress = (reading: Reading | null) => void;

async function unpack(base64: string): Promise<unknown> {
    const text = atob(base64);
    const packed = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Response(stream).json();
}

function remembering(load: (name: string) => Promise<unknown>): <T>(name: string) => Promise<T> {
    const kept = new Map<string, Promise<unknown>>();
    return <T>(name: string) => {
        let slice = kept.get(name);
        if (!slice) {
            slice = load(name);
            kept.set(name, slice);
            slice.catch((error) => {
                if (!(error instanceof NoSlice)) kept.delete(name); // it may succeed the next time
            });
        }
        return slice as Promise<T>;
    };
}

/** A report in one file: each slice is an element of the page, compressed. */
export function fileSource(): Source & { has(name: string): boolean } {
    const elements = new Map<string, Element>();
    for (const element of document.querySelectorAll('script[data-slice]'))
        elements.set(element.getAttribute('data-slice') ?? '', element);
    const load = async (name: string) => {
        const element = elements.get(name);
        if (!element) throw new NoSlice(name);
        return unpack(element.textContent ?? '');
    };
    return {
        server: false,
        has: (name) => elements.has(name),
        slice: remembering(load),
        once: <T>(name: string) => load(name) as Promise<T>,
    };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** What the server says about an error: {"error": "..."}. */
function sentence(answer: string): string {
    try {
        return String((JSON.parse(answer) as { error?: string }).error ?? '').slice(0, 300);
    } catch {
        return answer.slice(0, 300);
    }
}

/** Fetches a document of the server; waits while the server reads a profile. */
export async function fetchDocument<T>(path: string, progress?: Progress): Promise<T> {
    for (;;) {
        const answer = await fetch(path, { credentials: 'same-origin' });
        if (answer.status === 202) {
            progress?.((await answer.json()) as Reading);
            await pause(300);
            continue;
        }
        progress?.(null);
        if (answer.status === 404) throw new NoSlice(sentence(await answer.text()) || path);
        if (answer.status === 401) 
            throw new Refused(sentence(await answer.text()) || 'the server does not know you', /\bBearer\b/i.test(answer.headers.get('WWW-Authenticate') ?? ''));
        if (!answer.ok) throw new Error(sentence(await answer.text()) || `the server answered ${answer.status}`);
        return (await answer.json()) as T;
    }
}

/** Makes the server do something. */
export async function post(path: string): Promise<void> {
    const answer = await fetch(path, { method: 'POST', credentials: 'same-origin' });
    if (!answer.ok) throw new Error(sentence(await answer.text()) || `the server answered ${answer.status}`);
}

/** `base` is "api/profile/ID" or "api/job/KEY". */
export function serverSource(base: string, progress: Progress): Source {
    const load = <T>(name: string) => fetchDocument<T>(`/${base}/${name}`, progress);
    return { server: true, slice: remembering(load), once: load };
}
