/* SPDX-License-Identifier: BSD-3-Clause */
/* The CPU affinity and the scheduling priority of the calling thread. */
#ifndef FM_ATTACH_AFFINITY_H
#define FM_ATTACH_AFFINITY_H

#include <sched.h>

struct fm_affinity {
    cpu_set_t cores; /* that it may run on */
    unsigned core;   /* the one that it is bound to, + 1; 0: any */
};

void fm_affinity_open(struct fm_affinity *affinity);
/* Does nothing where that is not allowed, or the core is not known (-1). */
void fm_affinity_bind(struct fm_affinity *affinity, int core);
void fm_affinity_unbind(struct fm_affinity *affinity);
/* So that it gets a core soon on a busy machine: real-time priority where that is allowed (root, RLIMIT_RTPRIO), else a
 * short time slice, which kernels from 6.12 on grant. */
void fm_affinity_raise_priority(void);

#endif
