/* SPDX-License-Identifier: BSD-3-Clause */
/* The spans of a segment: the time outside MPI in each region and timer, and from the first entry of a region or the
 * first start of a timer to the end of the process. */
#include <stddef.h>
#include <string.h>

#include "base/saturate.h"
#include "merge/parts.h"
#include "merge/segment_reader.h"
#include "model/order.h"
#include "model/region_path.h"
#include "model/strings.h"

static bool add_span(struct fm_segment_reader *r, enum fm_span_kind kind, const char *name, uint64_t wall_ns,
                     uint64_t mpi_ns)
{
    struct fm_range range;
    struct fm_span span = {.kind = kind, .name = name, .ranks = fm_segment_reader_ranks(r, &range)};
    fm_spread_add(&span.wall_ns, wall_ns, r->rank);
    fm_spread_add(&span.outside_ns, wall_ns > mpi_ns ? wall_ns - mpi_ns : 0, r->rank); /* threads can add up to more */
    return fm_merge_list(r->profile, &fm_list_spans, &span, 1);
}

/* ---- regions ---- */

/* The regions of the profile are sorted by path. */
static size_t region_of(const struct fm_profile *profile, const char *path)
{
    size_t low = 0, high = profile->n_regions;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (fm_compare_text(profile->regions[middle].path, path) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < profile->n_regions && fm_compare_text(profile->regions[low].path, path) == 0 ? low : 0;
}

static bool add_regions(struct fm_segment_reader *r)
{
    const struct fm_profile *profile = r->profile;
    uint64_t *own_ns = fm_arena_alloc(&r->view.scratch, (profile->n_regions + 1) * sizeof *own_ns);
    if (!own_ns)
        return false;
    for (size_t i = 0; i < profile->n_events; i++)
        fm_add_saturating(&own_ns[region_of(profile, profile->events[i].key.region)],
                          profile->events[i].stats.total_ns);
    for (size_t i = 0; i < profile->n_regions; i++) {
        const struct fm_region *region = &profile->regions[i];
        uint64_t mpi_ns = 0;
        for (size_t k = 0; k < profile->n_regions && *region->path; k++)
            if (fm_region_is_within(profile->regions[k].path, region->path))
                fm_add_saturating(&mpi_ns, own_ns[k]);
        if (*region->path && !add_span(r, FM_SPAN_REGION, region->path, region->wall_ns, mpi_ns))
            return false;
    }
    return true;
}

/* ---- timers ---- */

struct time_in_timer {
    uint64_t wall_ns, mpi_ns;
};

static struct time_in_timer *add_threads(struct fm_segment_reader *r)
{
    size_t n = fm_segment_items(&r->view, FM_SECTION_TIMERS);
    struct time_in_timer *times = fm_arena_alloc(&r->view.scratch, (n + 1) * sizeof *times);
    for (size_t i = 0; times && i < fm_segment_items(&r->view, FM_SECTION_TIMINGS); i++) {
        struct fm_segment_timing timing;
        fm_segment_item(&r->view, FM_SECTION_TIMINGS, i, &timing, sizeof timing);
        if (timing.timer >= n)
            continue;
        fm_add_saturating(&times[timing.timer].wall_ns, fm_segment_reader_ns(r, timing.total_ns));
        fm_add_saturating(&times[timing.timer].mpi_ns, fm_segment_reader_ns(r, timing.mpi_ns));
    }
    return times;
}

static const char *timer_name(struct fm_segment_reader *r, const struct fm_segment_timer *timer)
{
    const char *clean = fm_clean_text(&r->view.scratch, timer->name, sizeof timer->name, false);
    return clean ? fm_profile_intern(r->profile, clean) : NULL;
}

static bool add_timers(struct fm_segment_reader *r)
{
    size_t least_bytes = offsetof(struct fm_segment_timing, mpi_ns) + sizeof(uint64_t);
    if (r->view.header.sections[FM_SECTION_TIMINGS].item_bytes < least_bytes)
        return true; /* of an older version, which did not measure it */
    struct time_in_timer *times = add_threads(r);
    bool done = times;
    for (size_t i = 0; done && i < fm_segment_items(&r->view, FM_SECTION_TIMERS); i++) {
        struct fm_segment_timer timer;
        fm_segment_item(&r->view, FM_SECTION_TIMERS, i, &timer, sizeof timer);
        const char *name = timer_name(r, &timer);
        done = name &&
               (!*name || !times[i].wall_ns || add_span(r, FM_SPAN_TIMER, name, times[i].wall_ns, times[i].mpi_ns));
    }
    return done;
}

/* ---- the rest of the run ---- */

static bool add_rest(struct fm_segment_reader *r, enum fm_span_kind kind, const char *name,
                     const struct fm_segment_first *first, uint64_t mpi_ns)
{
    uint64_t before = fm_segment_reader_ns(r, first->mpi_ns);
    if (!first->since_ns || first->since_ns > r->wall_ns)
        return true;
    return add_span(r, kind, name, r->wall_ns - first->since_ns, mpi_ns > before ? mpi_ns - before : 0);
}

static bool add_rests(struct fm_segment_reader *r)
{
    const struct fm_segment_view *view = &r->view;
    uint64_t mpi_ns = 0;
    for (size_t i = 0; i < r->profile->n_events; i++)
        fm_add_saturating(&mpi_ns, r->profile->events[i].stats.total_ns);
    for (size_t i = 1; i < fm_segment_items(view, FM_SECTION_REGIONS) && i + 1 < r->n_paths; i++) {
        struct fm_segment_region region;
        bool unique = *r->paths[i] && strcmp(r->paths[i], "?") != 0;
        for (size_t k = 1; k < i && unique; k++)
            unique = r->path_orders[k] != r->path_orders[i];
        fm_segment_item(view, FM_SECTION_REGIONS, i, &region, sizeof region);
        if (unique && !add_rest(r, FM_SPAN_FROM_REGION, r->paths[i], &region.first, mpi_ns))
            return false;
    }
    for (size_t i = 0; i < fm_segment_items(view, FM_SECTION_TIMERS); i++) {
        struct fm_segment_timer timer;
        fm_segment_item(view, FM_SECTION_TIMERS, i, &timer, sizeof timer);
        const char *name = timer_name(r, &timer);
        if (!name || (*name && !add_rest(r, FM_SPAN_FROM_TIMER, name, &timer.first, mpi_ns)))
            return false;
    }
    return true;
}

enum fm_status fm_read_spans(struct fm_segment_reader *r)
{
    if (r->rank == FM_NO_RANK)
        return FM_OK;
    return add_regions(r) && add_timers(r) && add_rests(r) ? FM_OK : fm_segment_reader_no_memory(r);
}
