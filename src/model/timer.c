/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/timer.h"

#include <string.h>

#include "base/saturate.h"

int fm_timer_shape_compare(const union fm_timer_shape *a, const union fm_timer_shape *b)
{
    return memcmp(a, b, sizeof *a);
}

union fm_timer_shape fm_timer_shape_coarse(union fm_timer_shape shape, uint32_t degree)
{
    if (degree > 0)
        shape.second_bin = shape.share = 0;
    for (unsigned k = 1; degree > 1 && k < FM_TIMER_TICKS; k++)
        shape.max_bin[k] = (uint8_t)fm_decimal_bin_coarse(shape.max_bin[0], k);
    return shape;
}

int fm_timer_average_compare(const struct fm_timer_average *a, const struct fm_timer_average *b)
{
    uint64_t x = a->total_ns / a->events, y = b->total_ns / b->events;
    return (x > y) - (x < y);
}

/* ---- bins ---- */

static struct fm_timer_bin empty_bin(uint32_t bin, uint32_t lowest)
{
    return (struct fm_timer_bin){.bin = bin, .max_rank = lowest, .min_rank = lowest};
}

static struct fm_timer_bin combine(struct fm_timer_bin a, const struct fm_timer_bin *b)
{
    if (b->max > a.max || (b->max == a.max && b->max_rank < a.max_rank)) {
        a.max = b->max;
        a.max_rank = b->max_rank;
    }
    if (b->min < a.min || (b->min == a.min && b->min_rank < a.min_rank)) {
        a.min = b->min;
        a.min_rank = b->min_rank;
    }
    fm_add_saturating(&a.sum, b->sum);
    return a;
}

static size_t count_union(const struct fm_timer_group *into, const struct fm_timer_group *from)
{
    size_t both = 0;
    for (size_t i = 0, k = 0; i < into->n_bins && k < from->n_bins;) {
        both += into->bins[i].bin == from->bins[k].bin;
        if (into->bins[i].bin <= from->bins[k].bin)
            i++;
        else
            k++;
    }
    return into->n_bins + from->n_bins - both;
}

bool fm_timer_bins_merge(struct fm_arena *arena, struct fm_timer_group *into, uint32_t lowest_into,
                         const struct fm_timer_group *from, uint32_t lowest_from)
{
    /* Usually there are no new bins: then no memory is needed, whatever the number of tasks. */
    size_t n = 0, n_union = count_union(into, from);
    struct fm_timer_bin *bins = into->bins;
    const struct fm_timer_bin *a = into->bins, *end_a = a + into->n_bins, *b = from->bins, *end_b = b + from->n_bins;
    if (n_union != into->n_bins && !(bins = fm_arena_alloc(arena, n_union * sizeof *bins)))
        return false;
    while (a < end_a || b < end_b) {
        uint32_t bin = b == end_b || (a < end_a && a->bin < b->bin) ? a->bin : b->bin;
        struct fm_timer_bin mine = a < end_a && a->bin == bin ? *a++ : empty_bin(bin, lowest_into);
        struct fm_timer_bin theirs = b < end_b && b->bin == bin ? *b++ : empty_bin(bin, lowest_from);
        bins[n++] = combine(mine, &theirs);
    }
    into->bins = bins;
    into->n_bins = n;
    return true;
}

/* ---- one task ---- */

/* A histogram without its empty bins, which are usually most of them. */
struct sparse {
    unsigned n;
    uint8_t bin[FM_DECIMAL_BINS];
    uint64_t count[FM_DECIMAL_BINS];
};

static void make_sparse(struct sparse *sparse, const uint64_t *counts)
{
    sparse->n = 0;
    for (unsigned bin = 0; bin < FM_DECIMAL_BINS; bin++) {
        if (!counts[bin])
            continue;
        sparse->bin[sparse->n] = (uint8_t)bin;
        sparse->count[sparse->n++] = counts[bin];
    }
}

/* Number of events in bins up to `last`, starting at the nonempty bin *i, which is advanced to the first one after
 * `last`. */
static uint64_t count_up_to(const struct sparse *sparse, unsigned last, unsigned *i)
{
    uint64_t sum = 0;
    for (; *i < sparse->n && sparse->bin[*i] <= last; ++*i)
        fm_add_saturating(&sum, sparse->count[*i]);
    return sum;
}

/* The index of the bin with the most events, starting at i; of equal ones that with the shorter events, as in the
 * figures of the paper. `excluded` is skipped. Returns sparse->n if there is none. */
