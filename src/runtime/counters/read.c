/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/counters/read.h"

#include "runtime/counters/open.h"
#include "runtime/counters/page.h"

/* What read() returns for a group. */
struct group {
    uint64_t n, enabled_ns, running_ns;
    uint64_t counts[FM_COUNTERS];
};

void fm_counters_store(struct fm_counted_thread *thread, const uint64_t *counts, const uint64_t *enabled_ns,
                       const uint64_t *running_ns)
{
    for (uint32_t i = 0; i < thread->n; i++) {
        struct fm_segment_count *to = &thread->seg->counts[i];
        to->total = thread->before[i] + counts[i];
        to->enabled_ns = thread->enabled_before[i] + enabled_ns[i];
        to->running_ns = thread->running_before[i] + running_ns[i];
    }
}

static bool read_group(struct fm_counted_thread *thread)
{
    struct group group = {0};
    uint64_t enabled_ns[FM_COUNTERS], running_ns[FM_COUNTERS];
    int fd = fm_counters_descriptor(thread);
    long bytes = fd < 0 ? -1 : fm_kernel(SYS_read, fd, &group, sizeof group);
    if (bytes < (long)(sizeof group - (FM_COUNTERS - thread->n) * sizeof *group.counts) || group.n != thread->n)
        return false;
    for (uint32_t i = 0; i < thread->n; i++) {
        enabled_ns[i] = group.enabled_ns;
        running_ns[i] = group.running_ns;
    }
    fm_counters_store(thread, group.counts, enabled_ns, running_ns);
    return true;
}

/* Times are those of the last time that the event was put on a counter: only their ratio is used. */
static void store_pages(struct fm_counted_thread *thread, const uint64_t *counts)
{
    uint64_t enabled_ns[FM_COUNTERS], running_ns[FM_COUNTERS];
    for (uint32_t i = 0; i < thread->n; i++) {
        enabled_ns[i] = thread->pages[i]->time_enabled;
        running_ns[i] = thread->pages[i]->time_running;
    }
    fm_counters_store(thread, counts, enabled_ns, running_ns);
}

void fm_counters_update(struct fm_counted_thread *self, bool system_calls)
{
    uint64_t counts[FM_COUNTERS];
    if (self->split < self->n) {
        fm_counters_update_other(self, system_calls);
        return;
    }
    for (uint32_t i = 0; i < self->n; i++)
        counts[i] = fm_page_read(self->pages[i]);
    store_pages(self, counts);
}

/* If the program has closed the descriptor, the pages have the counts of the last time that the thread was switched
 * in. */
void fm_counters_update_other(struct fm_counted_thread *thread, bool system_calls)
{
    uint64_t counts[FM_COUNTERS];
    if (thread->split < thread->n && system_calls && read_group(thread))
        return;
    for (uint32_t i = 0; i < thread->n; i++)
        if (!fm_page_read_other(thread->pages[i], &counts[i]) ||
            thread->before[i] + counts[i] < thread->seg->counts[i].total)
            return;
    store_pages(thread, counts);
}
