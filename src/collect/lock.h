/* SPDX-License-Identifier: BSD-3-Clause */
/* An exclusive lock that is waited for a few seconds at most. One that another user holds, as anybody may who can read
 * the file, is not waited for at all: of those we have to wait for, all are our own. */
#ifndef FM_COLLECT_LOCK_H
#define FM_COLLECT_LOCK_H

enum fm_file_lock { FM_LOCKED, FM_LOCK_FOREIGN, FM_LOCK_LATE, FM_LOCK_NONE /* no locks in this file system */ };

enum fm_file_lock fm_file_lock(int fd);

#endif
