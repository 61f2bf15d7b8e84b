/* SPDX-License-Identifier: BSD-3-Clause */
/* A tree of contexts as rows: which of them are shown, and how the tree is drawn before their labels:
 *
 *   main
 *   |- step               children of a context with several shown children
 *   |  pcg                a single shown child is directly below its parent
 *   |  `- MPI_Allreduce
 *   `- output
 */
#ifndef FM_REPORT_CONTEXT_ROWS_H
#define FM_REPORT_CONTEXT_ROWS_H

#include "report/report_calls.h"

struct fm_context_row {
    const struct fm_context *context;
    const char *drawing; /* printed before the label */
};

struct fm_context_rows {
    struct fm_context_row *items;
    size_t n;
    size_t left_out;   /* contexts below the limit, not counting those deeper than the requested depth */
    uint64_t limit_ns; /* all shown contexts have at least this */
};

/* The heaviest contexts, by inclusive or (own) exclusive cost, limited as the options of the report say. With stairs, a
 * single child is drawn as a branch too. */
enum fm_status fm_context_rows(struct fm_report *report, const struct fm_calltree *tree, bool own, bool stairs,
                               struct fm_context_rows *rows, struct fm_error *error);

#endif
