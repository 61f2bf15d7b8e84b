/* SPDX-License-Identifier: BSD-3-Clause */
/* Excess work: how much of a run is work that a smaller one did not have, and at which contexts it arises.
 *
 * Runs are compared context by context (after Coarfa, Mellor-Crummey, Froyd and Dotsenko, ICS 2007). C(n) is the time at
 * context n, averaged over the processes of a run, threads summed within a process; T is C of the whole run.
 *
 *   strong  X = (q C_q(n) - p C_p(n)) / (q T_q)   the same problem on more processes
 *   weak    X = (C_q(n) - C_p(n)) / T_q           a problem that grows with them
 *   same    X = (C_B(n) - C_A(n)) / T_B           two versions at one size
 *
 * 0 is perfect, positive is loss, negative is more than was hoped for; 1 - X is the relative efficiency.
 *
 * What is compared are trees of contexts (calltree.h): sampled call paths, in any of their three views, or trees that are
 * made of what was measured, MPI routines by region and call site, and timers. Contexts correspond by meaning, not by
 * address: kind, function, load module and source file by their last names, line, inlined or not. What is left below a
 * pair of parents is then paired by name alone, in the order of lines: a rebuilt program has its lines elsewhere. Not so
 * in runs of one build of a program: there another line is another context. */
#ifndef FM_ANALYSE_SCALING_SCALE_H
#define FM_ANALYSE_SCALING_SCALE_H

#include "analyse/calls/calltree.h"

enum fm_scale_mode { FM_SCALE_STRONG, FM_SCALE_WEAK, FM_SCALE_SAME };

enum { FM_SCALE_RUNS = 32 };

struct fm_scale_run {
    const struct fm_calltree *tree;
    uint32_t processes;
    uint64_t period_ns;  /* of a sample: the longest of the run; 0: measured, not sampled */
    const char *program; /* path of the main program's load module: those of all runs are one; NULL or "": not known */
    const char *build;   /* its build id: where it is the same lines are where they were; NULL or "": not known */
};

/* What a run has at a context, over all its processes. Average over processes: divided by them. */
struct fm_scale_cost {
    uint64_t all_ns, own_ns; /* with and without what is below */
};

struct fm_scale_node {
    const struct fm_context *context; /* of the last run that has it: names and lines are those of the largest one */
    uint32_t parent, first, next;     /* 0: none; node 0 is the root */
    uint32_t runs;                    /* a bit for each that has it */
    uint32_t function; /* of a frame or routine: the same number for the same function anywhere; else 0 */
    bool by_name;      /* lines or modules differ in some of them */
};

/* Parents stand before their children. Memory is the arena's; the trees must outlive it. */
struct fm_scale {
    enum fm_scale_mode mode;
    const struct fm_scale_run *runs; /* by number of processes; of equal ones, and for `same`, in the order given */
    size_t n_runs;
    struct fm_scale_node *nodes;
    size_t n, n_functions;       /* functions are numbered from 1 to n_functions */
    struct fm_scale_cost *costs; /* [n][n_runs] */
};

/* Joins the trees of all runs, two or more. */
enum fm_status fm_scale_join(enum fm_scale_mode mode, const struct fm_scale_run *runs, size_t n_runs,
                             struct fm_arena *arena, struct fm_scale *scale, struct fm_error *error);

static inline const struct fm_scale_cost *fm_scale_cost(const struct fm_scale *scale, uint32_t node, size_t run)
{
    return &scale->costs[node * scale->n_runs + run];
}

/* What comes after `at` in a walk over all that is below `top`, parents first and children in their order; 0 at the end. */
uint32_t fm_scale_after(const struct fm_scale *scale, uint32_t top, uint32_t at);

/* Excess work of one run against another. `error` is half of the 95 % interval that the sampling of both leaves: a cost
 * stands for as many samples as its run has periods in it, each of which fell here by chance (binomial), and nothing is
 * known better than to one sample, not even that a context is absent. */
struct fm_excess {
    double all, own;             /* X_I and X_E */
    double all_error, own_error; /* 0 where both were measured */
};
struct fm_excess fm_scale_excess(const struct fm_scale *scale, uint32_t node, size_t base, size_t other);
/* The same of any sum of costs of the two runs. */
struct fm_excess fm_scale_excess_of(const struct fm_scale *scale, const struct fm_scale_cost *in_base,
                                    const struct fm_scale_cost *in_other, size_t base, size_t other);
/* Half of the 95 % interval of a cost of one run, in ns over all its processes. */
double fm_scale_error(const struct fm_scale *scale, uint64_t cost_ns, size_t run);
/* Whether a value can be told from 0. */
static inline bool fm_is_certain(double value, double error)
{
    return value > error || value < -error;
}
/* T, in ns: the average over processes. */
double fm_scale_total(const struct fm_scale *scale, size_t run);
/* 1 - X of the root. */
double fm_scale_efficiency(const struct fm_scale *scale, size_t base, size_t other);

/* Sorts all children by what one run loses against another: certain losses first, the largest first; then what is not
 * certain; then gains; of equal ones by name and line. */
enum fm_status fm_scale_sort(struct fm_scale *scale, size_t base, size_t other, bool own, struct fm_error *error);
/* The child that has at least half of what a context loses, certainly; 0: none. */
uint32_t fm_scale_hot(const struct fm_scale *scale, uint32_t node, size_t base, size_t other);

#endif
