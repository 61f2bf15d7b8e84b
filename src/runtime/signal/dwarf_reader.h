/* SPDX-License-Identifier: BSD-3-Clause */
/* Bounds-checked reading of numbers in DWARF tables. */
#ifndef FM_RUNTIME_SIGNAL_DWARF_READER_H
#define FM_RUNTIME_SIGNAL_DWARF_READER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/platform.h"

/* Never reads outside [at, end): past the end it returns zeros and sets `bad`. */
struct dwarf_reader {
    const uint8_t *at, *end;
    bool bad;
};

FM_INLINE uint64_t get(struct dwarf_reader *r, size_t bytes)
{
    uint64_t value = 0;
    if ((size_t)(r->end - r->at) < bytes) {
        r->bad = true;
        r->at = r->end;
        return 0;
    }
    memcpy(&value, r->at, bytes); /* both architectures are little-endian */
    r->at += bytes;
    return value;
}

/* A LEB128 number: groups of seven bits, the lowest first. Sets *bits to the number of bits. */
static inline uint64_t get_long_leb(struct dwarf_reader *r, uint8_t byte, unsigned *bits)
{
    uint64_t value = byte & 0x7f;
    unsigned shift = 7;
    for (; byte & 0x80 && !r->bad; shift += 7) {
        byte = (uint8_t)get(r, 1);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
    }
    *bits = shift;
    return value;
}

FM_INLINE uint64_t get_uleb(struct dwarf_reader *r)
{
    uint8_t byte = (uint8_t)get(r, 1);
    unsigned bits;
    return byte & 0x80 ? get_long_leb(r, byte, &bits) : byte;
}

FM_INLINE int64_t get_sleb(struct dwarf_reader *r)
{
    unsigned bits;
    uint64_t value = get_long_leb(r, (uint8_t)get(r, 1), &bits);
    if (bits < 64 && value >> (bits - 1))
        value |= ~(uint64_t)0 << bits;
    return (int64_t)value;
}

enum { PE_PCREL = 0x10 };

/* A DW_EH_PE encoded pointer. */
static inline uint64_t get_encoded(struct dwarf_reader *r, uint8_t encoding)
{
    uintptr_t here = (uintptr_t)r->at;
    uint64_t value;
    if (encoding == (PE_PCREL | 0x0b)) /* what compilers use */
        return (uint64_t)(int64_t)(int32_t)get(r, 4) + here;
    switch (encoding & 0x0f) {
    case 0x00:
    case 0x04:
    case 0x0c:
        value = get(r, 8);
        break;
    case 0x01:
        value = get_uleb(r);
        break;
    case 0x02:
        value = get(r, 2);
        break;
    case 0x03:
        value = get(r, 4);
        break;
    case 0x09:
        value = (uint64_t)get_sleb(r);
        break;
    case 0x0a:
        value = (uint64_t)(int64_t)(int16_t)get(r, 2);
        break;
    case 0x0b:
        value = (uint64_t)(int64_t)(int32_t)get(r, 4);
        break;
    default:
        r->bad = true;
        return 0;
    }
    switch (encoding & 0x70) {
    case 0:
        return value;
    case PE_PCREL:
        return value + here;
    default:
        r->bad = true;
        return 0;
    }
}

#endif
