/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/balance/regions.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/balance/group.h"
#include "model/region_path.h"

/* Parents before children, and the children of a region directly after it: '/' sorts before any other byte. */
static int compare_paths(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    int x = *a == '/' ? 1 : *a ? (unsigned char)*a + 1 : 0;
    int y = *b == '/' ? 1 : *b ? (unsigned char)*b + 1 : 0;
    return x - y;
}

static int by_path(const void *a, const void *b)
{
    return compare_paths(((const struct fm_region_total *)a)->path, ((const struct fm_region_total *)b)->path);
}

static int by_time(const void *a, const void *b)
{
    const struct fm_region_routine *x = a, *y = b;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? 1 : -1;
    return strcmp(x->name, y->name);
}

/* Sets names and depths of regions in order. A name can contain a '/', so the parent is the nearest region that is
 * listed. */
static void nest(struct fm_region_total *items, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const struct fm_region_total *parent = &items[i - 1];
        while (parent > items &&
               !(fm_region_is_within(items[i].path, parent->path) && strcmp(items[i].path, parent->path) != 0))
            parent--;
        items[i].parent = (size_t)(parent - items);
        items[i].depth = parent->depth + 1;
        items[i].name = items[i].path + (parent > items ? strlen(parent->path) + 1 : 0);
    }
}

size_t fm_regions_index(const struct fm_region_totals *totals, const char *path)
{
    size_t low = 0, high = totals->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_paths(totals->items[middle].path, path);
        if (order == 0)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

static bool has(const struct fm_region_total *items, size_t n, const char *path)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(items[i].path, path) == 0)
            return true;
    return false;
}

/* Lists every region named in the profile or in one of its events, and the whole program. */
static size_t list_regions(const struct fm_profile *profile, const struct fm_groups *events,
                           struct fm_region_total *items)
{
    size_t n = 0;
    for (size_t i = 0; i < profile->n_regions; i++) {
        items[n].path = profile->regions[i].path;
        items[n].region = &profile->regions[i];
        items[n].entries = profile->regions[i].entries;
        items[n++].wall_ns = profile->regions[i].wall_ns;
    }
    if (!has(items, n, ""))
        items[n++].path = "";
    for (size_t i = 0; i < events->n; i++)
        if (!has(items, n, events->items[i].key.region))
            items[n++].path = events->items[i].key.region;
    qsort(items, n, sizeof *items, by_path);
    items[0].name = items[0].path;
    nest(items, n);
    return n;
}

static void add_event(struct fm_region_total *total, const struct fm_event *event)
{
    total->calls += event->stats.count;
    total->mpi_ns += event->stats.total_ns;
    size_t i = 0;
    while (i < total->n_routines && strcmp(total->routines[i].name, event->key.routine) != 0)
        i++;
    if (i == total->n_routines)
        total->routines[total->n_routines++].name = event->key.routine;
    total->routines[i].calls += event->stats.count;
    total->routines[i].time_ns += event->stats.total_ns;
    total->routines[i].bytes += event->stats.bytes;
}

enum fm_status fm_regions_find(const struct fm_profile *profile, struct fm_arena *arena,
                               struct fm_region_totals *totals, struct fm_error *error)
{
    struct fm_groups events;
    enum fm_status status = fm_group_events(profile, FM_BY_REGION | FM_BY_ROUTINE, arena, &events, error);
    if (status)
        return status;
    size_t max = profile->n_regions + events.n + 1;
    struct fm_region_total *items = fm_arena_alloc(arena, max * sizeof *items);
    if (!items)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for %zu regions", max);
    size_t n = list_regions(profile, &events, items);
    for (size_t i = 0; i < n; i++) {
        size_t inside = 0;
        for (size_t e = 0; e < events.n; e++)
            inside += fm_region_is_within(events.items[e].key.region, items[i].path);
        items[i].routines = fm_arena_alloc(arena, inside * sizeof *items[i].routines);
        if (!items[i].routines)
            return fm_fail(error, FM_ERR_MEMORY, "not enough memory for %zu regions", n);
        for (size_t e = 0; e < events.n; e++)
            if (fm_region_is_within(events.items[e].key.region, items[i].path))
                add_event(&items[i], &events.items[e]);
        qsort(items[i].routines, items[i].n_routines, sizeof *items[i].routines, by_time);
    }
    for (size_t i = 0; i < profile->n_processes && items[0].region == NULL; i++)
        items[0].wall_ns += profile->processes[i].wall_ns;
    *totals = (struct fm_region_totals){items, n};
    return FM_OK;
}
