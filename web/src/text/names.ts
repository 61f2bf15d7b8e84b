// SPDX-License-Identifier: BSD-3-Clause

export function basename(path: string): string {
    return path.slice(path.lastIndexOf('/') + 1) || path;
}
