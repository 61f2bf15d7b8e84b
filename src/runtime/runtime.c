/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/runtime.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

struct fm_runtime fm_rt;
__thread struct fm_local fm_local __attribute__((tls_model("initial-exec")));

struct fm_caller_state fm_caller_state_save(void)
{
    struct fm_caller_state saved = {.error = errno};
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &saved.cancel);
    return saved;
}

void fm_caller_state_restore(struct fm_caller_state saved)
{
    pthread_setcancelstate(saved.cancel, NULL);
    errno = saved.error;
}

/* The caller holds the table lock, or no other thread can be here yet. */
uint32_t fm_text_add(const char *text, size_t length)
{
    struct fm_segment_header *h = fm_rt.segment;
    if (length == 0 || h->n_text + length + 1 > h->sections[FM_SECTION_TEXT].capacity)
        return 0;
    uint32_t offset = h->n_text;
    char *at = (char *)fm_section(h, FM_SECTION_TEXT) + offset;
    memcpy(at, text, length);
    at[length] = 0;
    h->n_text += (uint32_t)length + 1;
    return offset;
}

void fm_runtime_pause(bool pause)
{
    fm_rt.paused = pause;
    fm_rt.careful = pause || fm_rt.threaded;
    fm_rt.fast_mask = pause ? 0 : fm_rt.index_mask;
    fm_forget_memos();
}

void fm_runtime_threaded(void)
{
    if (!fm_rt.threaded)
        __atomic_add_fetch(&fm_rt.requests_displaced, 1, __ATOMIC_RELAXED);
    fm_rt.threaded = fm_rt.careful = true;
    fm_forget_memos();
}

void fm_thread_detach(void)
{
    fm_local.self = fm_local.attached = NULL;
    fm_local.timers = NULL;
}

void fm_runtime_off(void)
{
    atomic_store(&fm_rt.state, FM_RT_OFF);
    fm_thread_detach();
}

uint64_t fm_runtime_ns(void)
{
    return fm_rt.clock_stopped_ns ? fm_rt.clock_stopped_ns : fm_clock_ns(CLOCK_MONOTONIC);
}
