/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/region.h"

#include <stdio.h>
#include <string.h>

#include "generated/routines.h"
#include "runtime/first_entry.h"
#include "runtime/record.h"
#include "runtime/thread_slots.h"

enum {
    MAX_DEPTH = sizeof(((struct fm_segment_thread *)0)->region_stack) /
                sizeof(((struct fm_segment_thread *)0)->region_stack[0])
};

static struct fm_thread *current_thread(void)
{
    return fm_local.self && fm_local.self->seg ? fm_local.self : fm_thread_attach();
}

/* Lookup needs no lock: regions are never removed, and are counted only when complete. */
static uint32_t find(const char *name, uint32_t parent)
{
    const struct fm_segment_header *h = fm_rt.segment;
    const struct fm_segment_region *regions = fm_section(h, FM_SECTION_REGIONS);
    uint32_t n = __atomic_load_n(&h->n_regions, __ATOMIC_ACQUIRE);
    for (uint32_t i = 1; i < n; i++)
        if (regions[i].parent == parent && strncmp(regions[i].name, name, FM_NAME_BYTES - 1) == 0)
            return i;
    return 0;
}

static uint32_t find_or_add(const char *name, uint32_t parent)
{
    struct fm_segment_header *h = fm_rt.segment;
    uint32_t found = find(name, parent);
    if (found)
        return found;
    fm_lock(&fm_rt.table_lock);
    found = find(name, parent);
    if (!found && h->n_regions < h->sections[FM_SECTION_REGIONS].capacity) {
        struct fm_segment_region *region = (struct fm_segment_region *)fm_section(h, FM_SECTION_REGIONS) + h->n_regions;
        snprintf(region->name, sizeof region->name, "%s", name);
        region->parent = parent;
        found = __atomic_fetch_add(&h->n_regions, 1, __ATOMIC_RELEASE);
    }
    fm_unlock(&fm_rt.table_lock);
    return found;
}

/* Threads that have not opened a region of their own work for the region of the first thread (slot 0). A thread that
 * opens one at this very moment keeps it. */
static void set_region_of_helpers(struct fm_segment_thread *from)
{
    struct fm_segment_thread *all = fm_section(fm_rt.segment, FM_SECTION_THREADS);
    if (from != all)
        return;
    for (uint32_t i = 1; i < fm_rt.segment->n_threads; i++) {
        uint32_t before = __atomic_load_n(&all[i].region, __ATOMIC_ACQUIRE);
        if (__atomic_load_n(&all[i].region_depth, __ATOMIC_ACQUIRE) == 0)
            __atomic_compare_exchange_n(&all[i].region, &before, from->region, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED);
    }
}

/* A thread's region stack is private and needs no lock, so a signal handler may call MPI or leave by siglongjmp at any
 * moment. Threads that share a slot have no stack of their own: their regions are refused. */
static void open_region(struct fm_segment_thread *seg, uint32_t region)
{
    struct fm_segment_region *regions = fm_section(fm_rt.segment, FM_SECTION_REGIONS);
    seg->region_stack[seg->region_depth].region = region;
    seg->region_stack[seg->region_depth].since_ns = fm_runtime_ns();
    __atomic_store_n(&seg->region_depth, seg->region_depth + 1, __ATOMIC_RELEASE);
    __atomic_store_n(&seg->region, region, __ATOMIC_RELEASE);
    if (!__atomic_fetch_add(&regions[region].entries, 1, __ATOMIC_RELAXED))
        fm_first_entry_note(&regions[region].first);
    set_region_of_helpers(seg);
}

void fm_region_begin(const char *name)
{
    struct fm_thread *self = current_thread();
    if (!self || !name)
        return;
    struct fm_segment_thread *seg = self->seg;
    uint32_t region = !self->shared && seg->region_depth < MAX_DEPTH ? find_or_add(name, seg->region) : 0;
    if (region)
        open_region(seg, region);
    else
        __atomic_fetch_add(&fm_rt.segment->refused_regions, 1, __ATOMIC_RELAXED);
}

