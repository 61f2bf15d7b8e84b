/* SPDX-License-Identifier: BSD-3-Clause */
/* A comparison of runs in one HTML file (html.h). Its slices are `scale`, {"fathom": 1, "views": [...]}, and scale/VIEW
 * for every view that the profiles have data for (slice_scale.h), that of the options first. */
#ifndef FM_PAGES_HTML_SCALE_H
#define FM_PAGES_HTML_SCALE_H

#include "report/scaling.h"

/* At most FM_SCALE_RUNS runs. Fails as fm_scaling_open does if the view of the options cannot be shown. */
enum fm_status fm_html_scale(const struct fm_scaling_run *runs, size_t n, const struct fm_scaling_options *options,
                             FILE *out, struct fm_error *error);

#endif
