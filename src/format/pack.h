/* SPDX-License-Identifier: BSD-3-Clause */
/* Compression of columns of integers: an adaptive binary range coder (doc/FORMAT.md, "Columns").
 *
 * A column is one field of all items of an array. Neighbouring values are similar, so a column is stored as
 * differences: from its smallest value, or from an earlier value of the same column, whichever is shorter. A constant
 * column costs almost nothing; a noisy one costs the bits of its noise.
 *
 * The reader trusts nothing: past the end of its input it continues with zeros and sets `failed`. */
#ifndef FM_FORMAT_PACK_H
#define FM_FORMAT_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct fm_bit_model {
    uint16_t one;  /* probability of a 1, in units of 1/65536 */
    uint16_t seen; /* number of bits seen, up to a limit */
};

enum { FM_PACK_MANTISSA = 2 }; /* bits after the leading one that are modelled; the others are stored verbatim */

struct fm_number_model {
    struct fm_bit_model zero[4];
    struct fm_bit_model length[64];
    struct fm_bit_model mantissa[64][1 << FM_PACK_MANTISSA];
    unsigned history; /* which of the last two numbers were zero */
};

struct fm_packer {
    struct fm_arena *arena;
    uint8_t *bytes;
    size_t n, capacity;
    uint32_t low, high;
    bool failed; /* out of memory */
    struct fm_number_model single, column;
};

struct fm_unpacker {
    const uint8_t *bytes;
    size_t n, at;
    uint32_t low, high, code;
    bool failed; /* read past the end */
    struct fm_number_model single, column;
};

void fm_pack_begin(struct fm_packer *packer, struct fm_arena *arena);
void fm_pack_end(struct fm_packer *packer); /* afterwards the result is in bytes and n */
void fm_pack_number(struct fm_packer *packer, uint64_t value);
/* before[i] < i: the item that is similar to item i (for i >= 1); NULL: the previous one. rounded: only the ten leading
 * bits of values are kept (an error of at most 0.1 %). The values are overwritten. */
void fm_pack_column(struct fm_packer *packer, uint64_t *values, size_t n, const uint32_t *before, bool rounded);
void fm_pack_text(struct fm_packer *packer, const char *text, size_t length);

void fm_unpack_begin(struct fm_unpacker *unpacker, const void *bytes, size_t n);
uint64_t fm_unpack_number(struct fm_unpacker *unpacker);
void fm_unpack_column(struct fm_unpacker *unpacker, uint64_t *values, size_t n, const uint32_t *before);
void fm_unpack_text(struct fm_unpacker *unpacker, char *text, size_t length);

#endif
