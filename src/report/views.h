/* SPDX-License-Identifier: BSD-3-Clause */
/* The views of a report. A view is one file with a function for text and one for CSV, and some have a picture; the
 * table fm_views lists them. JSON is not a view: it is the whole report in one document (report_json.h).
 *
 * All of them read one struct fm_report, which has the results that every view needs, computed once. */
#ifndef FM_REPORT_VIEWS_H
#define FM_REPORT_VIEWS_H

#include "report/programs.h"
#include "report/report.h"

struct fm_graph;

struct fm_view {
    const char *name, *description;
    unsigned shows; /* enum fm_report_shows: may be unknown for a single program */
    enum fm_status (*text)(struct fm_report *report, FILE *out, struct fm_error *error);
    enum fm_status (*csv)(struct fm_report *report, FILE *out, struct fm_error *error);
    enum fm_status (*graph)(struct fm_report *report, struct fm_graph *graph, struct fm_error *error); /* or NULL */
    enum fm_status (*svg)(struct fm_report *report, FILE *out, struct fm_error *error); /* other than a graph */
};

extern const struct fm_view fm_views[];               /* ends with name NULL */
const struct fm_view *fm_view_find(const char *name); /* NULL if there is none */

/* A banner of at most 12 lines, for the end of a job. */
enum fm_status fm_report_terse(struct fm_report *report, FILE *out, struct fm_error *error);

const char *fm_balance_sentence(struct fm_report *report); /* about groups and jumps; "" for one rank */
const char *fm_end_sentence(struct fm_report *report);     /* about ranks that reach MPI_Finalize last; or "" */
/* "program 61 %, MPI 30 %, no CPU 9 %", without what is unknown; "" if no time was measured. */
const char *fm_split_text(struct fm_report *report);
/* How much of the time the ranks had no CPU, if it is worth mentioning; else "". */
const char *fm_no_cpu_sentence(struct fm_report *report);
/* "File I/O: 12 % of the time ..."; "" if it takes less than that share of the time. */
const char *fm_io_sentence(struct fm_report *report, double least);
const char *fm_counters_sentence(struct fm_report *report); /* "" without hardware counters */
const char *fm_headline(struct fm_report *report);          /* "pop on 64 ranks: 841.1 s, 59 % in MPI; ..." */
void fm_print_figures(struct fm_report *report, FILE *out); /* of the ranks: min, avg, max, sum (summary_figures.c) */

#define FM_VIEW(view)                                                                                  \
    enum fm_status fm_view_##view##_text(struct fm_report *report, FILE *out, struct fm_error *error); \
    enum fm_status fm_view_##view##_csv(struct fm_report *report, FILE *out, struct fm_error *error)
FM_VIEW(summary);
FM_VIEW(findings);
FM_VIEW(efficiency);
FM_VIEW(mpi);
FM_VIEW(sizes);
FM_VIEW(balance);
FM_VIEW(split);
FM_VIEW(memory);
FM_VIEW(topology);
FM_VIEW(regions);
FM_VIEW(snapshots);
FM_VIEW(timers);
FM_VIEW(calls);
FM_VIEW(callers);
FM_VIEW(flat);
FM_VIEW(modules);
FM_VIEW(sequence);
FM_VIEW(io);
FM_VIEW(counters);
#undef FM_VIEW
enum fm_status fm_print_modules(struct fm_report *report, FILE *out,
                                struct fm_error *error); /* body of the view modules; the profile must have samples */
enum fm_status fm_view_efficiency_graph(struct fm_report *report, struct fm_graph *graph, struct fm_error *error);
enum fm_status fm_view_calls_graph(struct fm_report *report, struct fm_graph *graph, struct fm_error *error);
enum fm_status fm_view_modules_graph(struct fm_report *report, struct fm_graph *graph, struct fm_error *error);
enum fm_status fm_view_sequence_svg(struct fm_report *report, FILE *out, struct fm_error *error);

#endif
