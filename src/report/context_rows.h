/* SPDX-License-Identifier: BSD-3-Clause */
/* A tree of contexts as lines: which of them are shown, and how the tree is drawn before their labels:
 *
 *   main
 *   |- step               children of a context that has several to show
 *   |  pcg                the only one to show stands right below its parent
 *   |  `- MPI_Allreduce
 *   `- output
 */
#ifndef FM_REPORT_CONTEXT_ROWS_H
#define FM_REPORT_CONTEXT_ROWS_H

#include "report/report_calls.h"

struct fm_context_row {
    const struct fm_context *context;
    const char *drawing; /* before the label */
};

struct fm_context_rows {
    struct fm_context_row *items;
    size_t n;
    size_t left_out;   /* contexts that are lighter than the limit; those that are deeper than asked for not counted */
    uint64_t limit_ns; /* the lightest that is shown has at least this */
};

/* The heaviest contexts, as many as fit. They weigh what they have in all, or (own) without what is below. With stairs
 * an only child is a branch too. */
enum fm_status fm_context_rows(struct fm_report *report, const struct fm_calltree *tree, bool own, bool stairs,
                               struct fm_context_rows *rows, struct fm_error *error);

#endif
