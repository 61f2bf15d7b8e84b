/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/balance/summary.h"
#include "analyse/programs/program.h"
#include "model/job_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double fm_ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* "atm, ocean" for a job of several programs. Returns NULL if out of memory. */
static const char *name_of(const struct fm_profile *profile, struct fm_arena *arena)
{
    enum { NAMED = 3 };
    char text[256];
    size_t used = 0;
    if (profile->part)
        return profile->part->label;
    if (profile->n_programs < 2)
        return fm_job_name(&profile->job);
    for (size_t i = 0; i < profile->n_programs && i < NAMED && used < sizeof text; i++) {
        const char *label = fm_program_label(profile, i, arena);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? ", " : "", label ? label : "?");
    }
    if (profile->n_programs > NAMED && used < sizeof text)
        snprintf(text + used, sizeof text - used, " and %zu more", profile->n_programs - NAMED);
    return fm_arena_strndup(arena, text, strlen(text));
}

static int by_time(const void *a, const void *b)
{
    const struct fm_routine_total *x = *(const struct fm_routine_total *const *)a;
    const struct fm_routine_total *y = *(const struct fm_routine_total *const *)b;
    if (x->stats.total_ns != y->stats.total_ns)
        return x->stats.total_ns < y->stats.total_ns ? 1 : -1;
    return strcmp(x->name, y->name);
}

static bool sort_routines(const struct fm_profile *profile, struct fm_arena *arena, struct fm_summary *summary)
{
    summary->n_routines = profile->n_routines;
    summary->routines = fm_arena_alloc(arena, profile->n_routines * sizeof *summary->routines);
    if (!summary->routines)
        return false;
    for (size_t i = 0; i < profile->n_routines; i++) {
        const struct fm_routine_total *routine = &profile->routines[i];
        summary->routines[i] = routine;
        summary->routines_ns += routine->stats.total_ns;
        summary->calls += routine->stats.count;
        summary->bytes += routine->stats.bytes;
    }
    qsort(summary->routines, summary->n_routines, sizeof *summary->routines, by_time);
    return true;
}

static void add_process(struct fm_summary *summary, const struct fm_process *process)
{
    for (enum fm_figure figure = 0; figure < FM_FIGURES; figure++) {
        uint64_t value;
        if (fm_figure_get(process, figure, &value))
            fm_spread_add(&summary->figures[figure], value, process->rank);
    }
}

/* ---- how the ranks ended ---- */

static bool add_end(struct fm_summary *summary, size_t *capacity, struct fm_arena *arena,
                    const struct fm_end_group *how, uint32_t first, uint32_t last)
{
    for (size_t i = 0; i < summary->n_ends; i++) {
        struct fm_end_group *group = &summary->ends[i];
        if (group->end == how->end && group->code == how->code && strcmp(group->inside, how->inside) == 0)
            return fm_rankset_add(&group->ranks, arena, first, last);
    }
    void *grown = fm_arena_grow(arena, summary->ends, capacity, summary->n_ends + 1, sizeof *summary->ends);
    if (!grown)
        return false;
    summary->ends = grown;
    struct fm_end_group *group = &summary->ends[summary->n_ends++];
    *group = *how;
    return fm_rankset_add(&group->ranks, arena, first, last);
}

/* Processes are sorted by rank: ranks missing between two of them have left no data. */
static bool collect_ends(const struct fm_profile *profile, struct fm_arena *arena, struct fm_summary *summary)
{
    static const struct fm_end_group missing = {.end = FM_END_MISSING, .inside = ""};
    size_t capacity = 0;
    uint64_t next = 0;
    for (size_t i = 0; i < profile->n_processes; i++) {
        const struct fm_process *process = &profile->processes[i];
        if (process->rank == FM_NO_RANK) /* it died before its rank was known; these are last */
            break;
        bool gap = process->rank > next && !profile->part;
        if (gap && !add_end(summary, &capacity, arena, &missing, (uint32_t)next, process->rank - 1))
            return false;
        next = (uint64_t)process->rank + 1;
        struct fm_end_group how = {.end = process->end, .code = process->end_code, .inside = process->inside};
        if (process->end != FM_END_FINALIZED && !add_end(summary, &capacity, arena, &how, process->rank, process->rank))
            return false;
    }
    if (next < profile->job.ranks && !profile->part &&
        !add_end(summary, &capacity, arena, &missing, (uint32_t)next, profile->job.ranks - 1))
        return false;
    for (size_t i = 0; i < summary->n_ends; i++)
        summary->ended_badly += fm_rankset_count(&summary->ends[i].ranks);
    return true;
}

enum fm_status fm_summarise(const struct fm_profile *profile, struct fm_arena *arena, struct fm_summary *summary,
                            struct fm_error *error)
{
    *summary = (struct fm_summary){
        .name = name_of(profile, arena),
        .ranks = profile->job.ranks,
        .complete = fm_profile_complete(profile),
        .wall_ns = fm_profile_wall_ns(profile),
    };
    for (size_t i = 0; i < profile->n_processes; i++) {
        const struct fm_process *process = &profile->processes[i];
        if (process->end == FM_END_MISSING)
            continue;
        /* A rank can have several processes in succession (exec). */
        bool again = i > 0 && process[-1].rank == process->rank && process[-1].end != FM_END_MISSING;
        summary->measured += !again;
        add_process(summary, process);
    }
    if (summary->wall_ns == 0 || profile->part) /* start and end of a single program are unknown */
        summary->wall_ns = summary->of.wall_ns.max;
    if (!summary->name || !sort_routines(profile, arena, summary) || !collect_ends(profile, arena, summary))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory to summarise the profile");
    summary->wall_sum_ns = summary->of.wall_ns.sum;
    summary->overhead_ns = summary->of.overhead_ns.sum;
    summary->mpi_sum_ns = summary->of.mpi_ns.sum;
    summary->mpi_fraction = fm_ratio((double)summary->mpi_sum_ns, (double)summary->wall_sum_ns);
    return FM_OK;
}
