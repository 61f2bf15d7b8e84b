// SPDX-License-Identifier: BSD-3-Clause
// One colour means one thing on every page. The colours are those of style/tokens.css, which has a dark and a light set;
// canvases read them from there.

/** The value of a custom property, such as "--program", for canvases. */
export function colour(property: string): string {
    return getComputedStyle(document.documentElement).getPropertyValue(property).trim() || '#888';
}

const PALETTE = 11; /* and --name-11 for all others */

/** Routines that are often seen together have colours that differ. */
const ROUTINES: Record<string, number> = {
    MPI_Allreduce: 1,
    MPI_Waitall: 4,
    MPI_Wait: 8,
    MPI_Recv: 0,
    MPI_Send: 2,
    MPI_Sendrecv: 2,
    MPI_Bcast: 6,
    MPI_Alltoall: 5,
    MPI_Alltoallv: 5,
    MPI_Barrier: 3,
    MPI_Reduce: 9,
    MPI_Init: 10,
    MPI_Init_thread: 10,
    MPI_Isend: 2,
    MPI_Irecv: 0,
};

/** The colour of a name: the same in every run. FNV-1a, because similar names should differ. */
export function colourOfName(name: string): string {
    if (Object.hasOwn(ROUTINES, name)) return `--name-${ROUTINES[name]}`;
    let hash = 0x811c9dc5;
    for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
    return `--name-${(hash >>> 0) % PALETTE}`;
}

/** Colours of a list of names, different from each other as long as there are enough: a name whose own colour is taken gets
 * the next free one. Names that have colours already (in another chart) keep them. */
export function coloursOfNames(names: string[], given: Map<string, string> = new Map()): Map<string, string> {
    const colours = new Map<string, string>();
    for (const name of names) {
        const before = given.get(name);
        if (before) colours.set(name, before);
    }
    const taken = new Set(colours.values());
    for (const name of names) {
        const own = colourOfName(name);
        if (colours.has(name) || taken.has(own)) continue;
        taken.add(own);
        colours.set(name, own);
    }
    for (const name of names) {
        if (colours.has(name)) continue;
        let index = Number(colourOfName(name).slice(7));
        for (let i = 0; i < PALETTE && taken.has(`--name-${index}`); i++) index = (index + 1) % PALETTE;
        taken.add(`--name-${index}`);
        colours.set(name, `--name-${index}`);
    }
    return colours;
}

/** From little to much lost time, as a mix of two colours of the theme. */
export function shade(fraction: number): string {
    const share = Math.round(100 * Math.min(1, Math.max(0, fraction)));
    return `color-mix(in oklab, var(--much) ${share}%, var(--little))`;
}
