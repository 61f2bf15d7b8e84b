// SPDX-License-Identifier: BSD-3-Clause

export function basename(path: string): string {
    return path.slice(path.lastIndexOf('/') + 1) || path;
}

/** The directory that contains all of them, with a slash at its end; '' if there is none but the root. */
export function commonDirectory(paths: string[]): string {
    if (paths.length === 0) return '';
    let common = paths[0].slice(0, paths[0].lastIndexOf('/') + 1);
    for (const path of paths) while (!path.startsWith(common)) common = common.slice(0, common.slice(0, -1).lastIndexOf('/') + 1);
    return common === '/' ? '' : common;
}

/** As the text reports show a commit: the first ten digits of an id, a tag as it is. */
export function commitShort(commit: string): string {
    return /^[0-9a-f]{7,64}$/i.test(commit) ? commit.slice(0, 10) : commit;
}
