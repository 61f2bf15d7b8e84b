/* Verdicts as sentences: the only place that has words for them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/scaling/scale_verdict.h"

const char *fm_scale_cause_text(enum fm_scale_cause cause)
{
    static const char *const texts[] = {
        [FM_CAUSE_NONE] = "",
        [FM_CAUSE_GAIN] = "better than expected",
        [FM_CAUSE_OWN] = "its own work",
        [FM_CAUSE_CALLEES] = "what it calls",
        [FM_CAUSE_MPI] = "communication and waiting",
    };
    return texts[cause];
}

static void percent(FILE *out, double part)
{
    double value = 100 * part;
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

static void more_processes(FILE *out, const struct fm_scale *scale, const struct fm_excess *whole, size_t base,
                           size_t other)
{
    uint32_t p = scale->runs[base].processes, q = scale->runs[other].processes;
    if (!fm_is_certain(whole->all, whole->all_error)) {
        fprintf(out, "From %u to %u processes nothing is lost.", p, q);
    } else if (whole->all < 0) {
        fprintf(out, "From %u to %u processes it scales better than expected: the efficiency is ", p, q);
        percent(out, 1 - whole->all);
        fputs(".", out);
    } else {
        fprintf(out, "On %u processes ", q);
        percent(out, whole->all);
        if (scale->mode == FM_SCALE_WEAK)
            fprintf(out, " of the time of a process was not needed on %u", p);
        else
            fprintf(out, " of the time is work that %u %s not have", p, p == 1 ? "did" : "processes did");
        fputs(": the efficiency is ", out);
        percent(out, 1 - whole->all);
        fputs(".", out);
    }
}

static void other_version(FILE *out, const struct fm_excess *whole)
{
    if (!fm_is_certain(whole->all, whole->all_error)) {
        fputs("The two runs take the same time.", out);
        return;
    }
    double longer = whole->all < 1 ? 1 / (1 - whole->all) - 1 : 0;
    fputs("The second run takes ", out);
    percent(out, longer < 0 ? -longer : longer);
    fprintf(out, " %s than the first.", longer < 0 ? "less time" : "more time");
}

const char *fm_verdict_whole_text(const struct fm_scale *scale, const struct fm_verdicts *verdicts, size_t base,
                                  size_t other, struct fm_arena *arena)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out && scale->mode == FM_SCALE_SAME)
        other_version(out, &verdicts->whole);
    else if (out)
        more_processes(out, scale, &verdicts->whole, base, other);
    return finish(out, &text, arena);
}

static void callers_text(FILE *out, const struct fm_scale *scale, const struct fm_verdict *verdict)
{
    enum { SHOWN = 3 };
    size_t shown = verdict->n_callers < SHOWN ? verdict->n_callers : SHOWN, rest = verdict->n_callers - shown;
    for (size_t i = 0; i < shown; i++) {
        fprintf(out, "%s%s",
                i == 0                    ? ""
                : i + 1 == shown && !rest ? " and "
                                          : ", ",
                name_of(scale, verdict->callers[i].node));
        if (verdict->n_callers == 1)
            return;
        fputs(" (", out);
        percent(out, verdict->callers[i].excess);
        fputs(")", out);
    }
    if (rest)
        fprintf(out, " and %zu more", rest);
}

static void cause_text(FILE *out, const struct fm_scale *scale, const struct fm_verdict *verdict)
{
    bool versions = scale->mode == FM_SCALE_SAME, mpi = verdict->cause == FM_CAUSE_MPI;
    fprintf(out, "%s%s %s: ", name_of(scale, verdict->node), mpi ? "" : " itself",
            versions ? "takes longer" : "does not scale");
    percent(out, verdict->excess.own);
    fprintf(out, " of the run is %s",
            versions ? "time in it that the other run does not need"
            : mpi    ? "excess communication and waiting in it"
                     : "its excess work");
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
    if (verdict->n_repeats) {
        const struct fm_verdict_caller *repeats = &verdict->repeats[0];
        fprintf(out, " %s makes %zu of these calls in succession (", name_of(scale, repeats->node), repeats->calls);
        percent(out, repeats->excess);
        fputs(verdict->cause == FM_CAUSE_MPI ? "): can they be one?" : ").", out);
    }
    return finish(out, &text, arena);
}
