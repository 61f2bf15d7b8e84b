/* SPDX-License-Identifier: BSD-3-Clause */
/* SipHash-2-4 (Aumasson and Bernstein, 2012): a keyed hash of 64 bits. Without the key nobody can tell which text a hash
 * is of, nor make two texts that have the same one. */
#ifndef FM_BASE_SIPHASH_H
#define FM_BASE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

struct fm_siphash_key {
    uint64_t low, high;
};

uint64_t fm_siphash(const struct fm_siphash_key *key, const void *bytes, size_t size);

#endif
