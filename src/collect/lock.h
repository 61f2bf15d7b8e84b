/* SPDX-License-Identifier: BSD-3-Clause */
/* An exclusive lock with a timeout of a few seconds. A lock held by another user (anybody who can read the file may
 * take one) is not waited for: only our own processes have a reason to hold it. */
#ifndef FM_COLLECT_LOCK_H
#define FM_COLLECT_LOCK_H

enum fm_file_lock { FM_LOCKED, FM_LOCK_FOREIGN, FM_LOCK_LATE, FM_LOCK_NONE /* not supported by the file system */ };

enum fm_file_lock fm_file_lock(int fd);

#endif
