/* SPDX-License-Identifier: BSD-3-Clause */
/* Misuses of the timers of a segment, and timers that were running when the process ended. */
#include "merge/parts.h"
#include "merge/segment_reader.h"
#include "model/strings.h"

/* The site of an address; all empty if its load module is unknown. Returns false if out of memory. */
static bool read_site(struct fm_segment_reader *r, uint64_t address, struct fm_site *site)
{
    *site = (struct fm_site){"", "", 0};
    for (size_t i = 0; i < fm_segment_items(&r->view, FM_SECTION_MODULES); i++) {
        struct fm_segment_module module;
        fm_segment_item(&r->view, FM_SECTION_MODULES, i, &module, sizeof module);
        const char *path = fm_segment_text(&r->view, module.text_path);
        if (address < module.start || address >= module.end || !*path)
            continue;
        path = fm_clean_text(&r->view.scratch, path, SIZE_MAX, false);
        const char *id = fm_segment_text(&r->view, module.text_build_id);
        id = fm_clean_text(&r->view.scratch, id, SIZE_MAX, false);
        if (!path || !id)
            return false;
        *site = (struct fm_site){fm_profile_intern(r->profile, path), fm_profile_intern(r->profile, id),
                                 address - module.bias};
        return site->module && site->build_id;
    }
    return true;
}

static bool add(struct fm_segment_reader *r, struct fm_timer *timer, uint32_t kind, uint64_t address, uint64_t count)
{
    struct fm_range range;
    struct fm_misuse misuse = {.kind = kind, .count = count, .ranks = fm_segment_reader_ranks(r, &range)};
    return read_site(r, address, &misuse.site) && fm_merge_misuses(r->profile, timer, &misuse, 1);
}

/* A timer that is running at MPI_Finalize or exit was never stopped; in a process that was killed, it shows where that
 * happened. */
bool fm_read_running(struct fm_segment_reader *r, const struct fm_segment_timing *timing, struct fm_timer *timer)
{
    bool ended_normally = r->end == FM_END_FINALIZED || r->end == FM_END_EXITED;
    uint32_t kind = ended_normally ? (uint32_t)FM_MISUSE_NEVER_STOPPED : (uint32_t)FM_MISUSE_RUNNING;
    return !timing->started || r->end == FM_END_UNKNOWN || add(r, timer, kind, timing->start_site, 1);
}

bool fm_read_no_handles(struct fm_segment_reader *r, struct fm_timer *timer)
{
    const struct fm_segment_header *h = &r->view.header;
    return !h->no_timers || add(r, timer, FM_MISUSE_NO_HANDLE, h->no_timer_site, h->no_timers);
}

bool fm_read_misuses(struct fm_segment_reader *r, unsigned number, struct fm_timer *timer)
{
    struct fm_segment_timer from;
    fm_segment_item(&r->view, FM_SECTION_TIMERS, number, &from, sizeof from);
    for (uint32_t kind = 0; kind < FM_TIMER_MISUSES; kind++)
        if (from.misuse[kind] && !add(r, timer, kind, from.misuse_site[kind], from.misuse[kind]))
            return false;
    return true;
}
