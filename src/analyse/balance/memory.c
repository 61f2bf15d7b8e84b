/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/balance/memory.h"

#include <stdlib.h>
#include <string.h>

bool fm_memory_growth(const struct fm_process *process, int64_t *bytes)
{
    uint64_t before, after;
    if (!fm_figure_get(process, FM_FIGURE_init_rss_bytes, &before) ||
        !fm_figure_get(process, FM_FIGURE_end_rss_bytes, &after) || before > INT64_MAX || after > INT64_MAX)
        return false;
    *bytes = (int64_t)after - (int64_t)before;
    return true;
}

struct fm_growth fm_memory_growths(const struct fm_profile *profile)
{
    struct fm_growth growth = {0};
    for (size_t i = 0; i < profile->n_processes; i++) {
        const struct fm_process *process = &profile->processes[i];
        int64_t bytes;
        if (!fm_memory_growth(process, &bytes))
            continue;
        if (!growth.ranks || bytes < growth.min) {
            growth.min = bytes;
            growth.min_rank = process->rank;
        }
        if (!growth.ranks || bytes > growth.max) {
            growth.max = bytes;
            growth.max_rank = process->rank;
        }
        growth.sum += (double)bytes;
        growth.ranks++;
    }
    return growth;
}

static bool difference(uint64_t start, uint64_t end, uint64_t *between)
{
    *between = end - start;
    return start != FM_UNKNOWN && end != FM_UNKNOWN && end >= start;
}

bool fm_host_traffic(const struct fm_host *host, struct fm_host_traffic *traffic)
{
    return difference(host->received_start_bytes, host->received_end_bytes, &traffic->received_bytes) &&
           difference(host->sent_start_bytes, host->sent_end_bytes, &traffic->sent_bytes) &&
           difference(host->received_start_packets, host->received_end_packets, &traffic->received_packets) &&
           difference(host->sent_start_packets, host->sent_end_packets, &traffic->sent_packets);
}

/* FM_UNKNOWN is the largest number. */
static int by_free_memory(const void *a, const void *b)
{
    const struct fm_host *x = *(const struct fm_host *const *)a, *y = *(const struct fm_host *const *)b;
    if (x->least_free_bytes != y->least_free_bytes)
        return x->least_free_bytes < y->least_free_bytes ? -1 : 1;
    return strcmp(x->name, y->name);
}

const struct fm_host **fm_hosts_by_free_memory(const struct fm_profile *profile, struct fm_arena *arena)
{
    const struct fm_host **hosts = fm_arena_alloc(arena, profile->n_hosts * sizeof *hosts);
    for (size_t i = 0; hosts && i < profile->n_hosts; i++)
        hosts[i] = &profile->hosts[i];
    if (hosts)
        qsort(hosts, profile->n_hosts, sizeof *hosts, by_free_memory);
    return hosts;
}
