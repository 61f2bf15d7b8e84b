/* SPDX-License-Identifier: BSD-3-Clause */
/* Root accesses the files of a user only with the permissions of that user: whatever the user's links, names and
 * settings are, nothing is read or written that the user could not. Done in a child process, because it cannot be
 * undone. */
#ifndef FM_SYMBOLS_DROP_PRIVILEGES_H
#define FM_SYMBOLS_DROP_PRIVILEGES_H

#include <stdbool.h>
#include <sys/types.h>

/* Changes the calling process to that user, with the user's groups; gid: the group for a user the system does not know.
 * Only root can ptrace it afterwards. Returns false if not permitted; the process must then exit. */
bool fm_drop_privileges(uid_t uid, gid_t gid);

#endif
