/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs of a program set against each other, as `fathom scale` shows them (analyse/scaling/scale.h says what is compared).
 *
 *   fm_scaling_open    trees of all runs, joined and sorted by loss, and what does not fit between the runs
 *   fm_scaling_text    the answer in a few lines, the runs in a table, then the tree of contexts
 *   fm_scaling_json    all of it in one document; doc/JSON.md
 *   fm_scaling_csv     the contexts, or the costs of the view costs, all runs side by side
 *
 * Everything hangs on the arenas of the struct and of its reports; profiles and symbols must outlive it. */
#ifndef FM_REPORT_SCALING_H
#define FM_REPORT_SCALING_H

#include "analyse/scaling/scale_advice.h"
#include "analyse/scaling/scale_trend.h"
#include "analyse/scaling/scale_verdict.h"
#include "report/context_text.h"
#include "report/run_notes.h"

enum fm_scaling_view {
    FM_SCALING_USUAL, /* calls where all runs have call paths, else mpi */
    FM_SCALING_CALLS,
    FM_SCALING_CALLERS,
    FM_SCALING_FLAT,
    FM_SCALING_MPI,
    FM_SCALING_TIMERS,
    FM_SCALING_COSTS,
};
extern const char *const fm_scaling_views[]; /* by view, the usual one is ""; ends with NULL */

struct fm_scaling_options {
    enum fm_scale_mode mode;
    enum fm_scaling_view view;
    bool inside_mpi, fold_recursion;
    const char *focus; /* a function; NULL: all */
    bool all;          /* every row */
    size_t top;        /* rows; 0 = as many as are usual */
    bool with_percent;
    double percent;   /* contexts whose excess work is less are left out */
    size_t depth;     /* levels; 0 = all */
    uint32_t project; /* number of ranks to look ahead to; 0 = none */
    double threshold; /* efficiency below it is bad */
};

struct fm_scaling_run {
    const char *file;
    const struct fm_profile *profile;
    struct fm_symbols *symbols; /* or NULL */
    /* found by fm_scaling_open */
    struct fm_report report;
    struct fm_calltree tree, calls; /* of the view; of calls where the view is another one */
};

struct fm_scaling {
    struct fm_scaling_options options;
    struct fm_scaling_run *runs; /* by number of ranks, as those of `scale` */
    size_t n;
    size_t base, other;            /* the two that the tree is of */
    struct fm_scale scale;         /* of the view */
    const struct fm_scale *judged; /* of calls, sampled or measured: what verdicts are about */
    struct fm_verdicts verdicts;
    size_t winner, loser; /* whom verdicts are of: the two; but of two versions the slower one is the loser */
    struct fm_arena arena;
    struct fm_run_notes notes; /* what does not fit */
};

/* Puts `runs` in order. Wrong usage: runs of equal size, views of what the profiles do not hold. Close it in any case. */
enum fm_status fm_scaling_open(struct fm_scaling *scaling, struct fm_scaling_run *runs, size_t n,
                               const struct fm_scaling_options *options, struct fm_error *error);
void fm_scaling_close(struct fm_scaling *scaling);

enum fm_status fm_scaling_text(struct fm_scaling *scaling, FILE *out, struct fm_error *error);
enum fm_status fm_scaling_json(struct fm_scaling *scaling, FILE *out, struct fm_error *error);
enum fm_status fm_scaling_csv(struct fm_scaling *scaling, FILE *out, struct fm_error *error);

/* ---- what they share ---- */

struct fm_excess fm_scaling_excess(const struct fm_scaling *scaling, uint32_t node); /* of the two */
bool fm_scaling_by_own(const struct fm_scaling *scaling); /* rows are chosen by X_E: the view callers */
/* The run that the context of a node is of. */
struct fm_scaling_run *fm_scaling_run_of(const struct fm_scaling *scaling, const struct fm_scale *scale, uint32_t node);
const char *fm_scaling_label(const struct fm_scaling *scaling, uint32_t node, size_t columns);
/* What a run is called in sentences and headings: "16 ranks"; of two versions "A", "B". */
const char *fm_scaling_run_text(struct fm_scaling *scaling, size_t run);
uint32_t fm_scaling_ranks(const struct fm_scaling *scaling, size_t run);

/* Lines of the source that a verdict is about, those that lose most first (scale_lines.c). */
enum { FM_SCALING_LINES = 3 };
struct fm_scaling_line {
    const struct fm_context_id *id;
    uint32_t node; /* of `judged` */
    double excess; /* of the run, in all contexts */
};
size_t fm_scaling_lines(struct fm_scaling *scaling, const struct fm_verdict *verdict, struct fm_scaling_line *lines);

/* Calls, lines and timers that only one of the two versions has, without what is below them, those with most time first:
 * at most `most` nodes of `judged`. */
size_t fm_scaling_only_in(const struct fm_scaling *scaling, size_t run, uint32_t *nodes, size_t most);

/* By node: the most excess work that it or something below it has, as a size; NULL: no memory (scale_rows.c). */
double *fm_scaling_weights(struct fm_scaling *scaling, bool own);

/* Which contexts are shown, and how the tree is drawn before their labels (scale_rows.c). */
struct fm_scaling_row {
    uint32_t node;
    const char *drawing;
    bool hot; /* on the path by loss */
};
struct fm_scaling_rows {
    struct fm_scaling_row *items;
    size_t n;
    size_t left_out; /* contexts whose excess work is less than the limit */
    double limit;
};
enum fm_status fm_scaling_rows(struct fm_scaling *scaling, struct fm_scaling_rows *rows, struct fm_error *error);

/* The runs side by side, and where to run (scale_where.c). */
void fm_scaling_print_runs(struct fm_scaling *scaling, FILE *out);

/* What the runs spend on computation and on each MPI routine (scale_costs.c). */
struct fm_scaling_cost {
    const char *name;  /* "computation", "MPI_Allreduce" */
    uint64_t *time_ns; /* by run, over all its processes */
};
struct fm_scaling_costs {
    struct fm_scaling_cost *items; /* computation, then most time in the last run first */
    size_t n;
};
enum fm_status fm_scaling_costs(struct fm_scaling *scaling, struct fm_scaling_costs *costs, struct fm_error *error);
enum fm_status fm_scaling_costs_text(struct fm_scaling *scaling, FILE *out, struct fm_error *error);
enum fm_status fm_scaling_costs_csv(struct fm_scaling *scaling, FILE *out, struct fm_error *error);

#endif
