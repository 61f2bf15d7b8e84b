/* SPDX-License-Identifier: BSD-3-Clause */
#include "merge/parts.h"

#include "base/saturate.h"
#include "merge/join.h"
#include "model/order.h"

bool fm_merge_list(struct fm_profile *into, const struct fm_list *list, const void *items, size_t n)
{
    return fm_join_list(list, into, items, n, NULL, NULL);
}

bool fm_merge_hosts(struct fm_profile *into, const struct fm_host *hosts, size_t n)
{
    return fm_merge_list(into, &fm_list_hosts, hosts, n);
}

bool fm_merge_processes(struct fm_profile *into, const struct fm_process *processes, size_t n)
{
    return fm_merge_list(into, &fm_list_processes, processes, n);
}

bool fm_merge_events(struct fm_profile *into, const struct fm_event *events, size_t n)
{
    return fm_merge_list(into, &fm_list_events, events, n);
}

bool fm_merge_regions(struct fm_profile *into, const struct fm_region *regions, size_t n)
{
    return fm_merge_list(into, &fm_list_regions, regions, n);
}

bool fm_merge_notes(struct fm_profile *into, const struct fm_note *notes, size_t n)
{
    return fm_merge_list(into, &fm_list_notes, notes, n);
}

/* ---- routines, with values per rank ---- */

static int compare_values(const void *a, const void *b)
{
    return fm_compare_number(((const struct fm_rank_value *)a)->rank, ((const struct fm_rank_value *)b)->rank);
}

static bool merge_vector(struct fm_profile *into, void *mine, const void *theirs)
{
    static const struct fm_join kind = {
        .item_size = sizeof(struct fm_rank_value), .compare = compare_values, .fields = &fm_rank_value_fields};
    struct fm_routine_total *routine = mine;
    const struct fm_routine_total *other = theirs;
    return fm_join(&kind, into, &routine->per_rank, &routine->n_per_rank, &routine->per_rank_capacity, other->per_rank,
                   other->n_per_rank);
}

static bool copy_vector(struct fm_profile *into, void *slot, const void *theirs)
{
    struct fm_routine_total *routine = slot;
    routine->per_rank = NULL;
    routine->n_per_rank = routine->per_rank_capacity = 0;
    return merge_vector(into, routine, theirs);
}

bool fm_merge_routines(struct fm_profile *into, const struct fm_routine_total *routines, size_t n)
{
    return fm_join_list(&fm_list_routines, into, routines, n, merge_vector, copy_vector);
}

/* ---- edges ---- */

static int compare_edges(const void *a, const void *b)
{
    return fm_edge_compare(a, b);
}

static bool merge_edge(struct fm_profile *into, void *mine, const void *theirs)
{
    (void)into;
    struct fm_edge *edge = mine;
    const struct fm_edge *other = theirs;
    fm_add_saturating(&edge->messages, other->messages);
    fm_add_saturating(&edge->bytes, other->bytes);
    fm_add_saturating(&edge->time_ns, other->time_ns);
    return true;
}

bool fm_merge_edges(struct fm_profile *into, struct fm_edges *mine, const struct fm_edges *theirs)
{
    static const struct fm_join kind = {
        .item_size = sizeof *mine->items, .compare = compare_edges, .merge = merge_edge};
    fm_add_saturating(&mine->dropped, theirs->dropped);
    fm_add_saturating(&mine->dropped_messages, theirs->dropped_messages);
    fm_add_saturating(&mine->dropped_bytes, theirs->dropped_bytes);
    fm_add_saturating(&mine->dropped_ns, theirs->dropped_ns);
    return fm_join(&kind, into, &mine->items, &mine->n, &mine->capacity, theirs->items, theirs->n);
}

/* ---- snapshots ---- */

static int compare_snapshot_routines(const void *a, const void *b)
{
    return fm_compare_text(((const struct fm_snapshot_routine *)a)->name,
                           ((const struct fm_snapshot_routine *)b)->name);
}

static bool merge_snapshot_routines(struct fm_profile *into, struct fm_snapshot *mine, const struct fm_snapshot *theirs)
{
    static const struct fm_join kind = {.item_size = sizeof *mine->routines,
                                        .compare = compare_snapshot_routines,
                                        .fields = &fm_snapshot_routine_fields};
    size_t capacity = mine->n_routines; /* the lists rarely grow, so no spare capacity is kept */
    return fm_join(&kind, into, &mine->routines, &mine->n_routines, &capacity, theirs->routines, theirs->n_routines);
}

static int compare_snapshots(const void *a, const void *b)
{
    return fm_snapshot_compare(a, b);
}

static bool copy_snapshot(struct fm_profile *into, void *slot, const void *theirs)
{
    struct fm_snapshot *snapshot = slot;
    snapshot->routines = NULL;
    snapshot->n_routines = 0;
    return merge_snapshot_routines(into, snapshot, theirs);
}

static bool merge_snapshot(struct fm_profile *into, void *mine, const void *theirs)
{
    return merge_snapshot_routines(into, mine, theirs);
}

bool fm_merge_snapshots(struct fm_profile *into, const struct fm_snapshot *snapshots, size_t n)
{
    /* Collective ones come first in every profile and are merged; those of single processes are kept separately. */
    static const struct fm_join collective = {.item_size = sizeof *snapshots,
                                              .compare = compare_snapshots,
                                              .fields = &fm_snapshot_fields,
                                              .merge = merge_snapshot,
                                              .copy = copy_snapshot},
                                single = {.item_size = sizeof *snapshots,
                                          .compare = compare_snapshots,
                                          .repeats = true,
                                          .fields = &fm_snapshot_fields,
                                          .copy = copy_snapshot};
    if (!n)
        return true;
    size_t first = 0;
    while (first < n && snapshots[first].collective)
        first++;
    return fm_join(&collective, into, &into->snapshots, &into->n_snapshots, &into->snapshots_capacity, snapshots,
                   first) &&
           fm_join(&single, into, &into->snapshots, &into->n_snapshots, &into->snapshots_capacity, snapshots + first,
                   n - first);
}
