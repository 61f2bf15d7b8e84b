/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "attach/affinity.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

void fm_affinity_open(struct fm_affinity *affinity)
{
    affinity->core = 0;
    if (sched_getaffinity(0, sizeof affinity->cores, &affinity->cores) != 0)
        CPU_ZERO(&affinity->cores);
}

void fm_affinity_bind(struct fm_affinity *affinity, int core)
{
    cpu_set_t one;
    if (core < 0 || core >= CPU_SETSIZE || (unsigned)core + 1 == affinity->core)
        return;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    if (sched_setaffinity(0, sizeof one, &one) == 0)
        affinity->core = (unsigned)core + 1;
}

void fm_affinity_unbind(struct fm_affinity *affinity)
{
    if (affinity->core)
        sched_setaffinity(0, sizeof affinity->cores, &affinity->cores);
    affinity->core = 0;
}

static void request_short_slice(void)
{
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime_ns, deadline_ns, period_ns;
    } attributes = {.size = sizeof attributes, .policy = SCHED_OTHER, .runtime_ns = 100000};
    attributes.nice = getpriority(PRIO_PROCESS, 0);
    syscall(SYS_sched_setattr, 0, &attributes, 0);
}

void fm_affinity_raise_priority(void)
{
    struct sched_param lowest = {.sched_priority = sched_get_priority_min(SCHED_FIFO)};
    if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &lowest) != 0)
        request_short_slice();
}
