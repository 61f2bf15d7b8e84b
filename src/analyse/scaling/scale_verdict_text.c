/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns verdicts into sentences: the only place with their wording. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/scaling/scale_verdict.h"

static void percent(FILE *out, double part)
{
    double value = 100 * (part < 0 ? -part : part);
    fprintf(out, value < 9.95 ? "%.1f %%" : "%.0f %%", value);
}

static const char *name_of(const struct fm_scale *scale, uint32_t node)
{
    return scale->nodes[node].context->id.name;
}

static const char *finish(FILE *out, char **text, struct fm_arena *arena)
{
    bool written = out && !ferror(out) && fclose(out) == 0;
    const char *kept = written ? fm_arena_strndup(arena, *text, strlen(*text)) : NULL;
    free(*text);
    return kept;
}

/* "pcg (12 %), cfl_check (8.1 %) and 2 more"; if callers use different wrappers
 * "global_sum, called by pcg (12 %); global_max, called by cfl_check (8.1 %); and 2 more" */
static void callers_text(FILE *out, const struct fm_scale *scale, const struct fm_verdict *verdict)
{
    enum { SHOWN = 3 };
    size_t shown = verdict->n_callers < SHOWN ? verdict->n_callers : SHOWN, rest = verdict->n_callers - shown;
    bool mixed = false;
    for (size_t i = 0; i < shown && !verdict->through; i++)
        mixed |= verdict->callers[i].through != 0;
    for (size_t i = 0; i < shown; i++) {
        const struct fm_verdict_caller *caller = &verdict->callers[i];
        bool last = i + 1 == shown && !rest;
        fputs(i == 0 ? "" : mixed ? (last ? "; and " : "; ") : last ? " and " : ", ", out);
        if (mixed && caller->through)
            fprintf(out, "%s, called by ", name_of(scale, caller->through));
        fputs(name_of(scale, caller->node), out);
        if (verdict->n_callers == 1)
            return;
        fputs(" (", out);
        percent(out, caller->excess);
        fputs(")", out);
    }
    if (rest)
        fprintf(out, "%s and %zu more", mixed ? ";" : "", rest);
}

static bool lacks_cores(const struct fm_scale *scale)
{
    for (size_t i = 0; i < scale->n_runs; i++)
        if (scale->runs[i].lacks_cores)
            return true;
    return false;
}

/* Where processes lacked cores, it is only said where the time was spent. */
static void cause_text(FILE *out, const struct fm_scale *scale, const struct fm_verdict *verdict)
{
    bool mpi = verdict->cause == FM_CAUSE_MPI, gain = verdict->excess.own < 0, doubtful = lacks_cores(scale);
    fprintf(out, "%s%s", name_of(scale, verdict->node), mpi ? "" : " itself");
    if (scale->mode == FM_SCALE_SAME) {
        fprintf(out, "%s in B, by ",
                doubtful ? (gain ? ": less time" : ": more time") : (gain ? " takes less time" : " takes longer"));
        percent(out, verdict->excess.own);
        fputs(" of the time of A", out);
        return;
    }
    fputs(doubtful ? ": " : gain ? " scales better than ideal: " : " does not scale: ", out);
    percent(out, verdict->excess.own);
    fprintf(out, " of the run is %s",
            gain       ? "saved in it"
            : doubtful ? "excess time in it"
            : mpi      ? "excess communication and waiting in it"
                       : "its excess time");
}

const char *fm_verdict_text(const struct fm_scale *scale, const struct fm_verdict *verdict, struct fm_arena *arena)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    cause_text(out, scale, verdict);
    if (verdict->through)
        fprintf(out, ", through %s", name_of(scale, verdict->through));
    if (verdict->n_callers) {
        fputs(verdict->through ? ", called from " : ", in calls from ", out);
        callers_text(out, scale, verdict);
    }
    fputs(".", out);
    return finish(out, &text, arena);
}
