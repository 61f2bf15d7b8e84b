/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/balance/floor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/balance/group.h"

static int compare_keys(const struct fm_event_key *a, const struct fm_event_key *b)
{
    int order = strcmp(a->routine, b->routine);
    if (order == 0)
        order = (a->size_bin > b->size_bin) - (a->size_bin < b->size_bin);
    return order ? order : (a->comm_size > b->comm_size) - (a->comm_size < b->comm_size);
}

static int compare_floors(const void *a, const void *b)
{
    return compare_keys(((const struct fm_floor *)a)->key, ((const struct fm_floor *)b)->key);
}

double fm_floor_of(const struct fm_stats *stats, uint32_t ranks)
{
    double quantile = FM_FLOOR_QUANTILE, seen = 0, all = 0;
    if (ranks && 0.5 / ranks < quantile)
        quantile = 0.5 / ranks;
    for (unsigned bin = 0; bin < FM_DURATION_BINS; bin++)
        all += (double)stats->histogram.bins[bin];
    for (unsigned bin = 0; bin < FM_DURATION_BINS && all > 0; bin++) {
        seen += (double)stats->histogram.bins[bin];
        if (seen > 0 && seen >= quantile * all)
            return (double)fm_duration_bin_from(bin + 1 < FM_DURATION_BINS ? bin + 1 : bin);
    }
    return 0;
}

double fm_floor_slow_network(const struct fm_event_key *key)
{
    double latency_ns = 1e3 * FM_FLOOR_LATENCY_US, bytes = (double)fm_size_bin_to(key->size_bin);
    if (key->size_bin == FM_SIZE_NONE && strcmp(key->routine, "MPI_Barrier") != 0)
        return HUGE_VAL;
    if (key->comm_size > 1) { /* in the worst case, a rank passes on the data of all */
        latency_ns *= 1 + log2(key->comm_size);
        bytes *= key->comm_size;
    }
    return latency_ns + 1e9 * bytes / FM_FLOOR_RATE;
}

enum fm_status fm_floors_find(const struct fm_profile *profile, struct fm_arena *arena, struct fm_floors *floors,
                              struct fm_error *error)
{
    struct fm_groups groups;
    enum fm_status status = fm_group_events(profile, FM_BY_ROUTINE | FM_BY_SIZE | FM_BY_COMM, arena, &groups, error);
    if (status)
        return status;
    *floors = (struct fm_floors){.items = fm_arena_alloc(arena, groups.n * sizeof *floors->items), .n = groups.n};
    if (!floors->items)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the durations of %zu kinds of calls", groups.n);
    for (size_t i = 0; i < groups.n; i++) {
        const struct fm_event_key *key = &groups.items[i].key;
        double fastest = fm_floor_of(&groups.items[i].stats, key->comm_size ? key->comm_size : profile->job.ranks);
        floors->items[i] = (struct fm_floor){key, fmin(fastest, fm_floor_slow_network(key))};
    }
    qsort(floors->items, floors->n, sizeof *floors->items, compare_floors);
    return FM_OK;
}

/* The histogram gives the proportions; the total is known exactly. */
struct fm_waiting fm_waiting_above(const struct fm_stats *stats, double floor_ns)
{
    struct fm_waiting waiting = {.floor_ns = floor_ns};
    double all = 0, above = 0;
    for (unsigned bin = 0; bin < FM_DURATION_BINS; bin++) {
        double calls = (double)stats->histogram.bins[bin], from = (double)fm_duration_bin_from(bin);
        double to = bin + 1 < FM_DURATION_BINS ? (double)fm_duration_bin_from(bin + 1) : from;
        double middle = (from + to) / 2;
        all += calls * middle;
        if (floor_ns <= 0 || from < FM_FLOOR_TIMES * floor_ns)
            continue;
        above += calls * (middle - floor_ns);
        waiting.calls += calls;
    }
    waiting.ns = all > 0 ? above / all * (double)stats->total_ns : 0;
    return waiting;
}

struct fm_waiting fm_waiting_in(const struct fm_floors *floors, const struct fm_event *event)
{
    struct fm_floor wanted = {.key = &event->key};
    const struct fm_floor *floor = floors->n ? bsearch(&wanted, floors->items, floors->n, sizeof wanted, compare_floors)
                                             : NULL;
    return fm_waiting_above(&event->stats, floor ? floor->ns : 0);
}
