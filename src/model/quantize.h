/* SPDX-License-Identifier: BSD-3-Clause */
/* Rounding of per-rank values to a few leading bits: five (steps of 3 to 6 %), or four in a large job. Ranks that did
 * the same work then mostly have equal values, which take almost no space in a file. Rounding is idempotent. */
#ifndef FM_MODEL_QUANTIZE_H
#define FM_MODEL_QUANTIZE_H

#include <stdint.h>

enum { FM_QUANTIZED_BITS = 5, FM_QUANTIZED_BITS_LARGE = 4 };

/* The nearest value with this number of leading bits; of two equally near, the larger. */
uint64_t fm_quantize(uint64_t value, unsigned bits);
/* The range of values that are rounded to this one; only the value itself if it has more bits. */
void fm_quantized_range(uint64_t value, uint64_t *min, uint64_t *max);

#endif
