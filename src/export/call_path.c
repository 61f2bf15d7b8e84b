/* SPDX-License-Identifier: BSD-3-Clause */
#include "export/export.h"

size_t fm_export_call_path(const struct fm_context *context, const struct fm_context **path)
{
    size_t n = 0;
    for (const struct fm_context *at = context; at->parent && n < FM_EXPORT_DEPTH; at = at->parent)
        path[n++] = at;
    for (size_t i = 0; i < n / 2; i++) {
        const struct fm_context *other = path[i];
        path[i] = path[n - 1 - i];
        path[n - 1 - i] = other;
    }
    return n;
}
