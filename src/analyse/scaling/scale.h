/* SPDX-License-Identifier: BSD-3-Clause */
/* Excess work: how much of a run is work that a smaller run did not have, and in which contexts it arises.
 *
 * Runs are compared context by context (after Coarfa, Mellor-Crummey, Froyd and Dotsenko, ICS 2007). C(n) is the time
 * in context n, averaged over the processes of a run, with the threads of a process added up; T is C of the whole run.
 *
 *   strong  X = (q C_q(n) - p C_p(n)) / (q T_q)   the same problem on more processes
 *   weak    X = (C_q(n) - C_p(n)) / T_q           a problem that grows with them
 *   same    X = (C_B(n) - C_A(n)) / T_A           two versions at one size
 *
 * 0 is ideal, positive is a loss, negative is better than expected. The efficiency of strong and weak scaling is 1 - X of
 * the whole run. Of two versions everything is relative to the first one, A: X of the whole run is the change of its time.
 *
 * What is compared are trees of contexts (calltree.h): sampled call paths, in any of their three views, or trees made
 * from measurements: MPI routines by region and call site, and timers. Contexts are matched by meaning, not by address:
 * kind, function, base names of load module and source file, line, inlined or not. The remaining children of matching
 * parents are then matched by name alone, in the order of their lines, because lines move when a program is rebuilt. In
 * runs of the same build they do not: there a different line is a different context. */
#ifndef FM_ANALYSE_SCALING_SCALE_H
#define FM_ANALYSE_SCALING_SCALE_H

#include "analyse/calls/calltree.h"

enum fm_scale_mode { FM_SCALE_STRONG, FM_SCALE_WEAK, FM_SCALE_SAME };

enum { FM_SCALE_RUNS = 32 };

struct fm_scale_run {
    const struct fm_calltree *tree;
    uint32_t processes;
    uint64_t period_ns;  /* longest sampling period of the run; 0: measured, not sampled */
    const char *program; /* load module of the main program, the same program in all runs; NULL or "": unknown */
    const char *build;   /* its build id; runs with the same one have the same lines; NULL or "": unknown */
    bool lacks_cores;    /* times include waiting for a core (analyse/balance/core_use.h) */
    double running;      /* then: CPU time / wall time */
};

/* The cost of a context in a run, over all processes. Divide by their number for the average. */
struct fm_scale_cost {
    uint64_t all_ns, own_ns; /* inclusive and exclusive */
};

struct fm_scale_node {
    const struct fm_context *context; /* in the last run that has it: names and lines are those of the largest run */
    uint32_t parent, first, next;     /* 0: none; node 0 is the root */
    uint32_t runs;                    /* bit mask of the runs that have it */
    uint32_t function; /* frame or routine: a number that is the same for all contexts of a function; otherwise 0 */
    bool by_name;      /* matched by name: lines or load modules differ */
};

/* Parents before their children. Memory comes from the arena; the trees must outlive the result. */
struct fm_scale {
    enum fm_scale_mode mode;
    const struct fm_scale_run *runs; /* by number of processes; equal ones, and all if `same`, in the given order */
    size_t n_runs;
    struct fm_scale_node *nodes;
    size_t n, n_functions;       /* functions are numbered from 1 to n_functions */
    struct fm_scale_cost *costs; /* [n][n_runs] */
};

/* Joins the trees of two or more runs. */
enum fm_status fm_scale_join(enum fm_scale_mode mode, const struct fm_scale_run *runs, size_t n_runs,
                             struct fm_arena *arena, struct fm_scale *scale, struct fm_error *error);

static inline const struct fm_scale_cost *fm_scale_cost(const struct fm_scale *scale, uint32_t node, size_t run)
{
    return &scale->costs[node * scale->n_runs + run];
}

/* The node after `at` in a preorder walk over everything below `top`; 0 at the end. */
uint32_t fm_scale_after(const struct fm_scale *scale, uint32_t top, uint32_t at);

/* Excess work of one run relative to another. `error` is half the width of the 95 % interval due to sampling in both
 * runs: a cost corresponds to cost / period samples, each of which fell into this context by chance (binomial), and
 * nothing is known more precisely than to one sample, not even that a context is absent. */
struct fm_excess {
    double all, own;             /* X_I and X_E */
    double all_error, own_error; /* 0 if both were measured */
};
struct fm_excess fm_scale_excess(const struct fm_scale *scale, uint32_t node, size_t base, size_t other);
/* The same for any sum of costs of the two runs. */
struct fm_excess fm_scale_excess_of(const struct fm_scale *scale, const struct fm_scale_cost *in_base,
                                    const struct fm_scale_cost *in_other, size_t base, size_t other);
/* Half the width of the 95 % interval of a cost in one run, in ns over all its processes. */
double fm_scale_error(const struct fm_scale *scale, uint64_t cost_ns, size_t run);
/* Whether a value differs from 0 by more than its error: for marks in tables of many values. */
static inline bool fm_is_certain(double value, double error)
{
    return value > error || value < -error;
}
/* Whether a value is worth a sentence: at least `least`, and more than four standard deviations, because the values with
 * sentences are picked from many, of which some exceed two or three by chance. */
static inline bool fm_is_clear(double value, double error, double least)
{
    return fm_is_certain(value, error * 4 / 1.96) && (value >= least || value <= -least);
}
#define FM_SCALE_NOISE 0.05 /* of a run: smaller differences occur between repeated runs */

/* T in ns, the average over processes. */
double fm_scale_total(const struct fm_scale *scale, size_t run);
/* The expected time of `other` divided by its time: 1 - X of the root; of two versions T_A / T_B. */
double fm_scale_efficiency(const struct fm_scale *scale, size_t base, size_t other);

/* Sorts all children by their loss in `other` relative to `base`: significant losses first, largest first; then those
 * that are not significant; then gains. Equal ones are sorted by name and line. */
enum fm_status fm_scale_sort(struct fm_scale *scale, size_t base, size_t other, bool own, struct fm_error *error);
/* The child with at least half of the loss of a context, if it is significant; 0 if none. */
uint32_t fm_scale_hot(const struct fm_scale *scale, uint32_t node, size_t base, size_t other);

#endif
