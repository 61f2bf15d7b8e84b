#include "measure/region.h"

#include <stdio.h>
#include <string.h>

#include "generated/routines.h"
#include "measure/record.h"

enum {
    MAX_DEPTH = sizeof(((struct fm_segment_thread *)0)->region_stack) /
                sizeof(((struct fm_segment_thread *)0)->region_stack[0])
};

static struct fm_thread *current_thread(void)
{
    return fm_self && fm_self->seg ? fm_self : fm_thread_attach();
}

static uint32_t find_or_add(const char *name, uint32_t parent)
{
    struct fm_segment_header *h = fm_rt.segment;
    struct fm_segment_region *regions = fm_section(h, FM_SECTION_REGIONS);
    char wanted[FM_NAME_BYTES] = "";
    snprintf(wanted, sizeof wanted, "%s", name);
    for (uint32_t i = 1; i < h->n_regions; i++)
        if (regions[i].parent == parent && strcmp(regions[i].name, wanted) == 0)
            return i;
    if (h->n_regions == h->sections[FM_SECTION_REGIONS].capacity)
        return 0;
    struct fm_segment_region *region = &regions[h->n_regions];
    memcpy(region->name, wanted, sizeof wanted);
    region->parent = parent;
    return __atomic_fetch_add(&h->n_regions, 1, __ATOMIC_RELEASE);
}

/* Threads that opened no region of their own work for the one the first thread is in. */
static void spread_to_helpers(struct fm_segment_thread *from)
{
    struct fm_segment_thread *all = fm_section(fm_rt.segment, FM_SECTION_THREADS);
    if (from != all)
        return;
    for (uint32_t i = 1; i < fm_rt.segment->n_threads; i++)
        if (all[i].region_depth == 0)
            all[i].region = from->region;
}

void fm_region_begin(const char *name)
{
    struct fm_thread *self = current_thread();
    if (!self || !name)
        return;
    struct fm_segment_thread *seg = self->seg;
    fm_lock(&fm_rt.table_lock);
    uint32_t region = seg->region_depth < MAX_DEPTH ? find_or_add(name, seg->region) : 0;
    if (region) {
        seg->region_stack[seg->region_depth].region = region;
        seg->region_stack[seg->region_depth].since_ns = fm_clock_ns(CLOCK_MONOTONIC);
        seg->region_depth++;
        seg->region = region;
        ((struct fm_segment_region *)fm_section(fm_rt.segment, FM_SECTION_REGIONS))[region].entries++;
        spread_to_helpers(seg);
    } else {
        fm_rt.segment->refused_regions++;
    }
    fm_unlock(&fm_rt.table_lock);
}

static void close_innermost(struct fm_segment_thread *seg, uint64_t now)
{
    struct fm_segment_region *regions = fm_section(fm_rt.segment, FM_SECTION_REGIONS);
    seg->region_depth--;
    regions[seg->region_stack[seg->region_depth].region].wall_ns += now - seg->region_stack[seg->region_depth].since_ns;
    seg->region = seg->region_depth ? seg->region_stack[seg->region_depth - 1].region : 0;
}

void fm_region_end(const char *name)
{
    struct fm_thread *self = current_thread();
    if (!self || !name)
        return;
    struct fm_segment_thread *seg = self->seg;
    const struct fm_segment_region *regions = fm_section(fm_rt.segment, FM_SECTION_REGIONS);
    fm_lock(&fm_rt.table_lock);
    uint32_t depth = seg->region_depth;
    while (depth > 0 && strncmp(regions[seg->region_stack[depth - 1].region].name, name, FM_NAME_BYTES - 1) != 0)
        depth--;
    if (depth == 0) {
        fm_rt.segment->unmatched_region_ends++;
    } else {
        uint64_t now = fm_clock_ns(CLOCK_MONOTONIC);
        fm_rt.segment->unmatched_region_ends += seg->region_depth - depth;
        while (seg->region_depth >= depth)
            close_innermost(seg, now);
        spread_to_helpers(seg);
    }
    fm_unlock(&fm_rt.table_lock);
}

/* ---- subtotals ---- */

struct total {
    uint64_t count, ns, bytes;
};

/* The routines with the most time; the rest is summed. */
static void fill(struct fm_segment_snapshot *snapshot, struct total totals[FM_ROUTINE_COUNT])
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
        totals[best] = (struct total){0};
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
    static struct total totals[FM_ROUTINE_COUNT];
    memset(totals, 0, sizeof totals);
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
    snapshot->when_ns = fm_clock_ns(CLOCK_MONOTONIC) - h->started_mono_ns;
    snapshot->collective = collective;
    fill(snapshot, totals);
    __atomic_store_n(&h->n_snapshots, h->n_snapshots + 1, __ATOMIC_RELEASE);
    fm_unlock(&fm_rt.table_lock);
}
