/* SPDX-License-Identifier: BSD-3-Clause */
/* Comparison of runs of a program, as shown by `fathom scale` (analyse/scaling/scale.h defines what is compared).
 *
 *   fm_scaling_open    trees of all runs, joined and sorted by loss, and notes on differences between the runs
 *   fm_scaling_text    conclusions in a few lines, the runs in a table, then the tree of contexts
 *   fm_scaling_json    everything in one document; doc/JSON.md
 *   fm_scaling_csv     the contexts, or the costs of the view costs, all runs side by side
 *
 * Memory belongs to the arenas of the struct and of its reports; profiles and symbols must outlive it. */
#ifndef FM_REPORT_SCALING_H
#define FM_REPORT_SCALING_H

#include "analyse/efficiency/computation.h"
#include "analyse/scaling/scale_advice.h"
#include "analyse/scaling/scale_trend.h"
#include "analyse/scaling/scale_verdict.h"
#include "render/json.h"
#include "report/context_text.h"
#include "report/run_notes.h"

enum fm_scaling_view {
    FM_SCALING_USUAL, /* calls if all runs have call paths, otherwise mpi */
    FM_SCALING_CALLS,
    FM_SCALING_CALLERS,
    FM_SCALING_FLAT,
    FM_SCALING_MPI,
    FM_SCALING_TIMERS,
    FM_SCALING_COSTS,
    FM_SCALING_EFFICIENCY,
    FM_SCALING_SPLIT, /* compares no runs: no trees, and runs of the same size are allowed */
};
extern const char *const fm_scaling_views[]; /* by view, "" for the default; ends with NULL */

struct fm_scaling_options {
    enum fm_scale_mode mode;
    enum fm_scaling_view view;
    bool inside_mpi, fold_recursion;
    const char *focus; /* a function; NULL: all */
    bool all;          /* all rows */
    size_t top;        /* rows; 0: default */
    bool with_percent;
    double percent;   /* contexts with less excess work are left out */
    size_t depth;     /* levels; 0: all */
    uint32_t project; /* number of ranks to project to; 0: no projection */
    double threshold; /* required efficiency */
};

struct fm_scaling_run {
    const char *file;
    const struct fm_profile *profile;
    struct fm_symbols *symbols; /* may be NULL */
    /* set by fm_scaling_open */
    struct fm_report report;
    struct fm_calltree tree, calls; /* of the view; of calls if the view is a different one */
};

struct fm_scaling {
    struct fm_scaling_options options;
    struct fm_scaling_run *runs; /* by number of ranks, as in `scale` */
    size_t n;
    size_t base, other;            /* the two runs that the tree compares */
    struct fm_scale scale;         /* of the view */
    const struct fm_scale *judged; /* of calls, sampled or measured: basis of the verdicts */
    struct fm_verdicts verdicts;   /* of `other` relative to `base` */
    struct fm_arena arena;
    struct fm_run_notes notes; /* differences between the runs */
};

/* Sorts `runs`. Usage errors: runs of equal size, and views of data that the profiles do not contain. Must be closed
 * even if it fails. */
enum fm_status fm_scaling_open(struct fm_scaling *scaling, struct fm_scaling_run *runs, size_t n,
                               const struct fm_scaling_options *options, struct fm_error *error);
void fm_scaling_close(struct fm_scaling *scaling);

enum fm_status fm_scaling_text(struct fm_scaling *scaling, FILE *out, struct fm_error *error);
enum fm_status fm_scaling_json(struct fm_scaling *scaling, FILE *out, struct fm_error *error);
enum fm_status fm_scaling_csv(struct fm_scaling *scaling, FILE *out, struct fm_error *error);
/* Everything of fm_scaling_json before the tree; two objects are then open, the inner one for the tree. */
enum fm_status fm_scaling_json_start(struct fm_scaling *scaling, struct fm_json *json, enum fm_json_style style,
                                     struct fm_error *error);

/* ---- shared by text, JSON and CSV ---- */

