/* SPDX-License-Identifier: BSD-3-Clause */
/* A report: one profile, with what every view needs found once, and the sentences and cells that views share.
 * Whoever opens it closes it; its texts live in its arena. One thread at a time. */
#ifndef FM_REPORT_REPORT_H
#define FM_REPORT_REPORT_H

#include <stdio.h>

#include "analyse/balance/balance.h"
#include "analyse/balance/summary.h"
#include "analyse/calls/calltree.h"
#include "analyse/programs/part.h"
#include "model/profile.h"
#include "render/text.h"
#include "symbols/symbols.h"
#include "timer_report/timer_rich.h"

enum fm_report_by {
    FM_REPORT_BY_ROUTINE,
    FM_REPORT_BY_SITE,
    FM_REPORT_BY_REGION,
    FM_REPORT_BY_COMM,
    FM_REPORT_BY_PROGRAM
};

struct fm_report_options {
    bool all;       /* every row */
    bool histogram; /* durations too */
    enum fm_report_by by;
    size_t top; /* rows of a table; 0 = the view's own choice */

    struct fm_timer_rich timers; /* tasks, blocks and grid are the view's own business */
    bool paper;                  /* timers in the layout of the paper instead, in ticks of 10^tick ns */
    unsigned tick;

    /* of call paths */
    const char *focus; /* a function; NULL: all */
    bool with_percent; /* `percent` was asked for */
    double percent;    /* of the time: less is left out */
    size_t depth;      /* levels; 0 = the view's own choice */
    bool sorted;       /* `sort` was asked for */
    enum fm_context_metric sort;
    bool fold_mpi, fold_recursion; /* analyse/calls/calltree.h; the first also leaves out threads of MPI itself */
    const char *modules; /* a file that says which functions are which module; NULL: source files are modules */
};

struct fm_report {
    const struct fm_profile *profile;
    struct fm_symbols *symbols; /* or NULL */
    bool resolved;              /* fm_report_resolve was here */
    struct fm_report_options options;
    struct fm_arena arena;
    struct fm_summary summary;
    struct fm_balance balance;
    struct fm_program_ranges programs; /* by rank; none unless the job has several */
    uint64_t helpers_ns;               /* in threads of MPI that were left out of the tree made last */
};

/* The profile and the symbols must outlive the report. */
enum fm_status fm_report_open(struct fm_report *report, const struct fm_profile *profile, struct fm_symbols *symbols,
                              const struct fm_report_options *options, struct fm_error *error);
void fm_report_close(struct fm_report *report);

size_t fm_report_rows(const struct fm_report *report, size_t n, size_t usual); /* how many of n rows to show */
void fm_print_more(FILE *out, size_t shown, size_t n, const char *what); /* "+ 12 more sites (--all shows them)" */
void fm_report_resolve(struct fm_report *report); /* before the first name: finds the names of all sites, once */
/* The innermost frame of a call site; NULL: nothing is known of it. */
const struct fm_symbol *fm_site_place(struct fm_report *report, const struct fm_site *site);
const char *fm_site_text(struct fm_report *report, const struct fm_site *site); /* "pcg (pcg.f90:118)", "pop+0x4a3c" */
const char *fm_frame_text(struct fm_report *report, const struct fm_symbol *frame); /* "pcg (pcg.f90:118)", "pcg" */
const char *fm_ranks_text(struct fm_report *report, const struct fm_rankset *ranks, size_t columns); /* "ranks 0-3" */
const char *fm_bar(struct fm_report *report, double part, double whole, size_t columns);
const char *fm_incomplete_text(struct fm_report *report);      /* "INCOMPLETE: 2 of 8 ranks ..." */
void fm_print_incomplete(struct fm_report *report, FILE *out); /* nothing when it is complete */
bool fm_print_uncounted(struct fm_report *report, FILE *out);  /* true: it is from outside, so there are samples only */
void fm_print_no_regions(struct fm_report *report, FILE *out); /* how to name some, when there are none */
void fm_print_note(struct fm_report *report, const struct fm_note *note, FILE *out); /* "Note: ...: 12 (rank 3)" */
void fm_print_scope(struct fm_report *report, FILE *out); /* "Times are sums over 4 ranks ..." */

#endif
