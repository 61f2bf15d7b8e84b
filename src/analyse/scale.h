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
 * pair of parents is then paired by name alone, in the order of lines: a rebuilt program has its lines elsewhere. */
#ifndef FM_ANALYSE_SCALE_H
#define FM_ANALYSE_SCALE_H

#include "analyse/calltree.h"

enum fm_scale_mode { FM_SCALE_STRONG, FM_SCALE_WEAK, FM_SCALE_SAME };

enum { FM_SCALE_RUNS = 32 };

struct fm_scale_run {
    const struct fm_calltree *tree;
    uint32_t processes;
    uint64_t period_ns; /* of a sample: the longest of the run; 0: measured, not sampled */
};

/* What a run has at a context, over all its processes. Average over processes: divided by them. */
struct fm_scale_cost {
    uint64_t all_ns, own_ns; /* with and without what is below */
};

struct fm_scale_node {
    const struct fm_context *context; /* of the last run that has it: names and lines are those of the largest one */
    uint32_t parent, first, next;     /* 0: none; node 0 is the root */
    uint32_t runs;                    /* a bit for each that has it */
    bool by_name;                     /* lines or modules differ in some of them */
};

/* Parents stand before their children. Memory is the arena's; runs and their trees must outlive it. */
struct fm_scale {
    enum fm_scale_mode mode;
    const struct fm_scale_run *runs; /* by number of processes; of equal ones in the order given */
    size_t n_runs;
    struct fm_scale_node *nodes;
    size_t n;
    struct fm_scale_cost *costs; /* [n][n_runs] */
};

/* Joins the trees of all runs. Without lines (`fold_lines`) statements and call sites are given to their frames first. */
enum fm_status fm_scale_join(enum fm_scale_mode mode, const struct fm_scale_run *runs, size_t n_runs,
                             struct fm_arena *arena, struct fm_scale *scale, struct fm_error *error);

static inline const struct fm_scale_cost *fm_scale_cost(const struct fm_scale *scale, uint32_t node, size_t run)
{
    return &scale->costs[node * scale->n_runs + run];
}

/* Excess work of one run against another. `error` is half of the 95 % interval that the sampling of both leaves. */
struct fm_excess {
    double all, own;             /* X_I and X_E */
    double all_error, own_error; /* 0 where both were measured */
};
struct fm_excess fm_scale_excess(const struct fm_scale *scale, uint32_t node, size_t base, size_t other);
/* Whether a value can be told from 0. */
static inline bool fm_is_certain(double value, double error)
{
    return value > error || value < -error;
}
/* T, in ns: the average over processes. */
double fm_scale_total(const struct fm_scale *scale, size_t run);
/* 1 - X of the root. */
double fm_scale_efficiency(const struct fm_scale *scale, size_t base, size_t other);

/* Sorts all children by the loss of the last run against the first: certain losses first, the largest first; then what is
 * not certain; of equal ones by name and line. */
enum fm_status fm_scale_sort(struct fm_scale *scale, size_t base, size_t other, bool own, struct fm_error *error);
/* The child that has at least half of what a context loses, certainly; 0: none. */
uint32_t fm_scale_hot(const struct fm_scale *scale, uint32_t node, size_t base, size_t other);

#endif
