/* SPDX-License-Identifier: BSD-3-Clause */
/* Why a program does not scale, as sentences, from the excess work of its contexts (scale.h).
 *
 * A verdict is about a function or an MPI routine whose exclusive time, over all its contexts, is in excess. From there
 * the search goes outwards past functions that do little else and through which nearly all of the loss comes: a wrapper
 * of a routine is named together with it, and the callers are those of the wrapper. Functions of MPI are not callers.
 *
 * Verdicts are data; scale_verdict_text.c turns them into sentences. Works on call trees: sampled call paths, or
 * routines by call site. */
#ifndef FM_ANALYSE_SCALING_SCALE_VERDICT_H
#define FM_ANALYSE_SCALING_SCALE_VERDICT_H

#include "analyse/scaling/scale.h"

enum fm_scale_cause {
    FM_CAUSE_OWN, /* the function itself */
    FM_CAUSE_MPI, /* communication or waiting */
};

enum { FM_VERDICTS = 5, FM_VERDICT_CALLERS = 6, FM_VERDICT_REPEATS = 3 };
#define FM_VERDICT_LEAST 0.01 /* of the run: smaller losses are not reported */

struct fm_verdict_caller {
    uint32_t node; /* the context of the calling function with the largest loss */
    double excess; /* fraction of the run */
    size_t calls;  /* number of successive calls, at different places; 1 in the list of callers */
};

struct fm_verdict {
    enum fm_scale_cause cause;
    uint32_t node;           /* the context with the largest loss of the function that the verdict is about */
    uint32_t through;        /* a context of the wrapper that calls it; 0 if none */
    struct fm_excess excess; /* over all its contexts */
    struct fm_verdict_caller callers[FM_VERDICT_CALLERS]; /* largest loss first */
    size_t n_callers; /* those with at least 1 % of the loss; can be more than are listed */
    /* Functions that make several calls in succession (by line) whose time is nearly all in this function. Not for
     * functions of the program itself. */
    struct fm_verdict_caller repeats[FM_VERDICT_REPEATS]; /* largest loss first */
    size_t n_repeats;
};

struct fm_verdicts {
    struct fm_excess whole;
    struct fm_verdict items[FM_VERDICTS]; /* largest loss first; significant losses only */
    size_t n;
};

enum fm_status fm_scale_judge(const struct fm_scale *scale, size_t base, size_t other, struct fm_verdicts *verdicts,
                              struct fm_error *error);

/* The sentence, in the arena. Returns NULL if out of memory. */
const char *fm_verdict_text(const struct fm_scale *scale, const struct fm_verdict *verdict, struct fm_arena *arena);

#endif
