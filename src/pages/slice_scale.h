/* SPDX-License-Identifier: BSD-3-Clause */
/* A comparison of runs for web pages: the document of fm_scaling_json, with the tree in columns (columns.h), as `tree`
 * instead of `root`, and as deep as it is. doc/API.md describes it. */
#ifndef FM_PAGES_SLICE_SCALE_H
#define FM_PAGES_SLICE_SCALE_H

#include "report/scaling.h"

enum fm_status fm_slice_scale(struct fm_scaling *scaling, FILE *out, struct fm_error *error);

#endif
