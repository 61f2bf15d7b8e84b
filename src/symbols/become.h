/* SPDX-License-Identifier: BSD-3-Clause */
/* Root does what concerns a user's files with that user's rights and no others: whatever the user's links, names and
 * settings say, nothing is read or written that the user could not. In a child, for there is no way back. */
#ifndef FM_SYMBOLS_BECOME_H
#define FM_SYMBOLS_BECOME_H

#include <stdbool.h>
#include <sys/types.h>

/* The calling process becomes that user, with the user's groups; gid: the group of one that the system does not know.
 * Nobody but root can look into it (ptrace) afterwards. False: not allowed; the process must then end. */
bool fm_become(uid_t uid, gid_t gid);

#endif
