#include "profile/timer.h"

#include <string.h>

#include "base/saturate.h"

int fm_timer_shape_compare(const union fm_timer_shape *a, const union fm_timer_shape *b)
{
    return memcmp(a, b, sizeof *a);
}

union fm_timer_shape fm_timer_shape_coarse(union fm_timer_shape shape)
{
    shape.second_bin = shape.share = 0;
    return shape;
}

int fm_timer_average_compare(const struct fm_timer_average *a, const struct fm_timer_average *b)
{
    uint64_t x = a->total_ns / a->events, y = b->total_ns / b->events;
    return (x > y) - (x < y);
}

/* ---- bins ---- */

static struct fm_timer_bin absent(uint32_t bin, uint32_t lowest)
{
    return (struct fm_timer_bin){.bin = bin, .max_rank = lowest, .min_rank = lowest};
}

static struct fm_timer_bin together(struct fm_timer_bin a, const struct fm_timer_bin *b)
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
    /* mostly there is nothing new: then no memory is needed, whatever the number of tasks */
    size_t n = 0, wanted = count_union(into, from);
    struct fm_timer_bin *bins = into->bins;
    const struct fm_timer_bin *a = into->bins, *end_a = a + into->n_bins, *b = from->bins, *end_b = b + from->n_bins;
    if (wanted != into->n_bins && !(bins = fm_arena_alloc(arena, wanted * sizeof *bins)))
        return false;
    while (a < end_a || b < end_b) {
        uint32_t bin = b == end_b || (a < end_a && a->bin < b->bin) ? a->bin : b->bin;
        struct fm_timer_bin mine = a < end_a && a->bin == bin ? *a++ : absent(bin, lowest_into);
        struct fm_timer_bin theirs = b < end_b && b->bin == bin ? *b++ : absent(bin, lowest_from);
        bins[n++] = together(mine, &theirs);
    }
    into->bins = bins;
    into->n_bins = n;
    return true;
}

/* ---- one task ---- */

/* Of equal counts the bin of the shorter events, as in the figures; `but` is passed over. 0 where there is none. */
static unsigned fullest(const uint64_t *counts, unsigned but)
{
    unsigned best = 0;
    uint64_t most = 0;
    for (unsigned bin = 0; bin < FM_DECIMAL_BINS; bin++) {
        if (counts[bin] && counts[bin] > most && bin != but) {
            best = bin;
            most = counts[bin];
        }
    }
    return best;
}

/* How many events are below 10^exponent ns. */
static uint64_t below(const uint64_t *counts, unsigned exponent)
{
    uint64_t sum = 0;
    for (unsigned bin = 0; bin <= 9 * exponent; bin++)
        fm_add_saturating(&sum, counts[bin]);
    return exponent ? sum : 0;
}

static union fm_timer_shape shape_of(const struct fm_timer_task *task)
{
    union fm_timer_shape shape = {0};
    for (unsigned k = 0; k < FM_TIMER_TICKS; k++) {
        uint64_t coarse[FM_DECIMAL_BINS] = {0};
        for (unsigned bin = 0; bin < FM_DECIMAL_BINS; bin++)
            fm_add_saturating(&coarse[fm_decimal_bin_coarse(bin, k)], task->counts[bin]);
        shape.max_bin[k] = (uint8_t)fullest(coarse, FM_DECIMAL_BINS);
    }
    uint64_t most = task->counts[shape.max_bin[0]], all = 0;
    for (unsigned bin = 0; bin < FM_DECIMAL_BINS; bin++) /* of a damaged segment it is not the number of events */
        fm_add_saturating(&all, task->counts[bin]);
    shape.second_bin = (uint8_t)fullest(task->counts, shape.max_bin[0]);
    shape.share = (uint8_t)(all ? (unsigned __int128)most * 8 / all : 0);
    return shape;
}

static bool bins_of_task(struct fm_timer_group *group, struct fm_arena *arena, uint32_t rank, const uint64_t *counts)
{
    size_t n = 0;
    struct fm_timer_bin *bins = fm_arena_alloc(arena, (FM_DECIMAL_BINS + FM_TIMER_TICKS) * sizeof *bins);
    if (!bins)
        return false;
    for (unsigned bin = 0; bin < FM_DECIMAL_BINS; bin++)
        if (counts[bin])
            bins[n++] = (struct fm_timer_bin){bin, rank, rank, counts[bin], counts[bin], counts[bin]};
    for (unsigned k = 1; k < FM_TIMER_TICKS; k++) {
        uint64_t sum = below(counts, k);
        if (sum)
            bins[n++] = (struct fm_timer_bin){FM_TIMER_BELOW + k, rank, rank, sum, sum, sum};
    }
    group->bins = bins;
    group->n_bins = n;
    return true;
}

static struct fm_extreme extreme(struct fm_timer_event event, uint32_t rank)
{
    struct fm_extreme none = {0}, some = {event.ns, event.event, rank};
    return event.event ? some : none;
}

bool fm_timer_of_task(struct fm_timer *timer, struct fm_arena *arena, const char *name, const char *parent,
                      uint32_t rank, const struct fm_timer_task *task)
{
    struct fm_timer_group *group = fm_arena_alloc(arena, sizeof *group);
    *timer = (struct fm_timer){
        .name = name,
        .parent = parent,
        .total_events = {task->events, task->events},
        .longest = extreme(task->longest, rank),
        .second = extreme(task->second, rank),
        .shortest = extreme(task->shortest, rank),
        .longest_average = {task->total_ns, task->events, rank},
        .shortest_average = {task->total_ns, task->events, rank},
        .children_ns = task->children_ns,
        .overhead_ns = task->overhead_ns,
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
    *group = (struct fm_timer_group){.shape = shape_of(task)};
    return fm_rankset_add(&timer->ranks, arena, rank, rank) && fm_rankset_add(&group->ranks, arena, rank, rank) &&
           bins_of_task(group, arena, rank, task->counts);
}