static void close_innermost(struct fm_segment_thread *seg, uint64_t now)
{
    struct fm_segment_region *regions = fm_section(fm_rt.segment, FM_SECTION_REGIONS);
    uint32_t depth = seg->region_depth - 1;
    uint64_t spent = now - seg->region_stack[depth].since_ns;
    seg->region_depth = depth;
    __atomic_fetch_add(&regions[seg->region_stack[depth].region].wall_ns, spent, __ATOMIC_RELAXED);
    seg->region = depth ? seg->region_stack[depth - 1].region : 0;
}

static void close_regions(struct fm_segment_thread *seg, const char *name)
{
    const struct fm_segment_region *regions = fm_section(fm_rt.segment, FM_SECTION_REGIONS);
    uint32_t depth = seg->region_depth;
    while (depth > 0 && strncmp(regions[seg->region_stack[depth - 1].region].name, name, FM_NAME_BYTES - 1) != 0)
        depth--;
    uint64_t unmatched = depth == 0 ? 1 : seg->region_depth - depth;
    if (unmatched)
        __atomic_fetch_add(&fm_rt.segment->unmatched_region_ends, unmatched, __ATOMIC_RELAXED);
    if (depth == 0)
        return;
    uint64_t now = fm_runtime_ns();
    while (seg->region_depth >= depth)
        close_innermost(seg, now);
    set_region_of_helpers(seg);
}

void fm_region_end(const char *name)
{
    struct fm_thread *self = current_thread();
    if (self && name && !self->shared)
        close_regions(self->seg, name);
}

/* ---- snapshots ---- */

/* The routines with the most time; the remaining ones are summed up. */
static void fill_snapshot(struct fm_segment_snapshot *snapshot, struct fm_snapshot_total totals[FM_ROUTINE_COUNT])
{
    for (;;) {
        unsigned best = FM_ROUTINE_COUNT;
        for (unsigned i = 0; i < FM_ROUTINE_COUNT; i++)
            if (totals[i].count && (best == FM_ROUTINE_COUNT || totals[i].ns > totals[best].ns))
                best = i;
        if (best == FM_ROUTINE_COUNT)
            return;
        snapshot->mpi_ns += totals[best].ns;
        if (snapshot->n_routines < FM_SNAPSHOT_ROUTINES) {
            uint32_t at = snapshot->n_routines++;
            snapshot->routines[at].routine = best;
            snapshot->routines[at].count = totals[best].count;
            snapshot->routines[at].total_ns = totals[best].ns;
            snapshot->routines[at].bytes = totals[best].bytes;
        } else {
            snapshot->other_ns += totals[best].ns;
        }
        totals[best] = (struct fm_snapshot_total){0};
    }
}

void fm_snapshot(const char *label, bool collective)
{
    if (!current_thread())
        return;
    struct fm_segment_header *h = fm_rt.segment;
    fm_lock(&fm_rt.table_lock);
    if (h->n_snapshots == h->sections[FM_SECTION_SNAPSHOTS].capacity) {
        h->refused_snapshots++;
        fm_unlock(&fm_rt.table_lock);
        return;
    }
    struct fm_snapshot_total *totals = fm_rt.snapshot_totals;
    memset(totals, 0, sizeof fm_rt.snapshot_totals);
    for (uint32_t i = 0; i < h->n_entries; i++) {
        const struct fm_entry *entry = &fm_rt.entries[i];
        if (entry->key.routine >= FM_ROUTINE_COUNT)
            continue;
        totals[entry->key.routine].count += entry->count;
        totals[entry->key.routine].ns += entry->total_ns;
        totals[entry->key.routine].bytes += entry->bytes;
    }
    struct fm_segment_snapshot *snapshot = (struct fm_segment_snapshot *)fm_section(h, FM_SECTION_SNAPSHOTS) +
                                           h->n_snapshots;
    snprintf(snapshot->label, sizeof snapshot->label, "%s", label ? label : "");
    snapshot->when_ns = fm_runtime_ns() - h->started_mono_ns;
    h->clock_ppb = fm_clock_error_ppb(&fm_rt.clock);
    snapshot->collective = collective;
    fill_snapshot(snapshot, totals);
    __atomic_store_n(&h->n_snapshots, h->n_snapshots + 1, __ATOMIC_RELEASE);
    fm_unlock(&fm_rt.table_lock);
}
