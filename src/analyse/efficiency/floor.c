/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/efficiency/floor.h"

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

uint64_t fm_floor_of(const struct fm_stats *stats, uint32_t comm_size)
{
    uint64_t one_of = comm_size > 50 ? 2ull * comm_size : 100;
    uint64_t shorter = stats->count / one_of, calls = 0;
    for (unsigned bin = 0; bin < FM_DURATION_BINS; bin++) {
        calls += stats->histogram.bins[bin];
        if (calls > shorter) {
            uint64_t from = fm_duration_bin_from(bin);
            return from > stats->min.ns ? from : stats->min.ns;
        }
    }
    return stats->min.ns;
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
        const struct fm_event *group = &groups.items[i];
        floors->items[i] = (struct fm_floor){&group->key, fm_floor_of(&group->stats, group->key.comm_size)};
    }
    qsort(floors->items, floors->n, sizeof *floors->items, compare_floors);
    return FM_OK;
}

uint64_t fm_floor_time(const struct fm_floors *floors, const struct fm_event *event)
{
    struct fm_floor wanted = {.key = &event->key};
    const struct fm_floor *floor = floors->n ? bsearch(&wanted, floors->items, floors->n, sizeof wanted, compare_floors)
                                             : NULL;
    unsigned __int128 ns = floor ? (unsigned __int128)event->stats.count * floor->ns : 0;
    return ns < event->stats.total_ns ? (uint64_t)ns : event->stats.total_ns;
}
