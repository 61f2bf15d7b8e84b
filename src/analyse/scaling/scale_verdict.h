/* SPDX-License-Identifier: BSD-3-Clause */
/* Why a program does not scale, as sentences, from the excess work of its contexts (scale.h).
 *
 * A verdict is about a function or an MPI routine whose exclusive time, over all its contexts, is in excess; or, as a
 * gain, is less than expected. Exclusive times are parts of a whole, so verdicts and gains add up to the excess work of
 * the run, with a remainder in all other functions. Starting and ending MPI is counted separately: it does not depend on
 * the program.
 *
 * Functions that call it are looked at from inside out. A wrapper, a function that spends nearly all its time in what the
 * verdict is about and that is called from several places, is not the cause: its callers are. Functions of MPI are not
 * callers.
 *
 * Where processes had no cores of their own (fm_scale_run.lacks_cores), computation counts only as far as its CPU time is
 * in excess as well.
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

enum { FM_VERDICTS = 5, FM_VERDICT_CALLERS = 6, FM_VERDICT_WRAPPERS = 16 };
/* Of the run: smaller losses are not reported. It is FM_SCALE_NOISE if the run as a whole is as expected, or processes
 * lacked cores; if both, nothing is reported. */
#define FM_VERDICT_LEAST 0.01

struct fm_verdict_caller {
    uint32_t node;    /* the context of the calling function with the largest loss */
    double excess;    /* fraction of the run */
    uint32_t through; /* a context of the wrapper that it calls; 0 if it calls directly */
};

struct fm_verdict {
    enum fm_scale_cause cause;
    uint32_t node;           /* the context with the largest loss of the function that the verdict is about */
    uint32_t through;        /* a context of the wrapper that calls it, if all callers use the same one; 0 if not */
    struct fm_excess excess; /* over all its contexts; of a gain, negative like that of its callers */
    struct fm_verdict_caller callers[FM_VERDICT_CALLERS]; /* largest first */
    size_t n_callers;                       /* those with at least 1 % of the excess; can be more than are listed */
    uint32_t wrappers[FM_VERDICT_WRAPPERS]; /* functions (fm_scale_node.function), in no order */
    size_t n_wrappers;
};

struct fm_verdicts {
    struct fm_excess whole;
    struct fm_verdict items[FM_VERDICTS]; /* losses, largest first */
    size_t n;
    struct fm_verdict gains[FM_VERDICTS]; /* largest first */
    size_t n_gains;
    struct fm_excess startup; /* of starting and ending MPI: MPI_Init, MPI_Finalize; in `own` */
    double startup_share;     /* of the time of `other` */
};

enum fm_status fm_scale_judge(const struct fm_scale *scale, size_t base, size_t other, struct fm_verdicts *verdicts,
                              struct fm_error *error);

/* The call that leads to a context of the function that a verdict is about: that of its outermost wrapper, or its own. */
uint32_t fm_verdict_call(const struct fm_scale *scale, const struct fm_verdict *verdict, uint32_t node);

/* The sentence, in the arena. Returns NULL if out of memory. */
const char *fm_verdict_text(const struct fm_scale *scale, const struct fm_verdict *verdict, struct fm_arena *arena);

#endif
