/* SPDX-License-Identifier: BSD-3-Clause */
/* SHA-256 (FIPS 180-4), for what must not be found again from its hash, such as tokens. */
#ifndef FM_BASE_SHA256_H
#define FM_BASE_SHA256_H

#include <stddef.h>

enum { FM_SHA256_BYTES = 32 };

void fm_sha256(const void *bytes, size_t size, unsigned char digest[FM_SHA256_BYTES]);

#endif
