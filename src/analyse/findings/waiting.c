/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/findings/waiting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/balance/group.h"
#include "analyse/findings/limits.h"
#include "base/names.h"
#include "model/order.h"

enum fm_wait_kind fm_wait_kind_of(const char *routine, uint32_t comm_size)
{
    if (fm_names_fit("MPI_Send\0MPI_Send_c\0MPI_Ssend*\0MPI_Rsend*\0", routine))
        return FM_WAIT_SEND;
    if (fm_names_fit("MPI_Recv*\0MPI_Mrecv*\0MPI_Probe\0MPI_Mprobe\0MPI_Sendrecv*\0MPI_Wait*\0", routine))
        return FM_WAIT_RECEIVE;
    if (!strcmp(routine, "MPI_Barrier"))
        return FM_WAIT_BARRIER;
    /* not: what starts and ends MPI, makes objects, works on files, or does not block */
    if (fm_names_fit("MPI_I*\0MPI_Finalize\0MPI_Comm_*\0MPI_Cart_*\0MPI_Graph_*\0MPI_Dist_*\0MPI_Intercomm*\0"
                     "MPI_File_*\0MPI_Win_*\0MPI_Session*\0*_init\0*_init_c\0",
                     routine))
        return FM_WAIT_NONE;
    return comm_size > 1 ? FM_WAIT_COLLECTIVE : FM_WAIT_NONE;
}

double fm_wait_floor(const struct fm_stats *stats, uint32_t ranks)
{
    double quantile = fm_finding_limits.floor_quantile, seen = 0, all = 0;
    if (ranks && 0.5 / ranks < quantile)
        quantile = 0.5 / ranks;
    for (unsigned bin = 0; bin < FM_DURATION_BINS; bin++)
        all += (double)stats->histogram.bins[bin];
    for (unsigned bin = 0; bin < FM_DURATION_BINS && all > 0; bin++) {
        seen += (double)stats->histogram.bins[bin];
        if (seen > 0 && seen >= quantile * all)
            return (double)fm_duration_bin_from(bin + 1 < FM_DURATION_BINS ? bin + 1 : bin);
    }
    return 0;
}

double fm_wait_slow_network(const struct fm_event_key *key)
{
    double latency_ns = 1e3 * fm_finding_limits.floor_latency_us, bytes = (double)fm_size_bin_to(key->size_bin);
    if (key->size_bin == FM_SIZE_NONE && strcmp(key->routine, "MPI_Barrier") != 0)
        return HUGE_VAL;
    if (key->comm_size > 1) { /* in the worst case, a rank passes on the data of all */
        latency_ns *= 1 + log2(key->comm_size);
        bytes *= key->comm_size;
    }
    return latency_ns + 1e9 * bytes / fm_finding_limits.floor_rate;
}

/* The histogram gives the proportions; the total is known exactly. */
struct fm_wait_part fm_wait_above(const struct fm_stats *stats, double floor_ns)
{
    struct fm_wait_part part = {0};
    double all = 0, above = 0;
    for (unsigned bin = 0; bin < FM_DURATION_BINS; bin++) {
        double calls = (double)stats->histogram.bins[bin], from = (double)fm_duration_bin_from(bin);
        double to = bin + 1 < FM_DURATION_BINS ? (double)fm_duration_bin_from(bin + 1) : from;
        double middle = (from + to) / 2;
        all += calls * middle;
        if (floor_ns <= 0 || from < fm_finding_limits.floor_times * floor_ns)
            continue;
        above += calls * (middle - floor_ns);
        part.calls += calls;
    }
    part.ns = all > 0 ? above / all * (double)stats->total_ns : 0;
    return part;
}

static const struct fm_event *floor_of(const struct fm_groups *sizes, const struct fm_event_key *key)
{
    for (size_t i = 0; i < sizes->n; i++) {
        const struct fm_event_key *size = &sizes->items[i].key;
        if (size->size_bin == key->size_bin && size->comm_size == key->comm_size &&
            !strcmp(size->routine, key->routine))
            return &sizes->items[i];
    }
    return NULL;
}

static struct fm_wait *wait_at(struct fm_waits *waits, const struct fm_event_key *key, enum fm_wait_kind kind)
{
    for (size_t i = 0; i < waits->n; i++)
        if (!strcmp(waits->items[i].routine, key->routine) && !fm_site_compare(&waits->items[i].site, &key->site))
            return &waits->items[i];
    waits->items[waits->n] = (struct fm_wait){.routine = key->routine, .site = key->site, .kind = kind};
    return &waits->items[waits->n++];
}

static int longest_first(const void *a, const void *b)
{
    const struct fm_wait *x = a, *y = b;
    if (x->waiting_ns != y->waiting_ns)
        return x->waiting_ns > y->waiting_ns ? -1 : 1;
    int order = strcmp(x->routine, y->routine);
    return order ? order : fm_site_compare(&x->site, &y->site);
}

enum fm_status fm_waits_find(const struct fm_profile *profile, struct fm_arena *arena, struct fm_waits *waits,
                             struct fm_error *error)
{
    struct fm_groups sizes, sites;
    *waits = (struct fm_waits){0};
    enum fm_status status = fm_group_events(profile, FM_BY_ROUTINE | FM_BY_SIZE | FM_BY_COMM, arena, &sizes, error);
    if (!status)
        status = fm_group_events(profile, FM_BY_ROUTINE | FM_BY_SIZE | FM_BY_COMM | FM_BY_SITE, arena, &sites, error);
    if (status)
        return status;
    waits->items = fm_arena_alloc(arena, sites.n * sizeof *waits->items);
    if (!waits->items)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the waiting at %zu call sites", sites.n);
    for (size_t i = 0; i < sites.n; i++) {
        const struct fm_event *event = &sites.items[i], *size = floor_of(&sizes, &event->key);
        enum fm_wait_kind kind = fm_wait_kind_of(event->key.routine, event->key.comm_size);
        if (!kind || !size)
            continue;
        struct fm_wait *wait = wait_at(waits, &event->key, kind);
        double floor_ns = fmin(fm_wait_floor(&size->stats, profile->job.ranks), fm_wait_slow_network(&event->key));
        struct fm_wait_part above = fm_wait_above(&event->stats, floor_ns);
        double calls = (double)wait->calls + (double)event->stats.count;
        if (calls > 0)
            wait->floor_ns += (floor_ns - wait->floor_ns) * (double)event->stats.count / calls;
        wait->calls += event->stats.count;
        wait->total_ns += (double)event->stats.total_ns;
        wait->waiting_ns += above.ns;
        wait->waiting_calls += above.calls;
        waits->waiting_ns += above.ns;
    }
    qsort(waits->items, waits->n, sizeof *waits->items, longest_first);
    return FM_OK;
}
