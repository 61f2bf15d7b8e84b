/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduces histograms by maximum bin, in ticks of 10^exponent ns. */
#include "base/sort.h"
#include "model/timer.h"

static int longest_first(const void *a, const void *b)
{
    const struct fm_timer_group *x = a, *y = b;
    return (x->shape.max_bin[0] < y->shape.max_bin[0]) - (x->shape.max_bin[0] > y->shape.max_bin[0]);
}

/* Converts the bins to coarse ticks; everything below becomes bin 0. */
static bool coarsen(const struct fm_timer_group *group, unsigned exponent, struct fm_arena *arena,
                    struct fm_timer_group *to)
{
    *to = (struct fm_timer_group){.bins = fm_arena_alloc(arena, (group->n_bins + 1) * sizeof *to->bins)};
    to->shape.max_bin[0] = group->shape.max_bin[exponent];
    for (size_t i = 0; to->bins && exponent && i < group->n_bins; i++) {
        if (group->bins[i].bin == FM_TIMER_BELOW + exponent) {
            to->bins[to->n_bins] = group->bins[i];
            to->bins[to->n_bins++].bin = 0;
        }
    }
    for (size_t i = 0; to->bins && i < group->n_bins; i++) {
        uint32_t bin = group->bins[i].bin;
        if (bin >= FM_TIMER_BELOW || (exponent && bin <= 9 * exponent))
            continue;
        to->bins[to->n_bins] = group->bins[i];
        to->bins[to->n_bins++].bin = fm_decimal_bin_coarse(bin, exponent);
    }
    return to->bins && fm_rankset_union(&to->ranks, arena, &group->ranks);
}

static bool add(struct fm_timer_group *groups, size_t *n, const struct fm_timer_group *coarse, struct fm_arena *arena)
{
    size_t at = 0;
    while (at < *n && groups[at].shape.max_bin[0] != coarse->shape.max_bin[0])
        at++;
    if (at == *n) {
        groups[(*n)++] = *coarse;
        return true;
    }
    struct fm_timer_group *into = &groups[at];
    return fm_timer_bins_merge(arena, into, into->ranks.ranges[0].first, coarse, coarse->ranks.ranges[0].first) &&
           fm_rankset_union(&into->ranks, arena, &coarse->ranks);
}

bool fm_timer_reduce(const struct fm_timer *timer, unsigned exponent, struct fm_arena *arena,
                     struct fm_timer_group **groups, size_t *n)
{
    *n = 0;
    *groups = fm_arena_alloc(arena, (timer->n_groups + 1) * sizeof **groups);
    for (size_t i = 0; *groups && i < timer->n_groups; i++) {
        struct fm_timer_group coarse;
        if (timer->groups[i].ranks.n &&
            (!coarsen(&timer->groups[i], exponent, arena, &coarse) || !add(*groups, n, &coarse, arena)))
            return false;
    }
    return *groups && fm_sort(*groups, *n, sizeof **groups, longest_first, arena);
}