struct fm_excess fm_scaling_excess(const struct fm_scaling *scaling, uint32_t node); /* of `other` relative to `base` */
bool fm_scaling_by_own(const struct fm_scaling *scaling); /* rows are selected by X_E: view callers */
/* The run that the context of a node belongs to. */
struct fm_scaling_run *fm_scaling_run_of(const struct fm_scaling *scaling, const struct fm_scale *scale, uint32_t node);
const char *fm_scaling_label(const struct fm_scaling *scaling, uint32_t node, size_t columns);
/* The name of a run in sentences and headings: "16 ranks"; of two versions "A", "B". */
const char *fm_scaling_run_text(struct fm_scaling *scaling, size_t run);
uint32_t fm_scaling_ranks(const struct fm_scaling *scaling, size_t run);

/* What the comparison says, in a sentence. */
const char *fm_scaling_headline(struct fm_scaling *scaling);

/* A verdict as a sentence, and the question whether calls of its routine could be one. */
const char *fm_scaling_verdict_text(struct fm_scaling *scaling, const struct fm_verdict *verdict);

/* Source lines that a verdict is about, largest loss first (scale_lines.c). */
enum { FM_SCALING_LINES = 3 };
struct fm_scaling_line {
    const struct fm_context_id *id;
    uint32_t node; /* in `judged` */
    double excess; /* fraction of the run, over all contexts */
};
size_t fm_scaling_lines(struct fm_scaling *scaling, const struct fm_verdict *verdict, struct fm_scaling_line *lines);

/* Calls, lines and timers that only one of the two versions has, without what is below them, longest time first: at
 * most `max` nodes of `judged`. */
size_t fm_scaling_only_in(const struct fm_scaling *scaling, size_t run, uint32_t *nodes, size_t max);

/* By node: the largest absolute excess work of it or a descendant. Returns NULL if out of memory (scale_rows.c). */
double *fm_scaling_weights(struct fm_scaling *scaling, bool own);

/* Which contexts are shown, and how the tree is drawn before their labels (scale_rows.c). */
struct fm_scaling_row {
    uint32_t node;
    const char *drawing;
    bool hot; /* on the path of the largest loss */
};
struct fm_scaling_rows {
    struct fm_scaling_row *items;
    size_t n;
    size_t left_out; /* contexts with less excess work than the limit */
    double limit;
};
enum fm_status fm_scaling_rows(struct fm_scaling *scaling, struct fm_scaling_rows *rows, struct fm_error *error);

/* Prints the runs side by side, and the recommended number of ranks (scale_where.c). */
void fm_scaling_print_runs(struct fm_scaling *scaling, FILE *out);

/* The factors of the efficiency of a run, relative to the first one (scale_factors.c). */
struct fm_scaling_factors {
    struct fm_factors own; /* of the run itself */
    struct fm_computation computation;
    double global; /* parallel efficiency x computation scaling */
};
struct fm_scaling_factors fm_scaling_factors(const struct fm_scaling *scaling, size_t run);
void fm_scaling_print_factors(struct fm_scaling *scaling, FILE *out);
enum fm_status fm_scaling_factors_text(struct fm_scaling *scaling, FILE *out); /* the same, with what they mean */
enum fm_status fm_scaling_factors_csv(struct fm_scaling *scaling, FILE *out);

/* The time of the runs in computation and in each MPI routine (scale_costs.c). */
struct fm_scaling_cost {
    const char *name;  /* "computation", "MPI_Allreduce" */
    uint64_t *time_ns; /* by run, over all its processes */
};
struct fm_scaling_costs {
    struct fm_scaling_cost *items; /* computation, then by time in the last run, longest first */
    size_t n;
};
enum fm_status fm_scaling_costs(struct fm_scaling *scaling, struct fm_scaling_costs *costs, struct fm_error *error);
enum fm_status fm_scaling_costs_text(struct fm_scaling *scaling, FILE *out, struct fm_error *error);
enum fm_status fm_scaling_costs_csv(struct fm_scaling *scaling, FILE *out, struct fm_error *error);

/* The view split (scale_split.c). */
enum fm_status fm_scaling_split_text(struct fm_scaling *scaling, FILE *out, struct fm_error *error);
enum fm_status fm_scaling_split_csv(struct fm_scaling *scaling, FILE *out, struct fm_error *error);
enum fm_status fm_scaling_split_json(struct fm_scaling *scaling, FILE *out, struct fm_error *error);

#endif
