/* SPDX-License-Identifier: BSD-3-Clause */
/* An estimate of what a core can do at most: floating-point operations in double precision per cycle. A processor says
 * which vectors it has, not how many units work on them; two is usual. Those with more (four of 128 bits), with one, or
 * with units half as wide as the vectors differ from the estimate by a factor of two. */
#ifndef FM_BASE_PEAK_H
#define FM_BASE_PEAK_H

#include <stdbool.h>
#include <stdint.h>

/* The widest vectors that processor and kernel let a program use; bytes = 0: unknown. */
struct fm_vectors {
    uint32_t bytes;
    bool fma; /* multiplication and addition at once */
};
struct fm_vectors fm_vectors_here(void);

/* 0: unknown */
uint32_t fm_vectors_peak(struct fm_vectors vectors);

#endif
