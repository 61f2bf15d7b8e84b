/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading a hardware counter of the processor in user space. Faults unless the kernel has granted it
 * (cap_user_rdpmc of a perf event's page). */
#ifndef FM_BASE_PMC_H
#define FM_BASE_PMC_H

#include <stdint.h>

#include "base/platform.h"

/* On aarch64 the kernel must be asked for it when the event is opened: bit 1 of config1. */
#if defined __aarch64__
enum { FM_PMC_REQUEST = 2 };
#else
enum { FM_PMC_REQUEST = 0 };
#endif

/* counter: index of the event's page minus 1. */
FM_INLINE uint64_t fm_pmc_read(uint32_t counter)
{
#if defined __aarch64__
#define FM_PMC_CASE(n)                                                \
    case n:                                                           \
        __asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(value)); \
        break;
    uint64_t value = 0;
    switch (counter) {
        FM_PMC_CASE(0)
        FM_PMC_CASE(1)
        FM_PMC_CASE(2)
        FM_PMC_CASE(3)
        FM_PMC_CASE(4)
        FM_PMC_CASE(5)
        FM_PMC_CASE(6)
        FM_PMC_CASE(7)
        FM_PMC_CASE(8)
        FM_PMC_CASE(9)
        FM_PMC_CASE(10)
        FM_PMC_CASE(11)
        FM_PMC_CASE(12)
        FM_PMC_CASE(13)
        FM_PMC_CASE(14)
        FM_PMC_CASE(15)
        FM_PMC_CASE(16)
        FM_PMC_CASE(17)
        FM_PMC_CASE(18)
        FM_PMC_CASE(19)
        FM_PMC_CASE(20)
        FM_PMC_CASE(21)
        FM_PMC_CASE(22)
        FM_PMC_CASE(23)
        FM_PMC_CASE(24)
        FM_PMC_CASE(25)
        FM_PMC_CASE(26)
        FM_PMC_CASE(27)
        FM_PMC_CASE(28)
        FM_PMC_CASE(29)
        FM_PMC_CASE(30)
    default:
        __asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value));
    }
#undef FM_PMC_CASE
    return value;
#else
    uint32_t low, high;
    __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(counter));
    return (uint64_t)high << 32 | low;
#endif
}

#endif
