/* The views of a report. A view is one file with a function for text and one for CSV, and some have a picture; the
 * table fm_views lists them. JSON is not a view: it is the whole report in one document (report_json.h).
 *
 * All of them read one struct fm_report, which holds what every view needs, found once. */
#ifndef FM_PRESENT_VIEWS_H
#define FM_PRESENT_VIEWS_H

#include <stdio.h>

#include "analyse/balance.h"
#include "analyse/calltree.h"
#include "analyse/summary.h"
#include "analyse/symbols.h"
#include "present/text.h"
#include "profile/profile.h"
#include "profile/timer_rich.h"

enum fm_report_by { FM_REPORT_BY_ROUTINE, FM_REPORT_BY_SITE, FM_REPORT_BY_REGION, FM_REPORT_BY_COMM };

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
    bool fold_mpi, fold_recursion; /* analyse/calltree.h; the first also leaves out threads of MPI itself */
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
    uint64_t helpers_ns; /* in threads of MPI that were left out of the tree made last */
};

/* The profile and the symbols must outlive the report. */
enum fm_status fm_report_open(struct fm_report *report, const struct fm_profile *profile, struct fm_symbols *symbols,
                              const struct fm_report_options *options, struct fm_error *error);
void fm_report_close(struct fm_report *report);

struct fm_graph;

struct fm_view {
    const char *name, *description;
    enum fm_status (*text)(struct fm_report *report, FILE *out, struct fm_error *error);
    enum fm_status (*csv)(struct fm_report *report, FILE *out, struct fm_error *error);
    enum fm_status (*graph)(struct fm_report *report, struct fm_graph *graph, struct fm_error *error); /* or NULL */
    enum fm_status (*svg)(struct fm_report *report, FILE *out, struct fm_error *error); /* a picture that is no graph */
};

extern const struct fm_view fm_views[];               /* ends with a name of NULL */
const struct fm_view *fm_view_find(const char *name); /* NULL when there is none */

/* A banner of at most 12 lines, for the end of a job. */
enum fm_status fm_report_terse(struct fm_report *report, FILE *out, struct fm_error *error);

/* ---- what views share ---- */

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
void fm_print_scope(struct fm_report *report, FILE *out);  /* "Times are sums over 4 ranks ..." */
const char *fm_balance_sentence(struct fm_report *report); /* about groups and jumps; "" for one rank */
const char *fm_headline(struct fm_report *report);         /* "pop on 64 ranks: 841.1 s, 59 % in MPI; ..." */

#define FM_VIEW(view)                                                                                  \
    enum fm_status fm_view_##view##_text(struct fm_report *report, FILE *out, struct fm_error *error); \
    enum fm_status fm_view_##view##_csv(struct fm_report *report, FILE *out, struct fm_error *error)
FM_VIEW(summary);
FM_VIEW(mpi);
FM_VIEW(sizes);
FM_VIEW(balance);
FM_VIEW(topology);
FM_VIEW(regions);
FM_VIEW(snapshots);
FM_VIEW(timers);
FM_VIEW(calls);
FM_VIEW(callers);
FM_VIEW(flat);
FM_VIEW(modules);
FM_VIEW(sequence);
#undef FM_VIEW
enum fm_status fm_print_modules(struct fm_report *report, FILE *out,
                                struct fm_error *error); /* the view's, of samples */
enum fm_status fm_view_calls_graph(struct fm_report *report, struct fm_graph *graph, struct fm_error *error);
enum fm_status fm_view_modules_graph(struct fm_report *report, struct fm_graph *graph, struct fm_error *error);
enum fm_status fm_view_sequence_svg(struct fm_report *report, FILE *out, struct fm_error *error);

#endif
