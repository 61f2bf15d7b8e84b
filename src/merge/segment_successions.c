/* SPDX-License-Identifier: BSD-3-Clause */
/* The successive reductions of a segment. Items of several threads and regions with the same call sites are summed. */
#include "merge/parts.h"
#include "merge/segment_reader.h"

static struct fm_site site_of(const struct fm_segment_reader *r, uint64_t site_region)
{
    uint64_t address = site_region >> 16;
    const struct fm_mapped_module *module = fm_mapped_module_at(&r->modules, address, NULL);
    return module ? (struct fm_site){module->path, module->build_id, address - module->bias}
                  : (struct fm_site){.module = "", .build_id = ""};
}

enum fm_status fm_read_successions(struct fm_segment_reader *r)
{
    struct fm_range range;
    size_t n = fm_segment_items(&r->view, FM_SECTION_SUCCESSIONS);
    if (n > UINT16_MAX)
        return fm_segment_reader_damage(r, "too many successive calls");
    for (size_t i = 1; i < n; i++) {
        struct fm_segment_succession item;
        fm_segment_item(&r->view, FM_SECTION_SUCCESSIONS, i, &item, sizeof item);
        if (!item.second || !item.count)
            continue;
        if (item.routine >= r->routines.n)
            return fm_segment_reader_damage(r, "successive calls have an invalid key");
        struct fm_succession succession = {
            .routine = fm_routine_name_in(&r->routines, item.routine),
            .first = site_of(r, item.first),
            .second = site_of(r, item.second),
            .count = item.count,
            .short_gaps = item.short_gaps,
            .dependent = item.dependent != 0,
            .ranks = fm_segment_reader_ranks(r, &range),
        };
        if (!fm_segment_reader_ticks(r, item.gap_ticks, &succession.gap_ns))
            return fm_segment_reader_damage(r, "invalid duration between two calls");
        if (!fm_merge_list(r->profile, &fm_list_successions, &succession, 1))
            return fm_segment_reader_no_memory(r);
    }
    return FM_OK;
}
