/* SPDX-License-Identifier: BSD-3-Clause */
/* A report: one profile with the results that every view needs, computed once, and the sentences and cells that views
 * share. Must be closed by its opener; its strings are in its arena. Not thread-safe. */
#ifndef FM_REPORT_REPORT_H
#define FM_REPORT_REPORT_H

#include <stdio.h>

#include "analyse/balance/balance.h"
#include "analyse/balance/core_use.h"
#include "analyse/balance/summary.h"
#include "analyse/calls/calltree.h"
#include "analyse/calls/routine_sites.h"
#include "analyse/efficiency/factors.h"
#include "analyse/findings/finding.h"
#include "analyse/programs/part.h"
#include "model/profile.h"
#include "render/text.h"
#include "symbols/symbols.h"
#include "timer_report/timer_rich.h"

struct fm_calibration; /* site/calibration/calibration.h */

enum fm_report_by {
    FM_REPORT_BY_ROUTINE,
    FM_REPORT_BY_SITE,
    FM_REPORT_BY_REGION,
    FM_REPORT_BY_COMM,
    FM_REPORT_BY_PROGRAM
};

struct fm_report_options {
    bool all;       /* all rows */
    bool histogram; /* histograms of durations */
    enum fm_report_by by;
    size_t top; /* rows of a table; 0: default of the view */

    struct fm_timer_rich timers; /* the view sets tasks, blocks and grid */
    bool paper;                  /* timers in the layout of the paper, in ticks of 10^tick ns */
    unsigned tick;

    /* for call paths */
    const char *focus; /* a function; NULL: all */
    bool with_percent; /* `percent` was given */
    double percent;    /* of the time: smaller ones are left out */
    size_t depth;      /* levels; 0: default of the view */
    bool sorted;       /* `sort` was given */
    enum fm_context_metric sort;
    bool fold_mpi, fold_recursion; /* analyse/calls/calltree.h; fold_mpi also leaves out threads of MPI itself */
    bool inside_mpi;               /* views include threads of MPI itself */
    bool lines;                    /* views show calls of one function from several lines separately */
    const char *modules;           /* module file; NULL: source files are modules */
    const char *from_first;        /* efficiency from the first entry of a region or timer on; NULL: of the whole run */

    const struct fm_calibration *calibration; /* of the machine, for estimates; NULL: none */
    const char *calibration_path;             /* its file */
};

struct fm_report {
    const struct fm_profile *profile;
    struct fm_symbols *symbols; /* may be NULL */
    bool resolved;              /* fm_report_resolve was called */
    struct fm_report_options options;
    struct fm_arena arena;
    struct fm_summary summary;
    struct fm_balance balance;
    struct fm_factors factors;          /* efficiency of the whole run, without estimates */
    struct fm_program_ranges programs;  /* by rank; empty unless the job has several */
    const struct fm_findings *findings; /* NULL until they are needed: fm_report_findings */
    uint64_t helpers_ns;                /* time of MPI's threads left out of the last tree */
};

/* What every view needs: the summary, the balance and the factors of a report that has its profile. */
enum fm_status fm_report_analyse(struct fm_report *report, struct fm_arena *arena, struct fm_error *error);
/* The profile and the symbols must outlive the report. */
enum fm_status fm_report_open(struct fm_report *report, const struct fm_profile *profile, struct fm_symbols *symbols,
                              const struct fm_report_options *options, struct fm_error *error);
void fm_report_close(struct fm_report *report);

/* Computed once, when they are first needed. */
enum fm_status fm_report_findings(struct fm_report *report, const struct fm_findings **found, struct fm_error *error);

size_t fm_report_rows(const struct fm_report *report, size_t n, size_t usual); /* number of rows to show, of n */
void fm_print_more(FILE *out, size_t shown, size_t n, const char *what); /* "+ 12 more sites (--all shows them)" */
/* What the user can do, or what prevented it, if the profile has no call paths; without a full stop. */
const char *fm_unsampled_text(struct fm_report *report);
void fm_report_resolve(struct fm_report *report); /* symbolizes all call sites once; call before using names */
/* See analyse/calls/routine_sites.h; unknown without symbols. */
struct fm_site_frames fm_site_frames(struct fm_report *report, const struct fm_site *site, const char *routine);
/* The innermost of them; NULL if unknown. */
const struct fm_symbol *fm_site_place(struct fm_report *report, const struct fm_site *site, const char *routine);
/* "pcg (pcg.f90:118)", "pop+0x4a3c" */
const char *fm_site_text(struct fm_report *report, const struct fm_site *site, const char *routine);
const char *fm_frame_text(struct fm_report *report, const struct fm_symbol *frame); /* "pcg (pcg.f90:118)", "pcg" */
const char *fm_ranks_text(struct fm_report *report, const struct fm_rankset *ranks, size_t columns); /* "ranks 0-3" */
const char *fm_bar(struct fm_report *report, double part, double whole, size_t columns);
/* "4 ranks on 2 cores", "80 preemptions per second"; "" if there were enough cores */
const char *fm_lack_text(struct fm_arena *arena, const struct fm_core_use *use);
const char *fm_incomplete_text(struct fm_report *report);      /* "INCOMPLETE: 2 of 8 ranks ..." */
void fm_print_incomplete(struct fm_report *report, FILE *out); /* nothing if complete */
bool fm_print_uncounted(struct fm_report *report, FILE *out);  /* true: samples only, taken by fathom attach */
void fm_print_no_regions(struct fm_report *report, FILE *out); /* if none are defined, how to define one */
void fm_print_note(struct fm_report *report, const struct fm_note *note, FILE *out); /* "Note: ...: 12 (rank 3)" */
void fm_print_scope(struct fm_report *report, FILE *out);                            /* "Sums over 4 ranks; ..." */

#endif
