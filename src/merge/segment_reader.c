/* SPDX-License-Identifier: BSD-3-Clause */
#include "merge/segment_reader.h"

#include "base/saturate.h"

enum fm_status fm_segment_reader_no_memory(struct fm_segment_reader *r)
{
    return fm_fail(r->error, FM_ERR_MEMORY, "not enough memory to read %s", r->view.origin);
}

enum fm_status fm_segment_reader_damage(struct fm_segment_reader *r, const char *what)
{
    return fm_fail(r->error, FM_ERR_INPUT, "%s is damaged: %s", r->view.origin, what);
}

void fm_segment_reader_thread(const struct fm_segment_reader *r, size_t slot, struct fm_segment_thread *thread)
{
    const uint32_t max_depth = sizeof thread->region_stack / sizeof *thread->region_stack;
    fm_segment_item(&r->view, FM_SECTION_THREADS, slot, thread, sizeof *thread);
    if (thread->region_depth > max_depth)
        thread->region_depth = max_depth;
}

uint64_t fm_segment_reader_ns(const struct fm_segment_reader *r, uint64_t ns)
{
    enum { BILLION = 1000000000 };
    int32_t ppb = r->view.header.clock_ppb;
    if (!ppb || ppb < -BILLION || ns > FM_LONGEST_NS)
        return ns;
    unsigned __int128 exact = ((unsigned __int128)ns * (uint64_t)((int64_t)BILLION + ppb) + BILLION / 2) / BILLION;
    return (uint64_t)exact;
}

bool fm_segment_reader_ticks(const struct fm_segment_reader *r, uint64_t ticks, uint64_t *ns)
{
    const struct fm_segment_header *header = &r->view.header;
    unsigned __int128 exact = (unsigned __int128)ticks * header->clock_mult >> header->clock_shift;
    if (exact > FM_LONGEST_NS)
        return false;
    *ns = fm_segment_reader_ns(r, (uint64_t)exact);
    return true;
}

void fm_segment_reader_extremes(const struct fm_segment_reader *r, struct fm_segment_extremes *extremes)
{
    extremes->min_ns = fm_segment_reader_ns(r, extremes->min_ns);
    extremes->max_ns = fm_segment_reader_ns(r, extremes->max_ns);
    extremes->second_ns = fm_segment_reader_ns(r, extremes->second_ns);
}

uint64_t fm_segment_reader_call_start(const struct fm_segment_reader *r, const struct fm_segment_thread *thread)
{
    const struct fm_segment_header *header = &r->view.header;
    if (!header->started_ticks || thread->call_start < header->started_ticks)
        return 0;
    unsigned __int128 ticks = thread->call_start - header->started_ticks;
    unsigned __int128 ns = (ticks * header->clock_mult) >> header->clock_shift;
    return ns > FM_LONGEST_NS ? 0 : fm_sum(header->started_mono_ns, fm_segment_reader_ns(r, (uint64_t)ns));
}

struct fm_rankset fm_segment_reader_ranks(const struct fm_segment_reader *r, struct fm_range *range)
{
    *range = (struct fm_range){r->rank, r->rank};
    return r->rank == FM_NO_RANK ? (struct fm_rankset){0} : (struct fm_rankset){range, 1, 1};
}
