/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/end.h"

#include <sys/resource.h>

#include "base/usage.h"
#include "runtime/counting.h"
#include "runtime/interpose/next.h"
#include "runtime/io/io.h"
#include "runtime/resources.h"
#include "runtime/sampler.h"

static void record_usage(struct fm_segment_header *h)
{
    struct rusage use;
    if (getrusage(RUSAGE_SELF, &use) != 0)
        return;
    struct fm_usage usage = fm_usage_of(&use);
#define X(member, value) h->member = usage.member;
    FM_USAGE(X)
#undef X
}

static void record_final(struct fm_segment_header *h)
{
    fm_sampler_stop();
    fm_counting_stop();
    record_usage(h);
    fm_resources_at_end(h);
    h->clock_ppb = fm_clock_error_ppb(&fm_rt.clock);
}

void fm_runtime_note_end(void)
{
    fm_io_stop();
    if (!fm_syscalls_forbidden())
        record_final(fm_rt.segment);
    if (!fm_rt.clock_stopped_ns)
        fm_rt.segment->ended_mono_ns = fm_runtime_ns();
}

/* A clock that needs a system call cannot be read any more: calls are still counted, but with a duration of zero. */
static void stop_clock(void)
{
    fm_rt.saved_clock = fm_rt.clock;
    if (!fm_rt.clock.coarse)
        return;
    fm_rt.clock_stopped_ns = fm_clock_ns(CLOCK_MONOTONIC);
    fm_rt.clock.coarse = false;
    fm_rt.clock.mult = 0;
}

bool fm_runtime_forbid_syscalls(void)
{
    if (fm_syscalls_forbidden() || atomic_load(&fm_rt.state) == FM_RT_OFF || fm_process_is_bare_child())
        return false;
    int state = FM_RT_IDLE;
    fm_rt.stopped = atomic_compare_exchange_strong(&fm_rt.state, &state, FM_RT_OFF);
    while (atomic_load_explicit(&fm_rt.state, memory_order_acquire) == FM_RT_STARTING)
        fm_sleep_while(&fm_rt.state, FM_RT_STARTING);
    if (atomic_load(&fm_rt.state) == FM_RT_ON) {
        record_final(fm_rt.segment);
        fm_rt.segment->flags |= FM_FLAG_FILTERED;
    }
    stop_clock();
    fm_syscalls_forbid();
    return true;
}

/* Sampling is not resumed. */
void fm_runtime_allow_syscalls(void)
{
    fm_rt.clock = fm_rt.saved_clock;
    fm_rt.clock_stopped_ns = 0;
    fm_syscalls_allow();
    if (fm_rt.stopped)
        atomic_store(&fm_rt.state, FM_RT_IDLE);
    if (atomic_load(&fm_rt.state) != FM_RT_ON)
        return;
    fm_rt.segment->flags &= ~FM_FLAG_FILTERED;
    fm_rt.segment->flags |= fm_rt.segment->sample_period_ns ? FM_FLAG_UNFILTERED : 0;
}
