/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/extremes.h"

static void update_min(struct fm_segment_extremes *e, uint64_t ns, uint64_t event)
{
    if (e->min_event && ns >= e->min_ns)
        return;
    e->min_ns = ns;
    e->min_event = event;
}

static void update_max(struct fm_segment_extremes *e, uint64_t ns, uint64_t event)
{
    if (!e->max_event || ns > e->max_ns) {
        e->second_ns = e->max_ns;
        e->second_event = e->max_event;
        e->max_ns = ns;
        e->max_event = event;
    } else if (!e->second_event || ns > e->second_ns) {
        e->second_ns = ns;
        e->second_event = event;
    }
}

void fm_extremes_note(struct fm_segment_extremes *extremes, uint64_t ns, uint64_t event)
{
    update_min(extremes, ns, event);
    update_max(extremes, ns, event);
}

void fm_extremes_join(struct fm_segment_extremes *into, const struct fm_segment_extremes *from, uint64_t before)
{
    if (from->min_event)
        update_min(into, from->min_ns, before + from->min_event);
    if (from->max_event)
        update_max(into, from->max_ns, before + from->max_event);
    if (from->second_event)
        update_max(into, from->second_ns, before + from->second_event);
}
