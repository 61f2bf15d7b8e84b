/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/check.h"

#include "model/order.h"

static bool set_sorted(const struct fm_rankset *set)
{
    for (size_t i = 0; i < set->n; i++) {
        if (set->ranges[i].first > set->ranges[i].last)
            return false;
        if (i && (uint64_t)set->ranges[i].first <= (uint64_t)set->ranges[i - 1].last + 1)
            return false;
    }
    return true;
}

bool fm_edges_sorted(const struct fm_edge *edges, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (fm_edge_compare(&edges[i - 1], &edges[i]) >= 0)
            return false;
    return true;
}

/* Whether the items are sorted by key, and the ranks of each set. */
static bool list_sorted(const struct fm_list *list, const struct fm_profile *p)
{
    size_t n;
    const char *item = fm_list_items(list, p, &n);
    for (size_t i = 0; i < n; i++, item += list->item_size) {
        int order = i && !list->repeats ? list->compare(item - list->item_size, item) : -1;
        if (order >= 0)
            return false;
        for (size_t c = 0; c < list->compounds->n; c++)
            if (list->compounds->list[c].kind == FM_FIELD_RANKS &&
                !set_sorted(fm_field_at(&list->compounds->list[c], item)))
                return false;
    }
    return true;
}

static const char *check_lists(const struct fm_profile *p)
{
#define X(section, list, item, merged)    \
    if (!list_sorted(&fm_list_##list, p)) \
        return #list " out of order";
    FM_LISTS(X)
#undef X
    return NULL;
}

static const char *check_processes(const struct fm_profile *p)
{
    for (size_t i = 0; i < p->n_processes; i++) {
        const struct fm_process *process = &p->processes[i];
        if (i && process[-1].rank > process->rank) /* in a large job the rest of the key is rounded */
            return "processes out of order";
        if (process->host >= p->n_hosts && process->host != FM_NO_RANK)
            return "a process refers to a missing host";
    }
    return NULL;
}

static const char *check_routines(const struct fm_profile *p)
{
    for (size_t i = 0; i < p->n_routines; i++) {
        const struct fm_routine_total *routine = &p->routines[i];
        for (size_t k = 1; k < routine->n_per_rank; k++)
            if (routine->per_rank[k - 1].rank >= routine->per_rank[k].rank)
                return "values of a routine out of order";
    }
    return NULL;
}

static const char *check_events(const struct fm_profile *p)
{
    for (size_t i = 0; i < p->n_events; i++)
        if (p->events[i].key.size_bin >= FM_SIZE_BINS)
            return "an event has an invalid size";
    return NULL;
}

static bool bins_sorted(const struct fm_timer_group *group)
{
    for (size_t i = 0; i < group->n_bins; i++) {
        uint32_t bin = group->bins[i].bin;
        if (bin >= FM_DECIMAL_BINS && (bin <= FM_TIMER_BELOW || bin >= FM_TIMER_BELOW + FM_TIMER_TICKS))
            return false;
        if (i && group->bins[i - 1].bin >= bin)
            return false;
    }
    return true;
}

static bool shape_valid(const union fm_timer_shape *shape)
{
    for (unsigned k = 0; k < FM_TIMER_TICKS; k++)
        if (shape->max_bin[k] >= FM_DECIMAL_BINS)
            return false;
    return shape->second_bin < FM_DECIMAL_BINS && shape->share <= 8;
}

static const char *check_misuses(const struct fm_timer *timer)
{
    if (timer->n_misuses > (FM_TIMER_MISUSES + 1) * (FM_MISUSE_SITES + 1))
        return "too many kinds of misuse of a timer";
    for (size_t i = 0; i < timer->n_misuses; i++) {
        const struct fm_misuse *misuse = &timer->misuses[i];
        if (misuse->kind >= FM_TIMER_MISUSES && misuse->kind != FM_MISUSE_RUNNING &&
            misuse->kind != FM_MISUSE_NO_HANDLE)
            return "unknown kind of timer misuse";
        if (!*misuse->site.module && (*misuse->site.build_id || misuse->site.offset))
            return "invalid place of a timer misuse";
        if ((i && fm_misuse_compare(misuse - 1, misuse) >= 0) || !set_sorted(&misuse->ranks))
            return "timer misuse out of order";
    }
    return NULL;
}

static const char *check_timers(const struct fm_profile *p)
{
    for (size_t i = 0; i < p->n_timers; i++) {
        const struct fm_timer *timer = &p->timers[i];
        if (i && fm_compare_text(timer[-1].name, timer->name) >= 0)
            return "timers out of order";
        if (!set_sorted(&timer->ranks))
            return "ranks of a timer out of order";
        if (timer->coarse > FM_TIMER_COARSEST)
            return "unknown kind of timer histogram";
        for (size_t k = 0; k < timer->n_groups; k++) {
            const struct fm_timer_group *group = &timer->groups[k];
            if (!group->ranks.n || !set_sorted(&group->ranks) || !bins_sorted(group) || !shape_valid(&group->shape) ||
                (k && fm_timer_shape_compare(&group[-1].shape, &group->shape) >= 0))
                return "timer histograms out of order";
        }
        const char *problem = check_misuses(timer);
        if (problem)
            return problem;
    }
    return NULL;
}

static const char *check_snapshots(const struct fm_profile *p)
{
    for (size_t i = 0; i < p->n_snapshots; i++) {
        const struct fm_snapshot *snapshot = &p->snapshots[i];
        int order = i ? fm_snapshot_compare(snapshot - 1, snapshot) : -1;
        if (order > 0 || (order == 0 && snapshot->collective) || snapshot->collective > 1)
            return "snapshots out of order";
        for (size_t k = 1; k < snapshot->n_routines; k++)
            if (fm_compare_text(snapshot->routines[k - 1].name, snapshot->routines[k].name) >= 0)
                return "routines of a snapshot out of order";
    }
    return NULL;
}

static const char *check_environment(const struct fm_profile *p)
{
    for (size_t i = 1; i < p->job.n_env; i++)
        if (fm_compare_text(p->job.env[i - 1].name, p->job.env[i].name) >= 0)
            return "environment out of order";
    return NULL;
}

static const char *check_paths(const struct fm_profile *p)
{
    return fm_call_paths_check(&p->paths);
}

static const char *check_sequence(const struct fm_profile *p)
{
    return fm_sequence_check(&p->paths.sequence, p->paths.n);
}

const char *fm_profile_check(const struct fm_profile *profile)
{
    const char *(*const checks[])(const struct fm_profile *) = {
        check_lists, check_processes, check_routines,  check_events,      check_timers,
        check_paths, check_sequence,  check_snapshots, check_environment,
    };
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        const char *problem = checks[i](profile);
        if (problem)
            return problem;
    }
    if (!fm_grid_valid(&profile->job.cart))
        return "invalid grid of ranks";
    if (!fm_edges_sorted(profile->sent.items, profile->sent.n) ||
        !fm_edges_sorted(profile->received.items, profile->received.n))
        return "edges out of order";
    return NULL;
}
