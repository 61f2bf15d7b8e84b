/* SPDX-License-Identifier: BSD-3-Clause */
/* Root accesses the files of a user with the rights of that user only: whatever the user's links, names and settings say,
 * nothing is read or written that the user could not. In a child process, since it cannot be undone. */
#ifndef FM_SYMBOLS_DROP_PRIVILEGES_H
#define FM_SYMBOLS_DROP_PRIVILEGES_H

#include <stdbool.h>
#include <sys/types.h>

/* The calling process becomes that user, with the user's groups; gid: the group of a user that the system does not know.
 * Only root can ptrace it afterwards. False: not permitted; the process must then end. */
bool fm_drop_privileges(uid_t uid, gid_t gid);

#endif
