/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of ranks in few bits, the leading ones: five, that is, steps of 3 to 6 %, or four in a large job. Values of
 * ranks that did the same are then mostly equal, and a file has them for next to nothing. What is coarse already stays
 * what it is. */
#ifndef FM_MODEL_COARSE_H
#define FM_MODEL_COARSE_H

#include <stdint.h>

enum { FM_COARSE_BITS = 5, FM_COARSEST_BITS = 4 };

/* The nearest value with so many leading bits; of two the larger. */
uint64_t fm_coarse(uint64_t value, unsigned bits);
/* What may have become a value: it alone, if it has more bits. */
void fm_coarse_range(uint64_t value, uint64_t *least, uint64_t *most);

#endif
