/* SPDX-License-Identifier: BSD-3-Clause */
/* Who calls the function that a verdict is about, past wrappers: part of scale_verdict.c.
 *
 * A wrapper is a function that spends nearly all its time in the function, which it calls at one place, and that is
 * itself called from several places, directly or by another wrapper:
 *
 *   cfl_check -+                              global_maxval is the wrapper; the callers are cfl_check and pcg
 *              +-> global_maxval -> MPI_Allreduce
 *   pcg -------+
 *
 * "Nearly all" holds in both runs, so that a solver is no wrapper only because on many processes it does nothing but
 * wait; or the function is called by several others, as a utility is. */
#ifndef FM_ANALYSE_SCALING_SCALE_CALLERS_H
#define FM_ANALYSE_SCALING_SCALE_CALLERS_H

#include "analyse/scaling/scale_verdict.h"

/* One context of the function that a verdict is about. */
struct fm_scale_loss {
    uint32_t node;
    uint32_t joint; /* result: itself or the outermost wrapper that it is called through */
    double excess;
};

struct fm_scale_callers {
    const struct fm_scale *scale;
    size_t base, other;
    struct fm_callers_function *functions; /* by number of the function */
    struct fm_callers_route *routes;
};

/* Memory comes from the arena; false if there is not enough. */
bool fm_scale_callers_start(struct fm_scale_callers *search, const struct fm_scale *scale, size_t base, size_t other,
                            struct fm_arena *arena);
/* Sets wrappers and callers of the verdict, and the joints of the losses. */
void fm_scale_callers_find(struct fm_scale_callers *search, struct fm_scale_loss *losses, size_t n,
                           struct fm_verdict *verdict);

/* The caller of a context, outside the same function and MPI; 0 if unknown. *callee: the context that it calls
 * directly. */
uint32_t fm_scale_caller(const struct fm_scale *scale, uint32_t node, uint32_t *callee);

#endif
