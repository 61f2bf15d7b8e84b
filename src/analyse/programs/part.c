/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/programs/part.h"

#include <string.h>

#include "analyse/programs/part_paths.h"
#include "analyse/programs/part_side.h"
#include "base/saturate.h"

struct part_builder {
    const struct fm_profile *from;
    struct fm_profile *to;
    struct fm_part *part;
    struct fm_arena *arena;
};

uint32_t fm_part_rank(const struct fm_part *part, uint32_t rank)
{
    uint32_t left = rank;
    for (size_t i = 0; i < part->ranks.n; i++) {
        const struct fm_range *range = &part->ranks.ranges[i];
        if (left <= range->last - range->first)
            return range->first + left;
        left -= range->last - range->first + 1;
    }
    return rank; /* not a rank, such as FM_NO_RANK */
}

/* Allocates an empty list with room for `max` items. */
#define LIST(builder, list, max)                                          \
    ((builder)->to->n_##list = 0, (builder)->to->list##_capacity = (max), \
     ((builder)->to->list = fm_arena_alloc((builder)->arena, (max) * sizeof *(builder)->to->list)) != NULL)

/* ---- job, hosts and processes ---- */

/* Command and language are known only for the lowest rank of the job. */
static void describe_job(struct part_builder *m, const struct fm_program *program)
{
    struct fm_job *job = &m->to->job;
    if (strcmp(job->exe, program->exe) || strcmp(job->build_id, program->build_id)) {
        job->n_argv = 0;
        job->language = "";
    }
    job->exe = program->exe;
    job->build_id = program->build_id;
    job->ranks = (uint32_t)fm_rankset_count(&m->part->ranks);
    job->cart = (struct fm_grid){0}; /* it covers all ranks of the job */
}

/* Hosts keep all their ranks: those of other programs use their cores too. */
static bool keep_processes(struct part_builder *m)
{
    const struct fm_profile *from = m->from;
    uint32_t *new_hosts = fm_arena_alloc(m->arena, from->n_hosts * sizeof *new_hosts);
    size_t n = 0;
    for (size_t i = 0; i < from->n_processes; i++)
        n += fm_rankset_has(&m->part->ranks, from->processes[i].rank);
    if (!new_hosts || !LIST(m, hosts, from->n_hosts) || !LIST(m, processes, n))
        return false;
    for (size_t i = 0; i < from->n_hosts; i++) {
        new_hosts[i] = (uint32_t)m->to->n_hosts;
        if (fm_part_side(m->part, &from->hosts[i].ranks) != FM_PART_THEIRS)
            m->to->hosts[m->to->n_hosts++] = from->hosts[i];
    }
    for (size_t i = 0; i < from->n_processes; i++) {
        struct fm_process process = from->processes[i];
        if (!fm_rankset_has(&m->part->ranks, process.rank))
            continue;
        if (process.host < from->n_hosts)
            process.host = new_hosts[process.host];
        m->to->processes[m->to->n_processes++] = process;
    }
    return true;
}

/* The amount of a note is a sum over its ranks. */
static bool keep_notes(struct part_builder *m)
{
    if (!LIST(m, notes, m->from->n_notes))
        return false;
    for (size_t i = 0; i < m->from->n_notes; i++) {
        struct fm_note note = m->from->notes[i];
        enum fm_part_side side = fm_part_side(m->part, &note.ranks);
        if (side == FM_PART_THEIRS)
            continue;
        if (side == FM_PART_SHARED)
            note.amount = 0;
        if (!fm_rankset_common(&m->from->notes[i].ranks, &m->part->ranks, m->arena, &note.ranks))
            return false;
        m->to->notes[m->to->n_notes++] = note;
    }
    return true;
}

/* ---- MPI ---- */

