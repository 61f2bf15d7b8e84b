/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/resources.h"

#include "base/peak.h"
#include "base/process.h"

static uint64_t runqueue(void)
{
    return fm_process_runqueue(0) + 1; /* unknown becomes 0 */
}

static void note_available(struct fm_segment_header *h)
{
    uint64_t bytes = fm_host_available("");
    if (bytes && (!h->available_bytes || bytes < h->available_bytes))
        h->available_bytes = bytes;
}

/* A limit above the memory of the host limits nothing. Read at the start too: it may be what ends the process. */
static void note_limit(struct fm_segment_header *h)
{
    struct fm_memory_limit limit = fm_host_memory_limit("");
    if (limit.bytes && limit.bytes < h->host_memory_bytes)
        h->memory_limit = limit;
}

void fm_resources_at_start(struct fm_segment_header *h)
{
    h->runqueue_start = runqueue();
    h->init_rss_bytes = fm_process_resident();
    h->numa_nodes = fm_host_numa_nodes("");
    h->peak_flops_per_cycle = fm_vectors_peak(fm_vectors_here());
    fm_host_network("", &h->network_start);
    note_available(h);
    note_limit(h);
}

void fm_resources_after_init(struct fm_segment_header *h)
{
    h->init_rss_bytes = fm_process_resident();
    note_available(h);
}

void fm_resources_at_end(struct fm_segment_header *h)
{
    h->runqueue_end = runqueue();
    h->end_rss_bytes = fm_process_resident();
    fm_host_network("", &h->network_end);
    note_available(h);
    note_limit(h);
}