static unsigned fullest(const struct sparse *sparse, unsigned i, unsigned excluded)
{
    unsigned best = sparse->n;
    for (; i < sparse->n; i++)
        if (i != excluded && (best == sparse->n || sparse->count[i] > sparse->count[best]))
            best = i;
    return best;
}

/* In coarse ticks, everything up to a power of ten is bin 0; the bins after it are the same. */
static void find_max_bins(union fm_timer_shape *shape, const struct sparse *sparse)
{
    uint64_t below = 0;
    unsigned first = 0, best = fullest(sparse, 0, sparse->n);
    for (unsigned k = 0; k < FM_TIMER_TICKS; k++) {
        fm_add_saturating(&below, count_up_to(sparse, 9 * k, &first));
        if (best < first)
            best = fullest(sparse, first, sparse->n);
        bool is_below = best == sparse->n || below >= sparse->count[best];
        shape->max_bin[k] = (uint8_t)(is_below ? 0 : sparse->bin[best] - 9 * k);
    }
}

static union fm_timer_shape shape_of(const struct sparse *sparse)
{
    union fm_timer_shape shape = {0};
    unsigned first = 0, best = fullest(sparse, 0, sparse->n), second = fullest(sparse, 0, best);
    uint64_t all = count_up_to(sparse, FM_DECIMAL_BINS,
                               &first); /* in a damaged segment, this may differ from the number of events */
    find_max_bins(&shape, sparse);
    if (all) {
        shape.second_bin = second < sparse->n ? sparse->bin[second] : 0;
        shape.share = (uint8_t)((unsigned __int128)sparse->count[best] * 8 / all);
    }
    return shape;
}

static bool bins_of_task(struct fm_timer_group *group, struct fm_arena *arena, uint32_t rank,
                         const struct sparse *sparse)
{
    uint64_t below[FM_TIMER_TICKS] = {0};
    unsigned first = 0, n = sparse->n;
    for (unsigned k = 1; k < FM_TIMER_TICKS; k++) {
        below[k] = below[k - 1];
        fm_add_saturating(&below[k], count_up_to(sparse, 9 * k, &first));
        n += below[k] > 0;
    }
    struct fm_timer_bin *bin = group->bins = fm_arena_alloc(arena, n * sizeof *bin);
    group->n_bins = n;
    if (!bin)
        return false;
    for (unsigned i = 0; i < sparse->n; i++) {
        uint64_t count = sparse->count[i];
        *bin++ = (struct fm_timer_bin){sparse->bin[i], rank, rank, count, count, count};
    }
    for (unsigned k = 1; k < FM_TIMER_TICKS; k++)
        if (below[k])
            *bin++ = (struct fm_timer_bin){FM_TIMER_BELOW + k, rank, rank, below[k], below[k], below[k]};
    return true;
}

static struct fm_extreme extreme_of(struct fm_timer_event event, uint32_t rank)
{
    struct fm_extreme none = {0}, some = {event.ns, event.event, rank};
    return event.event ? some : none;
}

bool fm_timer_of_task(struct fm_timer *timer, struct fm_arena *arena, const char *name, const char *parent,
                      uint32_t rank, const struct fm_timer_task *task)
{
    struct fm_timer_group *group = fm_arena_alloc(arena, sizeof *group);
    struct sparse sparse;
    *timer = (struct fm_timer){
        .name = name,
        .parent = parent,
        .total_events = {task->events, task->events},
        .longest = extreme_of(task->longest, rank),
        .second = extreme_of(task->second, rank),
        .shortest = extreme_of(task->shortest, rank),
        .longest_average = {task->total_ns, task->events, rank},
        .shortest_average = {task->total_ns, task->events, rank},
        .children_ns = task->children_ns,
        .overhead_ns = task->overhead_ns,
        .overhead_inside_ns = task->overhead_inside_ns,
        .half_events = {task->half_events[0], task->half_events[1]},
        .half_ns = {task->half_ns[0], task->half_ns[1]},
        .thread_ns = task->thread_ns,
        .groups = group,
        .n_groups = 1,
        .groups_capacity = 1,
    };
    if (!group)
        return false;
    fm_spread_add(&timer->events, task->events, rank);
    fm_spread_add(&timer->total_ns, task->total_ns, rank);
    make_sparse(&sparse, task->counts);
    *group = (struct fm_timer_group){.shape = shape_of(&sparse)};
    return fm_rankset_add(&timer->ranks, arena, rank, rank) && fm_rankset_add(&group->ranks, arena, rank, rank) &&
           bins_of_task(group, arena, rank, &sparse);
}
