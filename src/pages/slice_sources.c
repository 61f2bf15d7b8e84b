/* SPDX-License-Identifier: BSD-3-Clause */
#include "pages/slice_kinds.h"

enum fm_status fm_slice_sources(struct fm_slices *slices, const char *rest, FILE *out, struct fm_error *error)
{
    (void)slices, (void)rest, (void)out;
    return fm_no_slice(error);
}

enum fm_status fm_slice_sources_visit(struct fm_slices *slices, fm_slice_visit visit, void *context,
                                      struct fm_error *error)
{
    (void)slices, (void)visit, (void)context, (void)error;
    return FM_OK;
}
