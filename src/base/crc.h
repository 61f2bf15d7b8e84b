/* SPDX-License-Identifier: BSD-3-Clause */
/* CRC-64 (polynomial of ECMA-182, reflected, as in the xz format): finds every error of up to 64 bits in a row. */
#ifndef FM_BASE_CRC_H
#define FM_BASE_CRC_H

#include <stddef.h>
#include <stdint.h>

uint64_t fm_crc64(const void *bytes, size_t size);

#endif
