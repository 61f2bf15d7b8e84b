/* SPDX-License-Identifier: BSD-3-Clause */
#include "export/ipm_tasks.h"

#include <string.h>

#include "analyse/balance/balance.h"

static void add_event(struct fm_ipm_group *group, const struct fm_stats *stats)
{
    group->min_ns = !group->count || stats->min.ns < group->min_ns ? stats->min.ns : group->min_ns;
    group->max_ns = stats->max.ns > group->max_ns ? stats->max.ns : group->max_ns;
    group->count += stats->count;
    group->left += stats->count;
    group->total_ns += stats->total_ns;
    group->bytes += stats->bytes;
}

static bool is_of(const struct fm_ipm_group *group, const struct fm_event_key *key)
{
    return group->size_bin == key->size_bin && !strcmp(group->routine, key->routine) &&
           !strcmp(group->region, key->region);
}

bool fm_ipm_tasks_make(const struct fm_profile *profile, struct fm_arena *arena, struct fm_ipm_tasks *tasks)
{
    *tasks = (struct fm_ipm_tasks){.profile = profile,
                                   .groups = fm_arena_alloc(arena, profile->n_events * sizeof *tasks->groups)};
    for (size_t i = 0; tasks->groups && i < profile->n_events; i++) {
        const struct fm_event *event = &profile->events[i];
        if (!tasks->n || !is_of(&tasks->groups[tasks->n - 1], &event->key))
            tasks->groups[tasks->n++] = (struct fm_ipm_group){
                .routine = event->key.routine, .region = event->key.region, .size_bin = event->key.size_bin};
        add_event(&tasks->groups[tasks->n - 1], &event->stats);
    }
    return tasks->groups || !profile->n_events;
}

/* a * b / c, rounded. */
static uint64_t share(uint64_t a, uint64_t b, uint64_t c)
{
    return c ? (uint64_t)(((unsigned __int128)a * b + c / 2) / c) : 0;
}

/* The calls and the time of a rank in a routine. Large profiles lack them: then all ranks that called it are equal. */
static struct fm_rank_value value_of(const struct fm_routine_total *routine, uint32_t rank)
{
    const struct fm_rank_value *value = fm_balance_value(routine, rank);
    if (value)
        return *value;
    uint64_t ranks = routine->time_ns.ranks;
    if (routine->n_per_rank || !ranks || !fm_rankset_has(&routine->ranks, rank))
        return (struct fm_rank_value){.rank = rank};
    return (struct fm_rank_value){.rank = rank,
                                  .calls = share(routine->stats.count, 1, ranks),
                                  .time_ns = share(routine->stats.total_ns, 1, ranks)};
}

/* Divides the calls of a rank between n groups of one routine: each has at most what is left of it. */
static void divide_calls(struct fm_ipm_group *groups, size_t n, uint64_t calls)
{
    uint64_t left = 0, given = 0;
    for (size_t i = 0; i < n; i++)
        left += groups[i].left;
    calls = calls < left ? calls : left;
    for (size_t i = 0; i < n; i++) {
        uint64_t of_group = groups[i].left;
        groups[i].task_count = share(of_group, calls - given, left);
        groups[i].left -= groups[i].task_count;
        given += groups[i].task_count;
        left -= of_group;
    }
}

/* What the calls of the rank take on average. */
static double expected_ns(const struct fm_ipm_group *group)
{
    return group->count ? (double)group->total_ns / (double)group->count * (double)group->task_count : 0;
}

/* Divides a time by the expected times of the calls. */
static void divide_time(struct fm_ipm_group *groups, size_t n, uint64_t ns)
{
    double whole = 0, sum = 0;
    uint64_t given = 0;
    for (size_t i = 0; i < n; i++)
        whole += expected_ns(&groups[i]);
    for (size_t i = 0; i < n; i++) {
        sum += expected_ns(&groups[i]);
        uint64_t until = whole > 0 && sum < whole ? (uint64_t)(sum / whole * (double)ns) : whole > 0 ? ns : 0;
        groups[i].task_ns = until > given ? until - given : 0;
        given += groups[i].task_ns;
    }
}

void fm_ipm_task(struct fm_ipm_tasks *tasks, uint32_t rank)
{
    const struct fm_profile *profile = tasks->profile;
    size_t first = 0;
    for (size_t r = 0; r < profile->n_routines; r++) {
        size_t n = 0;
        while (first < tasks->n && strcmp(tasks->groups[first].routine, profile->routines[r].name) < 0)
            first++;
        while (first + n < tasks->n && !strcmp(tasks->groups[first + n].routine, profile->routines[r].name))
            n++;
        struct fm_rank_value value = value_of(&profile->routines[r], rank);
        divide_calls(&tasks->groups[first], n, value.calls);
        divide_time(&tasks->groups[first], n, value.time_ns);
        first += n;
    }
}
