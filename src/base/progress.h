/* SPDX-License-Identifier: BSD-3-Clause */
/* How far a long piece of work is, set by the thread that does it and read by others at any time. */
#ifndef FM_BASE_PROGRESS_H
#define FM_BASE_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

enum { FM_PROGRESS_WHOLE = 10000 };

struct fm_progress {
    uint32_t done; /* of FM_PROGRESS_WHOLE */
};

/* A part of the work, from..to in percent, of which `done` of `total` is done. progress may be NULL. */
static inline void fm_progress_set(struct fm_progress *progress, unsigned from, unsigned to, uint64_t done,
                                   uint64_t total)
{
    double part = total ? (double)(done < total ? done : total) / (double)total : 1;
    uint32_t value = (uint32_t)((from + part * (to - from)) / 100 * FM_PROGRESS_WHOLE);
    if (progress)
        __atomic_store_n(&progress->done, value, __ATOMIC_RELAXED);
}

static inline double fm_progress_fraction(const struct fm_progress *progress)
{
    return (double)__atomic_load_n(&progress->done, __ATOMIC_RELAXED) / FM_PROGRESS_WHOLE;
}

#endif
