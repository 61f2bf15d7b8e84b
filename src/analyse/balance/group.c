/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/balance/group.h"

#include <stdlib.h>
#include <string.h>

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_keys(const struct fm_event_key *a, const struct fm_event_key *b)
{
    int order = strcmp(a->routine, b->routine);
    if (!order)
        order = strcmp(a->region, b->region);
    if (!order)
        order = compare_numbers(a->size_bin, b->size_bin);
    if (!order)
        order = compare_numbers(a->comm_size, b->comm_size);
    if (!order)
        order = strcmp(a->site.module, b->site.module);
    if (!order)
        order = strcmp(a->site.build_id, b->site.build_id);
    if (!order)
        order = compare_numbers(a->site.offset, b->site.offset);
    return order;
}

/* An event with its shortened key, for sorting. */
struct group_member {
    struct fm_event_key key;
    const struct fm_event *event;
};

static int by_key(const void *a, const void *b)
{
    return compare_keys(&((const struct group_member *)a)->key, &((const struct group_member *)b)->key);
}

static int by_time(const void *a, const void *b)
{
    const struct fm_event *x = a, *y = b;
    int order = compare_numbers(y->stats.total_ns, x->stats.total_ns);
    return order ? order : compare_keys(&x->key, &y->key);
}

static struct fm_event_key shorten(const struct fm_event_key *key, unsigned parts)
{
    struct fm_event_key result = {
        .routine = parts & FM_BY_ROUTINE ? key->routine : "",
        .region = parts & FM_BY_REGION ? key->region : "",
        .size_bin = parts & FM_BY_SIZE ? key->size_bin : 0,
        .comm_size = parts & FM_BY_COMM ? key->comm_size : 0,
        .site = {.module = "", .build_id = ""},
    };
    if (parts & FM_BY_SITE)
        result.site = key->site;
    return result;
}

enum fm_status fm_group_events(const struct fm_profile *profile, unsigned parts, struct fm_arena *arena,
                               struct fm_groups *groups, struct fm_error *error)
{
    struct group_member *members = fm_arena_alloc(arena, profile->n_events * sizeof *members);
    if (!members)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory to group %zu events", profile->n_events);
    for (size_t i = 0; i < profile->n_events; i++)
        members[i] = (struct group_member){shorten(&profile->events[i].key, parts), &profile->events[i]};
    qsort(members, profile->n_events, sizeof *members, by_key);

    size_t n = 0;
    for (size_t i = 0; i < profile->n_events; i++)
        n += i == 0 || by_key(&members[i - 1], &members[i]) != 0;
    struct fm_event *items = fm_arena_alloc(arena, n * sizeof *items);
    if (!items)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory to group %zu events", profile->n_events);
    size_t at = 0;
    for (size_t i = 0; i < profile->n_events; i++) {
        if (i > 0 && by_key(&members[i - 1], &members[i]) == 0) {
            fm_stats_merge(&items[at - 1].stats, &members[i].event->stats);
        } else {
            items[at].key = members[i].key;
            items[at++].stats = members[i].event->stats;
        }
    }
    qsort(items, n, sizeof *items, by_time);
    *groups = (struct fm_groups){items, n};
    return FM_OK;
}
