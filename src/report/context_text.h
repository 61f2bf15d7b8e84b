/* SPDX-License-Identifier: BSD-3-Clause */
/* The label of a context in text: "pcg::pcg_solve  at barotropic.f90:80", "exchange  from 2 lines (halo.f90:44, 46)",
 * "pcg.f90:91  if (found) exit", "<- main  at main.c:12". */
#ifndef FM_REPORT_CONTEXT_TEXT_H
#define FM_REPORT_CONTEXT_TEXT_H

#include "report/report_calls.h"

/* Source lines are cut at `columns`; names are not. */
const char *fm_context_label(struct fm_report *report, const struct fm_context *context, enum fm_calltree_kind which,
                             size_t columns);

/* The columns for labels beside the other columns of a table. */
size_t fm_label_columns(FILE *out);

/* Where a context is called: "at halo.f90:44", "from 3 lines (halo.f90:44, 46, 48)"; "" if unknown. */
const char *fm_context_place(struct fm_report *report, const struct fm_context *context);

/* What names are marked with, and the explanation of these marks: "; (i): inlined". */
struct fm_context_marks {
    bool inlined, body, inferred, callers_missing, approximate, lines;
};
void fm_context_marks_add(struct fm_context_marks *marks, const struct fm_context *context);
const char *fm_context_marks_text(struct fm_report *report, const struct fm_context_marks *marks);

#endif
