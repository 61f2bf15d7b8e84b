/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/siphash.h"

static uint64_t rotate(uint64_t word, unsigned bits)
{
    return word << bits | word >> (64 - bits);
}

static void mix(uint64_t v[4], unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = rotate(v[1], 13) ^ v[0];
        v[3] = rotate(v[3], 16) ^ v[2];
        v[0] = rotate(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = rotate(v[1], 17) ^ v[2];
        v[3] = rotate(v[3], 21) ^ v[0];
        v[2] = rotate(v[2], 32);
    }
}

static void take_word(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    mix(v, 2);
    v[0] ^= word;
}

uint64_t fm_siphash(const struct fm_siphash_key *key, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t v[4] = {key->low ^ 0x736f6d6570736575, key->high ^ 0x646f72616e646f6d, key->low ^ 0x6c7967656e657261,
                     key->high ^ 0x7465646279746573};
    uint64_t word = 0;
    for (size_t i = 0; i < size; i++) {
        word |= (uint64_t)at[i] << 8 * (i % 8);
        if (i % 8 == 7) {
            take_word(v, word);
            word = 0;
        }
    }
    take_word(v, word | (uint64_t)size << 56);
    v[2] ^= 0xff;
    mix(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}
