/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting in MPI calls (analyse/balance/floor.h) by call site and by what is waited for. */
#ifndef FM_ANALYSE_FINDINGS_WAITING_H
#define FM_ANALYSE_FINDINGS_WAITING_H

#include "model/profile.h"

enum fm_wait_kind { FM_WAIT_NONE, FM_WAIT_SEND, FM_WAIT_RECEIVE, FM_WAIT_BARRIER, FM_WAIT_COLLECTIVE };

/* The calls of a routine at a call site. */
struct fm_wait {
    const char *routine;
    struct fm_site site;
    enum fm_wait_kind kind;
    uint64_t calls;
    double total_ns, waiting_ns;
    double waiting_calls; /* number of calls that wait */
    double floor_ns;      /* of a call, average */
};

struct fm_waits {
    struct fm_wait *items; /* longest waiting first */
    size_t n;
    double waiting_ns; /* of all */
};

enum fm_status fm_waits_find(const struct fm_profile *profile, struct fm_arena *arena, struct fm_waits *waits,
                             struct fm_error *error);

enum fm_wait_kind fm_wait_kind_of(const char *routine, uint32_t comm_size);

#endif
