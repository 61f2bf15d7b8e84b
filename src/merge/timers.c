/* SPDX-License-Identifier: BSD-3-Clause */
/* Timers with the same name are the same timer. Their groups of tasks are merged by shape. If there are too many, the
 * shapes are made coarser: a union has at least as many different shapes as its parts, so the degree of coarseness
 * depends on all tasks together, not on the order of merging. */
#include "merge/join.h"
#include "merge/parts.h"
#include "model/order.h"
#include "model/strings.h"

static int compare_groups(const void *a, const void *b)
{
    return fm_timer_shape_compare(&((const struct fm_timer_group *)a)->shape,
                                  &((const struct fm_timer_group *)b)->shape);
}

static uint32_t lowest(const struct fm_timer_group *group)
{
    return group->ranks.n ? group->ranks.ranges[0].first : FM_NO_RANK;
}

static bool merge_group(struct fm_profile *into, void *mine, const void *theirs)
{
    struct fm_timer_group *group = mine;
    const struct fm_timer_group *other = theirs;
    return fm_timer_bins_merge(&into->arena, group, lowest(group), other, lowest(other)) &&
           fm_rankset_union(&group->ranks, &into->arena, &other->ranks);
}

static bool copy_group(struct fm_profile *into, void *slot, const void *theirs)
{
    const struct fm_timer_group *other = theirs;
    struct fm_timer_group *group = slot;
    struct fm_timer_bin *bins = fm_arena_alloc(&into->arena, other->n_bins * sizeof *bins);
    *group = (struct fm_timer_group){.shape = other->shape, .bins = bins, .n_bins = other->n_bins};
    for (size_t i = 0; bins && i < other->n_bins; i++)
        bins[i] = other->bins[i];
    return bins && fm_rankset_union(&group->ranks, &into->arena, &other->ranks);
}

static bool join_groups(struct fm_profile *into, struct fm_timer *timer, const struct fm_timer_group *groups, size_t n)
{
    static const struct fm_join kind = {
        .item_size = sizeof *groups, .compare = compare_groups, .merge = merge_group, .copy = copy_group};
    return fm_join(&kind, into, &timer->groups, &timer->n_groups, &timer->groups_capacity, groups, n);
}

/* One at a time, because the coarse shapes of sorted fine ones are sorted, but not unique. */
static bool join_coarse(struct fm_profile *into, struct fm_timer *timer, const struct fm_timer_group *groups, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct fm_timer_group group = groups[i];
        group.shape = fm_timer_shape_coarse(group.shape, timer->coarse);
        if (!join_groups(into, timer, &group, 1))
            return false;
    }
    return true;
}

static bool make_coarse(struct fm_profile *into, struct fm_timer *timer, uint32_t degree)
{
    struct fm_timer_group *groups = timer->groups;
    size_t n = timer->n_groups;
    timer->coarse = degree;
    timer->groups = NULL;
    timer->n_groups = timer->groups_capacity = 0;
    return join_coarse(into, timer, groups, n);
}

static bool merge_groups(struct fm_profile *into, struct fm_timer *timer, const struct fm_timer *other)
{
    static const size_t max_groups[] = {FM_TIMER_SHAPES, FM_TIMER_COARSE_SHAPES, FM_DECIMAL_BINS};
    if (other->coarse > timer->coarse && !make_coarse(into, timer, other->coarse))
        return false;
    bool done = timer->coarse == other->coarse ? join_groups(into, timer, other->groups, other->n_groups)
                                               : join_coarse(into, timer, other->groups, other->n_groups);
    while (done && timer->coarse < FM_TIMER_COARSEST && timer->n_groups > max_groups[timer->coarse])
        done = make_coarse(into, timer, timer->coarse + 1);
    return done;
}

/* Of equal averages, the lowest rank is kept. */
static void keep_average(struct fm_timer_average *mine, const struct fm_timer_average *theirs, int sign)
{
    int order = !theirs->events ? -1 : !mine->events ? 1 : sign * fm_timer_average_compare(theirs, mine);
    if (order == 0)
        order = fm_compare_number(mine->rank, theirs->rank);
    if (order == 0)
        order = fm_compare_number(theirs->total_ns, mine->total_ns);
    if (order == 0)
        order = fm_compare_number(theirs->events, mine->events);
    if (order > 0)
        *mine = *theirs;
}

