/* SPDX-License-Identifier: BSD-3-Clause */
/* The trees of call paths that views and exports show, according to the options of the report. */
#ifndef FM_REPORT_REPORT_CALLS_H
#define FM_REPORT_REPORT_CALLS_H

#include "report/views.h"

enum fm_calltree_kind {
    FM_CALLTREE_CALLS,
    FM_CALLTREE_PROGRAM, /* calls, without threads of MPI itself */
    FM_CALLTREE_CALLERS,
    FM_CALLTREE_FLAT
};

/* Makes a tree with all threads, without the frames outside main and outside the start functions of threads, focused and sorted.
 * Focusing on a function without samples is a usage error. */
enum fm_status fm_report_calltree(struct fm_report *report, enum fm_calltree_kind which, struct fm_calltree *tree,
                                  struct fm_error *error);
/* The tree that CSV and JSON contain: without threads of MPI itself unless the options say otherwise. */
enum fm_status fm_report_lines_tree(struct fm_report *report, enum fm_calltree_kind which, struct fm_calltree *tree,
                                    struct fm_error *error);
/* The tree as text shows it: the same, and with calls of one function from several lines of a context combined in
 * FM_CALLTREE_CALLS unless the options say otherwise. */
enum fm_status fm_report_view_tree(struct fm_report *report, enum fm_calltree_kind which, struct fm_calltree *tree,
                                   struct fm_error *error);
double fm_report_whole_ns(const struct fm_report *report); /* of which percentages in the last tree are */
/* The tree of calls without lines. */
enum fm_status fm_report_functions(struct fm_report *report, struct fm_calltree *functions, struct fm_error *error);
enum fm_status fm_report_view_functions(struct fm_report *report, struct fm_calltree *functions,
                                        struct fm_error *error); /* the same of fm_report_view_tree */
const char *fm_context_kind_text(enum fm_context_kind kind);     /* "frame", "call_site" */
bool fm_report_sampled(const struct fm_report *report);
double fm_sampling_hz(const struct fm_call_paths *paths); /* 0 if nothing was sampled */
uint64_t fm_calltree_mpi_ns(const struct fm_calltree *calls);
/* "main > step > pcg > MPI_Allreduce, 45 % of the time"; "" if nothing was sampled. */
enum fm_status fm_hot_path_text(struct fm_report *report, const char **text, struct fm_error *error);

#endif
