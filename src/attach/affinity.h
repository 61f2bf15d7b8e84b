/* SPDX-License-Identifier: BSD-3-Clause */
/* The CPU affinity and the scheduling priority of the calling thread. */
#ifndef FM_ATTACH_AFFINITY_H
#define FM_ATTACH_AFFINITY_H

#include <sched.h>

struct fm_affinity {
    cpu_set_t cores; /* allowed cores */
    unsigned core;   /* the core that it is bound to + 1; 0: any */
};

void fm_affinity_open(struct fm_affinity *affinity);
/* Does nothing if that is not allowed or the core is unknown (-1). */
void fm_affinity_bind(struct fm_affinity *affinity, int core);
void fm_affinity_unbind(struct fm_affinity *affinity);
/* Asks to be scheduled soon when all cores are busy: with real-time priority if allowed (root, or users with
 * RLIMIT_RTPRIO); otherwise with short time slices, which kernels from 6.12 on can be asked for and others may
 * reject. */
void fm_affinity_raise_priority(void);

#endif