/* The number of events belongs to the extreme total and is kept with it. */
static void merge_total(struct fm_timer *timer, const struct fm_timer *other)
{
    struct fm_spread before = timer->total_ns;
    const struct fm_spread *now = &timer->total_ns, *theirs = &other->total_ns;
    fm_spread_merge(&timer->total_ns, theirs);
    const bool mine[2] = {before.ranks && before.max == now->max && before.max_rank == now->max_rank,
                          before.ranks && before.min == now->min && before.min_rank == now->min_rank},
               new[2] = {theirs->ranks && theirs->max == now->max && theirs->max_rank == now->max_rank,
                         theirs->ranks && theirs->min == now->min && theirs->min_rank == now->min_rank};
    for (int i = 0; i < 2; i++)
        if (new[i] && (!mine[i] || other->total_events[i] > timer->total_events[i]))
            timer->total_events[i] = other->total_events[i];
}

static int compare_timers(const void *a, const void *b)
{
    return fm_compare_text(((const struct fm_timer *)a)->name, ((const struct fm_timer *)b)->name);
}

/* Tasks without a finished event have no parent. */
static bool merge_parent(struct fm_profile *into, struct fm_timer *timer, const struct fm_timer *other)
{
    if (!timer->events.ranks)
        timer->parent = fm_profile_intern(into, other->parent);
    else if (other->events.ranks && fm_compare_text(timer->parent, other->parent) != 0)
        timer->parent = FM_SEVERAL_PARENTS;
    return timer->parent;
}

/* Merges everything that is not a sum. */
static bool merge_timer(struct fm_profile *into, void *mine, const void *theirs)
{
    struct fm_timer *timer = mine;
    const struct fm_timer *other = theirs;
    if (!merge_parent(into, timer, other))
        return false;
    fm_spread_merge(&timer->events, &other->events);
    merge_total(timer, other);
    fm_spread_merge(&timer->thread_ns, &other->thread_ns);
    fm_extreme_keep_longer(&timer->longest, &other->longest);
    fm_extreme_keep_longer(&timer->second, &other->second);
    fm_extreme_keep_shorter(&timer->shortest, &other->shortest);
    keep_average(&timer->longest_average, &other->longest_average, 1);
    keep_average(&timer->shortest_average, &other->shortest_average, -1);
    return fm_rankset_union(&timer->ranks, &into->arena, &other->ranks) && merge_groups(into, timer, other) &&
           fm_merge_misuses(into, timer, other->misuses, other->n_misuses);
}

static bool copy_timer(struct fm_profile *into, void *slot, const void *theirs)
{
    const struct fm_timer *other = theirs;
    struct fm_timer *timer = slot;
    timer->groups = NULL;
    timer->n_groups = timer->groups_capacity = 0;
    timer->misuses = NULL;
    timer->n_misuses = timer->misuses_capacity = 0;
    timer->ranks = (struct fm_rankset){0};
    return fm_rankset_union(&timer->ranks, &into->arena, &other->ranks) &&
           join_groups(into, timer, other->groups, other->n_groups) &&
           fm_merge_misuses(into, timer, other->misuses, other->n_misuses);
}

bool fm_merge_timers(struct fm_profile *into, const struct fm_timer *timers, size_t n)
{
    static const struct fm_join kind = {.item_size = sizeof *timers,
                                        .compare = compare_timers,
                                        .fields = &fm_timer_fields,
                                        .merge = merge_timer,
                                        .copy = copy_timer};
    return fm_join(&kind, into, &into->timers, &into->n_timers, &into->timers_capacity, timers, n);
}

/* Timers with the same name: only in a damaged segment. */
static bool has_duplicates(const struct fm_timer *timers, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (!compare_timers(&timers[i - 1], &timers[i]))
            return true;
    return false;
}

bool fm_take_timers(struct fm_profile *into, struct fm_timer *timers, size_t n)
{
    if (!has_duplicates(timers, n)) {
        into->timers = timers;
        into->n_timers = into->timers_capacity = n;
        return true;
    }
    for (size_t i = 0; i < n; i++)
        if (!fm_merge_timers(into, &timers[i], 1))
            return false;
    return true;
}

static size_t count_groups(const struct fm_profile *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n_timers; i++)
        n += p->timers[i].n_groups;
    return n;
}

/* Merging the smaller into the larger one takes time in proportion to the smaller, and copies little. */
struct fm_profile *fm_join_timers(struct fm_profile *a, struct fm_profile *b)
{
    bool larger = count_groups(a) > count_groups(b);
    struct fm_profile *into = larger ? a : b, *from = larger ? b : a;
    bool done = fm_merge_timers(into, from->timers, from->n_timers);
    fm_profile_destroy(from);
    if (done)
        return into;
    fm_profile_destroy(into);
    return NULL;
}
