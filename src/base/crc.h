/* SPDX-License-Identifier: BSD-3-Clause */
/* CRC-64 (ECMA-182 polynomial, reflected, as in the xz format): detects every error burst of up to 64 bits. */
#ifndef FM_BASE_CRC_H
#define FM_BASE_CRC_H

#include <stddef.h>
#include <stdint.h>

uint64_t fm_crc64(const void *bytes, size_t size);

#endif
