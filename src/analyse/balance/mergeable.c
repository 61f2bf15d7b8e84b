/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/balance/mergeable.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/balance/floor.h"
#include "base/saturate.h"
#include "model/order.h"

static const uint64_t MOST_BYTES = 4096; /* average of a call: for longer messages one call takes as long as two */
/* Fraction of the gaps that are short. On a busy machine most are long, because caches are cold after a call that waited;
 * after work on an array none is short. */
static const double SHORT_GAPS = 0.2;
static const double SAME_COUNT = 0.9; /* pairs are one series if they are as frequent as this */

/* Two successive calls that may be one. */
struct call_pair {
    const struct fm_succession *of;
    uint64_t cost_ns;
    bool used;
};

static bool same_site(const struct fm_site *a, const struct fm_site *b)
{
    return a->offset == b->offset && !strcmp(a->module, b->module) && !strcmp(a->build_id, b->build_id);
}

/* On no network does a call take longer than this by itself. */
static uint64_t without_waiting(const struct fm_event *event)
{
    double most_ns = (double)event->stats.count * fm_floor_slow_network(&event->key);
    return most_ns < (double)event->stats.total_ns ? (uint64_t)most_ns : event->stats.total_ns;
}

static struct fm_stats calls_at(const struct fm_profile *profile, const char *routine, const struct fm_site *site)
{
    struct fm_stats sum = {0};
    for (size_t i = 0; i < profile->n_events; i++) {
        const struct fm_event *event = &profile->events[i];
        if (strcmp(event->key.routine, routine) != 0 || !same_site(&event->key.site, site))
            continue;
        fm_add_saturating(&sum.count, event->stats.count);
        fm_add_saturating(&sum.total_ns, without_waiting(event));
        fm_add_saturating(&sum.bytes, event->stats.bytes);
    }
    return sum;
}

uint64_t fm_mergeable_cost(const struct fm_profile *profile, const struct fm_succession *two)
{
    struct fm_stats first = calls_at(profile, two->routine, &two->first);
    struct fm_stats second = calls_at(profile, two->routine, &two->second);
    if (two->dependent || !first.count || !second.count || (double)two->short_gaps < SHORT_GAPS * (double)two->count ||
        first.bytes / first.count > MOST_BYTES || second.bytes / second.count > MOST_BYTES)
        return 0;
    double part = (double)two->count / (double)second.count;
    return (uint64_t)((part < 1 ? part : 1) * (double)second.total_ns);
}

static int by_cost(const void *a, const void *b)
{
    const struct call_pair *x = a, *y = b;
    int order = -fm_compare_number(x->cost_ns, y->cost_ns);
    return order ? order : fm_compare_number((uint64_t)x->of->second.offset, (uint64_t)y->of->second.offset);
}

static bool as_frequent(const struct fm_succession *a, const struct fm_succession *b)
{
    return (double)a->count >= SAME_COUNT * (double)b->count && (double)b->count >= SAME_COUNT * (double)a->count;
}

/* In a loop of two calls the second is also followed by the first of the next iteration, once less often. That pair is
 * left out; of pairs that are as frequent, the one against the order of the code. */
static bool is_next_iteration(const struct call_pair *pairs, size_t n, const struct fm_succession *of)
{
    for (size_t i = 0; i < n; i++) {
        const struct fm_succession *other = pairs[i].of;
        if (other == of || strcmp(other->routine, of->routine) != 0 || !same_site(&other->first, &of->second) ||
            !same_site(&other->second, &of->first) || !as_frequent(other, of))
            continue;
        return of->count != other->count ? of->count < other->count : of->first.offset > of->second.offset;
    }
    return false;
}

/* The next pair of a series: it begins (forward) or ends with this call site. */
static struct call_pair *adjacent(struct call_pair *pairs, size_t n, const struct call_pair *start,
                                  const struct fm_site *site, bool forward)
{
    for (size_t i = 0; i < n; i++) {
        const struct fm_succession *of = pairs[i].of;
        if (!pairs[i].used && !strcmp(of->routine, start->of->routine) && as_frequent(of, start->of) &&
            !same_site(&of->first, &of->second) && same_site(forward ? &of->first : &of->second, site))
            return &pairs[i];
    }
    return NULL;
}

static bool has_site(const struct fm_mergeable *series, const struct fm_site *site)
{
    for (size_t i = 0; i < series->n_sites; i++)
        if (same_site(series->sites[i], site))
            return true;
    return false;
}

static bool extend(struct fm_mergeable *series, struct call_pair *pairs, size_t n, const struct call_pair *start,
                   bool forward)
{
    const struct fm_site *end = series->sites[forward ? series->n_sites - 1 : 0];
    struct call_pair *next = adjacent(pairs, n, start, end, forward);
    const struct fm_site *site = next ? (forward ? &next->of->second : &next->of->first) : NULL;
    if (!next || series->n_sites == FM_MERGEABLE_SITES || has_site(series, site))
        return false;
    if (!forward)
        memmove(&series->sites[1], series->sites, series->n_sites * sizeof *series->sites);
    series->sites[forward ? series->n_sites : 0] = site;
    series->n_sites++;
    fm_add_saturating(&series->cost_ns, next->cost_ns);
    next->used = true;
    return true;
}

static struct fm_mergeable series_of(struct call_pair *pairs, size_t n, struct call_pair *start)
{
    const struct fm_succession *of = start->of;
    uint64_t ranks = fm_rankset_count(&of->ranks);
    struct fm_mergeable series = {.routine = of->routine,
                                  .sites = {&of->first, &of->second},
                                  .n_sites = same_site(&of->first, &of->second) ? 1 : 2,
                                  .times = (double)of->count / (double)(ranks ? ranks : 1),
                                  .cost_ns = start->cost_ns};
    start->used = true;
    if (series.n_sites == 2) {
        while (extend(&series, pairs, n, start, true))
            ;
        while (extend(&series, pairs, n, start, false))
            ;
    }
    return series;
}

static int by_series_cost(const void *a, const void *b)
{
    return -fm_compare_number(((const struct fm_mergeable *)a)->cost_ns, ((const struct fm_mergeable *)b)->cost_ns);
}

enum fm_status fm_mergeables_find(const struct fm_profile *profile, uint64_t whole_ns, struct fm_arena *arena,
                                  struct fm_mergeables *found, struct fm_error *error)
{
    size_t n = 0, most = profile->n_successions;
    struct call_pair *pairs = fm_arena_alloc(arena, most * sizeof *pairs);
    *found = (struct fm_mergeables){.items = fm_arena_alloc(arena, most * sizeof *found->items)};
    if (!pairs || !found->items)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for %zu pairs of calls", most);
    for (size_t i = 0; i < most; i++) {
        uint64_t cost_ns = fm_mergeable_cost(profile, &profile->successions[i]);
        if (cost_ns)
            pairs[n++] = (struct call_pair){&profile->successions[i], cost_ns, false};
    }
    qsort(pairs, n, sizeof *pairs, by_cost);
    for (size_t i = 0; i < n; i++)
        pairs[i].used = is_next_iteration(pairs, n, pairs[i].of);
    for (size_t i = 0; i < n; i++) {
        if (pairs[i].used)
            continue;
        struct fm_mergeable series = series_of(pairs, n, &pairs[i]);
        if ((double)series.cost_ns >= FM_MERGEABLE_LEAST * (double)whole_ns)
            found->items[found->n++] = series;
    }
    qsort(found->items, found->n, sizeof *found->items, by_series_cost);
    return FM_OK;
}
