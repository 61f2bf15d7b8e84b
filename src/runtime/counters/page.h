/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads an event of the calling thread through its page, which the kernel keeps up to date, without a system call:
 *
 *     count = offset + the counter of the processor `index` - 1, sign-extended from pmc_width bits
 *
 * The kernel changes `lock` before and after it changes the rest. index 0: the event is not on a counter at the moment,
 * and the offset is its count. Async-signal-safe. */
#ifndef FM_RUNTIME_COUNTERS_PAGE_H
#define FM_RUNTIME_COUNTERS_PAGE_H

#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/pmc.h"

/* Tests and benchmarks define a counter of their own. */
#ifndef FM_PMC_READ
#define FM_PMC_READ fm_pmc_read
#endif

/* The value has no bits beyond the width, as the processor returns it. */
FM_INLINE uint64_t fm_page_sign_extend(uint64_t value, unsigned width)
{
    uint64_t sign = 1ull << (width - 1) % 64;
    return (value ^ sign) - sign;
}

FM_INLINE uint64_t fm_page_read(const volatile struct perf_event_mmap_page *page)
{
    uint32_t lock;
    uint64_t count;
    do {
        lock = page->lock;
        atomic_signal_fence(memory_order_seq_cst); /* the kernel writes on the same processor: no fence is needed */
        uint32_t index = page->index;
        count = (uint64_t)page->offset;
        if (FM_LIKELY(index))
            count += fm_page_sign_extend(FM_PMC_READ(index - 1), page->pmc_width);
        atomic_signal_fence(memory_order_seq_cst);
    } while (FM_UNLIKELY(page->lock != lock));
    return count;
}

/* Of another thread. Its count is known only while it does not run: returns false otherwise. */
FM_INLINE bool fm_page_read_other(const volatile struct perf_event_mmap_page *page, uint64_t *count)
{
    uint32_t lock = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
    *count = (uint64_t)page->offset;
    bool still = page->index == 0;
    atomic_thread_fence(memory_order_acquire);
    return still && page->lock == lock;
}

#endif
