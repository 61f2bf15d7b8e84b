/* SPDX-License-Identifier: BSD-3-Clause */
/* What stops a program from scaling, in words, from the excess work of its contexts (scale.h).
 *
 * A verdict is about a function or an MPI routine whose own time is in excess in all its contexts together. From there
 * it goes outwards past functions that do little else and that nearly all of the loss comes through: a wrapper of a
 * routine is named with it, and the callers are those of the wrapper. MPI's own functions are no callers.
 *
 * It is data first; one place makes the sentences. Works on trees of calls: sampled call paths, or routines by call site. */
#ifndef FM_ANALYSE_SCALING_SCALE_VERDICT_H
#define FM_ANALYSE_SCALING_SCALE_VERDICT_H

#include "analyse/scaling/scale.h"

enum fm_scale_cause {
    FM_CAUSE_OWN, /* what the function itself does */
    FM_CAUSE_MPI, /* communication or waiting */
};

enum { FM_VERDICTS = 5, FM_VERDICT_CALLERS = 6, FM_VERDICT_REPEATS = 3 };
#define FM_VERDICT_LEAST 0.01 /* of the run: less is not worth a sentence */

struct fm_verdict_caller {
    uint32_t node; /* a context of the function that calls: where it loses most */
    double excess; /* of the run */
    size_t calls;  /* in succession, at different places; 1 in the list of callers */
};

struct fm_verdict {
    enum fm_scale_cause cause;
    uint32_t node;           /* a context of the function that the verdict is about: where it loses most */
    uint32_t through;        /* a context of the wrapper that calls it; 0: none */
    struct fm_excess excess; /* of all its contexts */
    struct fm_verdict_caller callers[FM_VERDICT_CALLERS]; /* most first */
    size_t n_callers; /* with at least a hundredth of it; more than listed perhaps */
    /* Functions that make several calls, one after the other as lines go, of which little else comes than this; not of
     * what the program itself computes. */
    struct fm_verdict_caller repeats[FM_VERDICT_REPEATS]; /* most first */
    size_t n_repeats;
};

struct fm_verdicts {
    struct fm_excess whole;
    struct fm_verdict items[FM_VERDICTS]; /* most first; certain losses alone */
    size_t n;
};

enum fm_status fm_scale_judge(const struct fm_scale *scale, size_t base, size_t other, struct fm_verdicts *verdicts,
                              struct fm_error *error);

/* The sentence, in the arena; NULL: no memory. */
const char *fm_verdict_text(const struct fm_scale *scale, const struct fm_verdict *verdict, struct fm_arena *arena);

#endif
