/* SPDX-License-Identifier: BSD-3-Clause */
/* On which core the calling thread sleeps and wakes up. */
#ifndef FM_ATTACH_NEAR_H
#define FM_ATTACH_NEAR_H

#include <sched.h>

struct fm_near {
    cpu_set_t cores; /* that it may use */
    unsigned core;   /* the one that it is bound to, + 1; 0: any */
};

void fm_near_open(struct fm_near *near);
/* Where that is not allowed, or the core is not known (-1), it stays as it is. */
void fm_near_go(struct fm_near *near, int core);
void fm_near_go_anywhere(struct fm_near *near);
/* That on full cores it gets one soon: before all others where that is allowed, to root and to users with RLIMIT_RTPRIO;
 * else in short turns, for which kernels from 6.12 on take a wish, and others may refuse. */
void fm_near_ask_for_cores(void);

#endif
