/* SPDX-License-Identifier: BSD-3-Clause */
/* The snapshots of a segment. */
#include <string.h>

#include "base/saturate.h"
#include "base/sort.h"
#include "merge/notes.h"
#include "merge/parts.h"
#include "merge/segment_reader.h"
#include "model/order.h"

static int compare_routines(const void *a, const void *b)
{
    return strcmp(((const struct fm_snapshot_routine *)a)->name, ((const struct fm_snapshot_routine *)b)->name);
}

/* Routines sorted by name, without duplicates. */
static enum fm_status read_routines(struct fm_segment_reader *r, const struct fm_segment_snapshot *from,
                                    struct fm_snapshot *snapshot)
{
    size_t n = from->n_routines < FM_SNAPSHOT_ROUTINES ? from->n_routines : FM_SNAPSHOT_ROUTINES;
    struct fm_snapshot_routine *list = fm_arena_alloc(&r->view.scratch, n * sizeof *list);
    if (!list)
        return fm_segment_reader_no_memory(r);
    for (size_t i = 0; i < n; i++) {
        if (from->routines[i].routine >= r->routines.n || from->routines[i].total_ns > FM_LONGEST_NS)
            return fm_segment_reader_damage(r, "invalid numbers in a snapshot");
        list[i] = (struct fm_snapshot_routine){
            fm_routine_name_in(&r->routines, from->routines[i].routine), from->routines[i].count,
            fm_segment_reader_ns(r, from->routines[i].total_ns), from->routines[i].bytes};
    }
    if (!fm_sort(list, n, sizeof *list, compare_routines, &r->view.scratch))
        return fm_segment_reader_no_memory(r);
    snapshot->routines = list;
    for (size_t i = 0; i < n; i++) {
        struct fm_snapshot_routine *last = snapshot->n_routines ? &list[snapshot->n_routines - 1] : NULL;
        if (!last || compare_routines(last, &list[i])) {
            list[snapshot->n_routines++] = list[i];
            continue;
        }
        fm_add_saturating(&last->count, list[i].count);
        fm_add_saturating(&last->total_ns, list[i].total_ns);
        fm_add_saturating(&last->bytes, list[i].bytes);
    }
    return FM_OK;
}

/* Number of earlier ones with the same label and kind. */
static uint32_t order_of(const struct fm_snapshot *snapshots, size_t n, const struct fm_snapshot *snapshot)
{
    uint32_t order = 0;
    for (size_t i = 0; i < n; i++)
        order += snapshots[i].collective == snapshot->collective && !strcmp(snapshots[i].label, snapshot->label);
    return order;
}

static enum fm_status read_snapshot(struct fm_segment_reader *r, size_t number, struct fm_snapshot *all)
{
    struct fm_segment_snapshot from;
    fm_segment_item(&r->view, FM_SECTION_SNAPSHOTS, number, &from, sizeof from);
    if (from.when_ns > FM_LONGEST_NS || from.mpi_ns > FM_LONGEST_NS)
        return fm_segment_reader_damage(r, "invalid numbers in a snapshot");
    struct fm_snapshot *snapshot = &all[number];
    *snapshot = (struct fm_snapshot){
        .label = fm_clean_text(&r->view.scratch, from.label, sizeof from.label, false),
        .collective = from.collective == 1,
        .rank = from.collective == 1 ? FM_NO_RANK : r->rank,
        .ranks = 1,
        .when_ns = from.when_ns,
        .mpi_ns = fm_segment_reader_ns(r, from.mpi_ns),
    };
    if (!snapshot->label)
        return fm_segment_reader_no_memory(r);
    snapshot->order = order_of(all, number, snapshot);
    return read_routines(r, &from, snapshot);
}

enum fm_status fm_read_snapshots(struct fm_segment_reader *r)
{
    size_t n = fm_segment_items(&r->view, FM_SECTION_SNAPSHOTS);
    struct fm_snapshot *all = fm_arena_alloc(&r->view.scratch, n * sizeof *all);
    if (!all)
        return fm_segment_reader_no_memory(r);
    for (size_t i = 0; i < n; i++) {
        enum fm_status status = read_snapshot(r, i, all);
        if (status)
            return status;
    }
    for (size_t i = 0; i < n; i++)
        if (!fm_merge_snapshots(r->profile, &all[i], 1))
            return fm_segment_reader_no_memory(r);
    return fm_profile_limit_snapshots(r->profile) ? FM_OK : fm_segment_reader_no_memory(r);
}
