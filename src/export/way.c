/* SPDX-License-Identifier: BSD-3-Clause */
#include "export/export.h"

size_t fm_export_way(const struct fm_context *context, const struct fm_context **way)
{
    size_t n = 0;
    for (const struct fm_context *at = context; at->parent && n < FM_EXPORT_DEPTH; at = at->parent)
        way[n++] = at;
    for (size_t i = 0; i < n / 2; i++) {
        const struct fm_context *other = way[i];
        way[i] = way[n - 1 - i];
        way[n - 1 - i] = other;
    }
    return n;
}
