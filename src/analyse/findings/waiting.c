/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/findings/waiting.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/balance/floor.h"
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
    struct fm_floors floors;
    *waits = (struct fm_waits){0};
    enum fm_status status = fm_floors_find(profile, arena, &floors, error);
    if (status)
        return status;
    waits->items = fm_arena_alloc(arena, profile->n_events * sizeof *waits->items);
    if (!waits->items)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the waiting of %zu kinds of calls",
                       profile->n_events);
    for (size_t i = 0; i < profile->n_events; i++) {
        const struct fm_event *event = &profile->events[i];
        enum fm_wait_kind kind = fm_wait_kind_of(event->key.routine, event->key.comm_size);
        if (!kind)
            continue;
        struct fm_wait *wait = wait_at(waits, &event->key, kind);
        struct fm_waiting above = fm_waiting_in(&floors, event);
        double calls = (double)wait->calls + (double)event->stats.count;
        if (calls > 0)
            wait->floor_ns += (above.floor_ns - wait->floor_ns) * (double)event->stats.count / calls;
        wait->calls += event->stats.count;
        wait->total_ns += (double)event->stats.total_ns;
        wait->waiting_ns += above.ns;
        wait->waiting_calls += above.calls;
        waits->waiting_ns += above.ns;
    }
    qsort(waits->items, waits->n, sizeof *waits->items, longest_first);
    return FM_OK;
}
