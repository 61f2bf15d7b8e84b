/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/crc.h"

uint64_t fm_crc64(const void *bytes, size_t size)
{
    uint64_t table[256]; /* built on each call: it takes a microsecond and needs no global state */
    for (unsigned i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xc96c5795d7870f42ull : 0);
    }
    uint64_t crc = UINT64_MAX;
    for (const unsigned char *at = bytes; size; size--)
        crc = table[(crc ^ *at++) & 255] ^ crc >> 8;
    return ~crc;
}
