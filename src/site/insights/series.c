/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/insights/series.h"

#include <math.h>
#include <stdlib.h>

#include "site/insights/limits.h"

struct series_item {
    int64_t ranks;
    double y;
    uint32_t command, cluster;
    size_t run;
};

static int by_kind(const struct series_item *a, const struct series_item *b)
{
    if (a->ranks != b->ranks)
        return a->ranks < b->ranks ? -1 : 1;
    return (a->command > b->command) - (a->command < b->command);
}

static int by_kind_and_time(const void *a, const void *b)
{
    const struct series_item *x = a, *y = b;
    int order = by_kind(x, y);
    return order ? order : (x->y > y->y) - (x->y < y->y);
}

static int by_cluster(const void *a, const void *b)
{
    const struct series_item *x = a, *y = b;
    if (x->cluster != y->cluster)
        return x->cluster < y->cluster ? -1 : 1;
    return (x->run > y->run) - (x->run < y->run);
}

/* Where the runs of a cluster begin and end, in the order of time. */
struct extent {
    size_t first, last;
};

static struct extent extent_of(const struct series_item *items, size_t from, size_t to)
{
    struct extent extent = {items[from].run, items[from].run};
    for (size_t i = from; i < to; i++) {
        extent.first = items[i].run < extent.first ? items[i].run : extent.first;
        extent.last = items[i].run > extent.last ? items[i].run : extent.last;
    }
    return extent;
}

/* Numbers the clusters of sorted items. */
static void find_clusters(struct series_item *items, size_t n)
{
    uint32_t cluster = 0;
    struct extent before = {0};
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1;
             to < n && !by_kind(&items[to], &items[from]) && items[to].y - items[to - 1].y <= log(FM_INPUT_GAP);)
            to++;
        struct extent here = extent_of(items, from, to);
        bool follows = from && !by_kind(&items[from], &items[from - 1]) &&
                       (here.first > before.last || here.last < before.first);
        if (from && !follows)
            cluster++;
        if (follows) {
            here.first = here.first < before.first ? here.first : before.first;
            here.last = here.last > before.last ? here.last : before.last;
        }
        for (size_t i = from; i < to; i++)
            items[i].cluster = cluster;
        before = here;
    }
}

static void number_series(struct fm_series_set *set, const struct series_item *items, size_t n)
{
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && items[to].cluster == items[from].cluster;)
            to++;
        bool enough = to - from >= FM_SLOWER_RUNS;
        if (enough)
            set->series[set->n] = (struct fm_series){.first = set->used, .n = to - from};
        for (size_t i = from; i < to; i++) {
            set->of[items[i].run] = enough ? (uint32_t)set->n : FM_NO_SERIES;
            if (enough)
                set->order[set->used++] = items[i].run;
        }
        set->n += enough;
    }
}

bool fm_series_make(struct fm_series_set *set, const struct fm_run *runs, size_t n, struct fm_arena *arena)
{
    *set = (struct fm_series_set){
        .runs = runs,
        .n_runs = n,
        .y = fm_arena_alloc(arena, n * sizeof *set->y),
        .of = fm_arena_alloc(arena, n * sizeof *set->of),
        .order = fm_arena_alloc(arena, n * sizeof *set->order),
        .series = fm_arena_alloc(arena, (n / FM_SLOWER_RUNS + 1) * sizeof *set->series),
    };
    struct series_item *items = fm_arena_alloc(arena, n * sizeof *items);
    if (!set->y || !set->of || !set->order || !set->series || !items)
        return false;
    for (size_t i = 0; i < n; i++) {
        set->y[i] = log(runs[i].cpu_s);
        items[i] = (struct series_item){.ranks = runs[i].ranks, .y = set->y[i], .command = runs[i].command, .run = i};
    }
    if (n)
        qsort(items, n, sizeof *items, by_kind_and_time);
    find_clusters(items, n);
    if (n)
        qsort(items, n, sizeof *items, by_cluster);
    number_series(set, items, n);
    return true;
}
