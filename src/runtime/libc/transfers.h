/* SPDX-License-Identifier: BSD-3-Clause */
/* Which sockets have a limit of time. */
#ifndef FM_RUNTIME_LIBC_TRANSFERS_H
#define FM_RUNTIME_LIBC_TRANSFERS_H

/* At the start: sockets with limits that the process was started with, among its first descriptors. */
void fm_transfers_find(unsigned descriptors);

#endif
