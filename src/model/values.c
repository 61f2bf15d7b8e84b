/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/values.h"

#include "base/saturate.h"

/* Whether a is longer; if equal, whether it has the lower rank, then the lower event number. Absent events come
 * last. */
static bool longer(const struct fm_extreme *a, const struct fm_extreme *b)
{
    if (!a->event || !b->event)
        return a->event && !b->event;
    if (a->ns != b->ns)
        return a->ns > b->ns;
    return a->rank != b->rank ? a->rank < b->rank : a->event < b->event;
}

static bool shorter(const struct fm_extreme *a, const struct fm_extreme *b)
{
    if (!a->event || !b->event || a->ns == b->ns)
        return longer(a, b);
    return a->ns < b->ns;
}

void fm_extreme_keep_longer(struct fm_extreme *into, const struct fm_extreme *from)
{
    if (longer(from, into))
        *into = *from;
}

void fm_extreme_keep_shorter(struct fm_extreme *into, const struct fm_extreme *from)
{
    if (shorter(from, into))
        *into = *from;
}

/* Most of the time of a merge is spent here; overflow of any bin is detected without a branch per bin. */
static void add_bins(uint64_t *restrict into, const uint64_t *restrict from)
{
    uint64_t carries = 0;
    for (unsigned i = 0; i < FM_DURATION_BINS; i++)
        carries |= (into[i] & from[i]) | ((into[i] | from[i]) & ~(into[i] + from[i]));
    if (carries >> 63)
        for (unsigned i = 0; i < FM_DURATION_BINS; i++)
            fm_add_saturating(&into[i], from[i]);
    else
        for (unsigned i = 0; i < FM_DURATION_BINS; i++)
            into[i] += from[i];
}

void fm_stats_merge(struct fm_stats *into, const struct fm_stats *from)
{
    fm_extreme_keep_shorter(&into->min, &from->min);
    if (longer(&from->max, &into->max)) {
        into->second = longer(&from->second, &into->max) ? from->second : into->max;
        into->max = from->max;
    } else if (longer(&from->max, &into->second)) {
        into->second = from->max;
    }
    fm_add_saturating(&into->count, from->count);
    fm_add_saturating(&into->count_arguments, from->count_arguments);
    fm_add_saturating(&into->total_ns, from->total_ns);
    fm_add_saturating(&into->bytes, from->bytes);
    fm_add_saturating(&into->bytes_sent, from->bytes_sent);
    fm_add_saturating(&into->bytes_received, from->bytes_received);
    fm_add_saturating(&into->messages, from->messages);
    add_bins(into->histogram.bins, from->histogram.bins);
}

void fm_spread_add(struct fm_spread *spread, uint64_t value, uint32_t rank)
{
    struct fm_spread one = {value, value, value, rank, rank, 1};
    fm_spread_merge(spread, &one);
}

void fm_spread_merge(struct fm_spread *into, const struct fm_spread *from)
{
    if (!from->ranks)
        return;
    if (!into->ranks) {
        *into = *from;
        return;
    }
    if (from->min < into->min || (from->min == into->min && from->min_rank < into->min_rank)) {
        into->min = from->min;
        into->min_rank = from->min_rank;
    }
    if (from->max > into->max || (from->max == into->max && from->max_rank < into->max_rank)) {
        into->max = from->max;
        into->max_rank = from->max_rank;
    }
    fm_add_saturating(&into->sum, from->sum);
    into->ranks += from->ranks;
}
