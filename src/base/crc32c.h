/* SPDX-License-Identifier: BSD-3-Clause */
/* CRC-32C (Castagnoli polynomial, reflected, as in iSCSI): a short checksum for texts of some kilobytes. */
#ifndef FM_BASE_CRC32C_H
#define FM_BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

uint32_t fm_crc32c(const void *bytes, size_t size);

#endif
