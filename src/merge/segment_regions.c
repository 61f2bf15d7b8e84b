/* SPDX-License-Identifier: BSD-3-Clause */
/* The regions of a segment: their paths and wall times. */
#include <string.h>

#include "base/saturate.h"
#include "base/sort.h"
#include "merge/parts.h"
#include "merge/segment_reader.h"
#include "model/order.h"
#include "model/strings.h"

enum { FM_MAX_DEPTH = 64 };

struct named_region {
    const char *path;
    uint32_t number;
};

static int compare_named(const void *a, const void *b)
{
    return fm_compare_text(((const struct named_region *)a)->path, ((const struct named_region *)b)->path);
}

/* The path of a region ("a/b"); "?" if the chain of parents does not end at the whole program. */
static const char *path_of(struct fm_segment_reader *r, const struct fm_segment_region *regions, size_t n,
                           uint32_t number, const char **names)
{
    uint32_t chain[FM_MAX_DEPTH];
    size_t depth = 0, length = 1;
    for (; number; number = regions[number].parent) {
        if (depth == FM_MAX_DEPTH || number >= n)
            return "?";
        chain[depth++] = number;
        length += strlen(names[number]) + 1;
    }
    char *path = fm_arena_alloc(&r->view.scratch, length), *end = path;
    if (!path)
        return NULL;
    while (depth) {
        const char *name = names[chain[--depth]];
        end = stpcpy(end, name);
        if (depth)
            *end++ = '/';
    }
    return fm_profile_intern(r->profile, path);
}

static enum fm_status name_regions(struct fm_segment_reader *r, const struct fm_segment_region *regions, size_t n)
{
    struct fm_arena *scratch = &r->view.scratch;
    const char **names = fm_arena_alloc(scratch, n * sizeof *names);
    struct named_region *named = fm_arena_alloc(scratch, (n + 1) * sizeof *named);
    r->n_paths = n + 1;
    r->paths = fm_arena_alloc(scratch, (n + 1) * sizeof *r->paths);
    r->path_orders = fm_arena_alloc(scratch, (n + 1) * sizeof *r->path_orders);
    if (!names || !named || !r->paths || !r->path_orders)
        return fm_segment_reader_no_memory(r);
    for (size_t i = 0; i < n; i++)
        if (!(names[i] = fm_clean_text(scratch, regions[i].name, sizeof regions[i].name, false)))
            return fm_segment_reader_no_memory(r);
    for (size_t i = 0; i <= n; i++) {
        r->paths[i] = i == n && n ? "?" : i == 0 ? "" : path_of(r, regions, n, (uint32_t)i, names);
        if (!r->paths[i])
            return fm_segment_reader_no_memory(r);
        named[i] = (struct named_region){r->paths[i], (uint32_t)i};
    }
    if (!fm_sort(named, n + 1, sizeof *named, compare_named, scratch))
        return fm_segment_reader_no_memory(r);
    uint16_t order = 0;
    for (size_t i = 0; i <= n; i++) {
        order = (uint16_t)(order + (i && compare_named(&named[i - 1], &named[i])));
        r->path_orders[named[i].number] = order;
    }
    return FM_OK;
}

/* Adds the time of open regions up to now. */
static void add_open(struct fm_segment_reader *r, struct fm_segment_region *regions, size_t n)
{
    for (size_t slot = 0; slot < fm_segment_items(&r->view, FM_SECTION_THREADS); slot++) {
        struct fm_segment_thread thread;
        fm_segment_reader_thread(r, slot, &thread);
        for (uint32_t i = 0; i < thread.region_depth; i++) {
            uint64_t since = thread.region_stack[i].since_ns;
            uint32_t region = thread.region_stack[i].region;
            if (region && region < n && since && since < r->now_ns)
                fm_add_saturating(&regions[region].wall_ns, r->now_ns - since);
        }
    }
}

static bool add_region(struct fm_segment_reader *r, const char *path, uint64_t entries, uint64_t wall_ns)
{
    struct fm_range range;
    struct fm_region region = {.path = path, .entries = entries, .wall_ns = wall_ns};
    region.ranks = fm_segment_reader_ranks(r, &range);
    if (r->rank != FM_NO_RANK)
        fm_spread_add(&region.wall_per_rank, wall_ns, r->rank);
    return fm_merge_regions(r->profile, &region, 1);
}

/* Regions with the same path are combined. */
static enum fm_status add_regions(struct fm_segment_reader *r, const struct fm_segment_region *regions, size_t n)
{
    if (!add_region(r, "", 1, r->wall_ns))
        return fm_segment_reader_no_memory(r);
    for (size_t i = 1; i < n; i++) {
        bool first = true;
        for (size_t k = 1; k < i && first; k++)
            first = r->path_orders[k] != r->path_orders[i];
        uint64_t entries = 0, wall_ns = 0;
        for (size_t k = i; k < n && first; k++) {
            if (r->path_orders[k] != r->path_orders[i])
                continue;
            fm_add_saturating(&entries, regions[k].entries);
            fm_add_saturating(&wall_ns, regions[k].wall_ns);
        }
        if (wall_ns > FM_LONGEST_NS)
            return fm_segment_reader_damage(r, "invalid duration of a region");
        if (first && *r->paths[i] && !add_region(r, r->paths[i], entries, wall_ns))
            return fm_segment_reader_no_memory(r);
    }
    return FM_OK;
}

enum fm_status fm_read_regions(struct fm_segment_reader *r)
{
    size_t n = fm_segment_items(&r->view, FM_SECTION_REGIONS);
    if (n > UINT16_MAX)
        return fm_segment_reader_damage(r, "too many regions");
    struct fm_segment_region *regions = fm_arena_alloc(&r->view.scratch, n * sizeof *regions);
    if (!regions)
        return fm_segment_reader_no_memory(r);
    for (size_t i = 0; i < n; i++)
        fm_segment_item(&r->view, FM_SECTION_REGIONS, i, &regions[i], sizeof *regions);
    enum fm_status status = name_regions(r, regions, n);
    if (status)
        return status;
    add_open(r, regions, n);
    return add_regions(r, regions, n);
}