static const struct fm_routine_total *routine_of(const struct fm_profile *profile, const char *name)
{
    size_t low = 0, high = profile->n_routines;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(profile->routines[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < profile->n_routines && strcmp(profile->routines[low].name, name) == 0 ? &profile->routines[low] : NULL;
}

static enum fm_part_side side_of_event(const struct part_builder *m, const struct fm_event *event,
                                       const struct fm_routine_total *routine)
{
    size_t program = fm_program_of_site(m->from, &event->key.site);
    enum fm_part_side side = FM_PART_SHARED;
    if (program != FM_NO_PROGRAM)
        side = fm_part_side(m->part, &m->from->programs[program].ranks);
    return side == FM_PART_SHARED && routine ? fm_part_side(m->part, &routine->ranks) : side;
}

/* Keeps the calls, time and bytes of a routine by rank. */
static bool keep_per_rank(struct part_builder *m, struct fm_routine_total *routine)
{
    const struct fm_rank_value *values = routine->per_rank;
    size_t n = routine->n_per_rank;
    routine->per_rank = fm_arena_alloc(m->arena, n * sizeof *values);
    routine->n_per_rank = routine->per_rank_capacity = 0;
    routine->time_ns = routine->calls = routine->bytes = (struct fm_spread){0};
    for (size_t i = 0; i < n && routine->per_rank; i++) {
        if (!fm_rankset_has(&m->part->ranks, values[i].rank))
            continue;
        routine->per_rank[routine->n_per_rank++] = values[i];
        fm_spread_add(&routine->time_ns, values[i].time_ns, values[i].rank);
        fm_spread_add(&routine->calls, values[i].calls, values[i].rank);
        fm_spread_add(&routine->bytes, values[i].bytes, values[i].rank);
    }
    return routine->per_rank != NULL;
}

/* The statistics of a routine called by several programs if some of its calls cannot be attributed; the histogram has
 * only those that can. */
static struct fm_stats stats_of_ranks(const struct fm_routine_total *routine, const struct fm_histogram *histogram)
{
    return (struct fm_stats){
        .count = routine->calls.sum,
        .count_arguments = FM_UNKNOWN,
        .total_ns = routine->time_ns.sum,
        .min = {.ns = FM_UNKNOWN},
        .max = {.ns = FM_UNKNOWN},
        .bytes = routine->bytes.sum,
        .bytes_sent = FM_UNKNOWN,
        .bytes_received = FM_UNKNOWN,
        .messages = FM_UNKNOWN,
        .histogram = *histogram,
    };
}

/* Splits a routine that ranks of several programs call. `ours`: its calls at call sites of this program, which are all
 * its calls if no site is shared. */
static bool split_routine(struct part_builder *m, struct fm_routine_total *routine, const struct fm_stats *ours,
                          bool all_attributed)
{
    const struct fm_routine_total whole = *routine;
    routine->stats = *ours;
    if (!keep_per_rank(m, routine) || !fm_rankset_common(&whole.ranks, &m->part->ranks, m->arena, &routine->ranks))
        return false;
    if (!all_attributed)
        routine->stats = stats_of_ranks(routine, &ours->histogram);
    return true;
}

/* The profile of a large job does not. */
static bool has_calls_per_rank(const struct fm_routine_total *routine)
{
    uint64_t calls = 0;
    for (size_t i = 0; i < routine->n_per_rank; i++)
        fm_add_saturating(&calls, routine->per_rank[i].calls);
    return calls == routine->stats.count;
}

static bool keep_calls(struct part_builder *m)
{
    const struct fm_profile *from = m->from;
    struct fm_stats *ours = fm_arena_alloc(m->arena, from->n_routines * sizeof *ours);
    bool *shared = fm_arena_alloc(m->arena, from->n_routines * sizeof *shared);
    if (!ours || !shared || !LIST(m, routines, from->n_routines) || !LIST(m, events, from->n_events))
        return false;
    for (size_t i = 0; i < from->n_events; i++) {
        const struct fm_event *event = &from->events[i];
        const struct fm_routine_total *routine = routine_of(from, event->key.routine);
        enum fm_part_side side = side_of_event(m, event, routine);
        if (side == FM_PART_OURS) {
            m->to->events[m->to->n_events++] = *event;
            if (routine)
                fm_stats_merge(&ours[routine - from->routines], &event->stats);
        } else if (side == FM_PART_SHARED) {
            fm_add_saturating(&m->part->calls, event->stats.count);
            fm_add_saturating(&m->part->calls_ns, event->stats.total_ns);
            if (routine)
                shared[routine - from->routines] = true;
        }
    }
    for (size_t i = 0; i < from->n_routines; i++) {
        struct fm_routine_total routine = from->routines[i];
        enum fm_part_side side = fm_part_side(m->part, &routine.ranks);
        if (side == FM_PART_THEIRS)
            continue;
        if (side == FM_PART_SHARED && shared[i] && !has_calls_per_rank(&routine)) {
            m->part->routines++;
            continue;
        }
        if (side == FM_PART_SHARED && !split_routine(m, &routine, &ours[i], !shared[i]))
            return false;
        m->to->routines[m->to->n_routines++] = routine;
    }
    return true;
}

/* Messages between the program and others are included. */
static bool keep_edges(struct part_builder *m, const struct fm_edges *from, struct fm_edges *to)
{
    to->n = 0;
    to->items = fm_arena_alloc(m->arena, from->n * sizeof *to->items);
    for (size_t i = 0; i < from->n && to->items; i++)
        if (fm_rankset_has(&m->part->ranks, from->items[i].from) || fm_rankset_has(&m->part->ranks, from->items[i].to))
            to->items[to->n++] = from->items[i];
    return to->items != NULL;
}

/* Those that several programs have are left out: their call sites are, too. */
static bool keep_successions(struct part_builder *m)
{
    if (!LIST(m, successions, m->from->n_successions))
        return false;
    for (size_t i = 0; i < m->from->n_successions; i++)
        if (fm_part_side(m->part, &m->from->successions[i].ranks) == FM_PART_OURS)
            m->to->successions[m->to->n_successions++] = m->from->successions[i];
    return true;
}

/* Files and classes of files that several programs have are left out. */
static bool keep_files(struct part_builder *m)
{
    if (!LIST(m, files, m->from->n_files) || !LIST(m, file_classes, m->from->n_file_classes))
        return false;
    for (size_t i = 0; i < m->from->n_files; i++)
        if (fm_part_side(m->part, &m->from->files[i].ranks) == FM_PART_OURS)
            m->to->files[m->to->n_files++] = m->from->files[i];
    for (size_t i = 0; i < m->from->n_file_classes; i++)
        if (fm_part_side(m->part, &m->from->file_classes[i].ranks) == FM_PART_OURS)
            m->to->file_classes[m->to->n_file_classes++] = m->from->file_classes[i];
    return true;
}

/* Keeps the counters of its ranks, and sums them up again. */
static bool keep_counters(struct part_builder *m)
{
    if (!LIST(m, counters, m->from->n_counters))
        return false;
    struct fm_spread counts = {0}, in_mpis = {0};
    uint64_t enabled_ns = 0, running_ns = 0;
    for (size_t i = 0; i < m->from->n_counters; i++) {
        struct fm_counter counter = m->from->counters[i];
        if (counter.rank == FM_NO_RANK) {
            if (!fm_rankset_common(&m->from->counters[i].ranks, &m->part->ranks, m->arena, &counter.ranks))
                return false;
            counter.counts = counts;
            counter.in_mpis = in_mpis;
            counter.enabled_ns = enabled_ns;
            counter.running_ns = running_ns;
            if (counts.ranks)
                m->to->counters[m->to->n_counters++] = counter;
            counts = in_mpis = (struct fm_spread){0};
            enabled_ns = running_ns = 0;
        } else if (fm_rankset_has(&m->part->ranks, counter.rank)) {
            m->to->counters[m->to->n_counters++] = counter;
            fm_spread_add(&counts, counter.count, counter.rank);
            if (!counter.unsplit)
                fm_spread_add(&in_mpis, counter.in_mpi, counter.rank);
            fm_add_saturating(&enabled_ns, counter.enabled_ns);
            fm_add_saturating(&running_ns, counter.running_ns);
        }
    }
    return true;
}

/* ---- regions, timers and snapshots ---- */

static bool keep_regions(struct part_builder *m)
{
    if (!LIST(m, regions, m->from->n_regions))
        return false;
    for (size_t i = 0; i < m->from->n_regions; i++) {
        const struct fm_region *region = &m->from->regions[i];
        enum fm_part_side side = fm_part_side(m->part, &region->ranks);
        if (side == FM_PART_OURS)
            m->to->regions[m->to->n_regions++] = *region;
        m->part->regions += side == FM_PART_SHARED && *region->path;
    }
    return true;
}

static bool keep_spans(struct part_builder *m)
{
    if (!LIST(m, spans, m->from->n_spans))
        return false;
    for (size_t i = 0; i < m->from->n_spans; i++)
        if (fm_part_side(m->part, &m->from->spans[i].ranks) == FM_PART_OURS)
            m->to->spans[m->to->n_spans++] = m->from->spans[i];
    return true;
}

static bool keep_timers(struct part_builder *m)
{
    if (!LIST(m, timers, m->from->n_timers))
        return false;
    for (size_t i = 0; i < m->from->n_timers; i++) {
        const struct fm_timer *timer = &m->from->timers[i];
        struct fm_rankset ranks = {0};
        bool known = fm_rankset_union(&ranks, m->arena, &timer->ranks);
        for (size_t k = 0; k < timer->n_misuses; k++)
            known = known && fm_rankset_union(&ranks, m->arena, &timer->misuses[k].ranks);
        if (!known)
            return false;
        enum fm_part_side side = fm_part_side(m->part, &ranks);
        if (side == FM_PART_OURS)
            m->to->timers[m->to->n_timers++] = *timer;
        m->part->timers += side == FM_PART_SHARED;
    }
    return true;
}

/* A collective snapshot is a sum over all processes. */
static bool keep_snapshots(struct part_builder *m)
{
    if (!LIST(m, snapshots, m->from->n_snapshots))
        return false;
    for (size_t i = 0; i < m->from->n_snapshots; i++) {
        const struct fm_snapshot *snapshot = &m->from->snapshots[i];
        if (snapshot->collective)
            m->part->snapshots++;
        else if (fm_rankset_has(&m->part->ranks, snapshot->rank))
            m->to->snapshots[m->to->n_snapshots++] = *snapshot;
    }
    return true;
}

/* ---- construction ---- */

static bool make(struct part_builder *m, size_t program, enum fm_part_extent extent)
{
    *m->to = *m->from;
    m->to->arena = (struct fm_arena){0};
    m->to->part = m->part;
    m->to->programs = &m->from->programs[program];
    m->to->n_programs = m->to->programs_capacity = 1;
    describe_job(m, m->to->programs);
    if (!keep_processes(m) || !keep_counters(m) || !keep_notes(m))
        return false;
    bool calls = extent >= FM_PART_CALLS, paths = extent >= FM_PART_PATHS;
    if (!calls) {
        m->to->n_routines = m->to->n_events = m->to->n_regions = m->to->n_timers = m->to->n_snapshots = 0;
        m->to->n_successions = m->to->n_spans = m->to->n_files = m->to->n_file_classes = 0;
        m->to->sent = m->to->received = (struct fm_edges){0};
    }
    if (!paths)
        m->to->paths = (struct fm_call_paths){0};
    return (!calls ||
            (keep_calls(m) && keep_successions(m) && keep_files(m) && keep_edges(m, &m->from->sent, &m->to->sent) &&
             keep_edges(m, &m->from->received, &m->to->received) && keep_regions(m) && keep_spans(m) &&
             keep_timers(m) && keep_snapshots(m))) &&
           (!paths || fm_part_paths(m->from, m->to, m->part, m->arena));
}

enum fm_status fm_part_make(const struct fm_profile *profile, size_t program, enum fm_part_extent extent,
                            struct fm_arena *arena, struct fm_profile **part, struct fm_error *error)
{
    struct part_builder m = {
        .from = profile,
        .to = fm_arena_alloc(arena, sizeof *m.to),
        .part = fm_arena_alloc(arena, sizeof *m.part),
        .arena = arena,
    };
    if (m.part)
        *m.part = (struct fm_part){
            .label = fm_program_label(profile, program, arena),
            .ranks = profile->programs[program].ranks,
            .job_ranks = profile->job.ranks,
        };
    if (!m.to || !m.part || !m.part->label || !make(&m, program, extent))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory to separate the programs of the job");
    *part = m.to;
    return FM_OK;
}
