/* SPDX-License-Identifier: BSD-3-Clause */
/* Collapsed stacks: "main;solve;MPI_Recv 1200000": functions, outermost first, then ns. */
#include <inttypes.h>
#include <string.h>

#include "export/export.h"
#include "render/text.h"

enum fm_status fm_export_collapsed(struct fm_report *report, FILE *out, struct fm_error *error)
{
    const struct fm_context *path[FM_EXPORT_DEPTH];
    struct fm_calltree functions;
    enum fm_status status = fm_report_functions(report, &functions, error);
    if (status)
        return status;
    for (const struct fm_context *at = functions.root->first; at; at = fm_context_after(functions.root, at)) {
        if (!at->own.of.sum_ns)
            continue;
        size_t n = fm_export_call_path(at, path);
        for (size_t i = 0; i < n; i++) {
            if (i)
                fputc(';', out);
            fm_print_safe(out, FM_SAFE_COLLAPSED, path[i]->id.name, strlen(path[i]->id.name));
        }
        fprintf(out, " %" PRIu64 "\n", at->own.of.sum_ns);
    }
    return FM_OK;
}
