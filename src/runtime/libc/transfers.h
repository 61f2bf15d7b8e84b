/* SPDX-License-Identifier: BSD-3-Clause */
/* Tracks which descriptors have a timeout or a minimum number of bytes. */
#ifndef FM_RUNTIME_LIBC_TRANSFERS_H
#define FM_RUNTIME_LIBC_TRANSFERS_H

/* Called at the start: finds descriptors with such limits that the process has already, among its first
 * `descriptors`. */
void fm_transfers_find(unsigned descriptors);

#endif
