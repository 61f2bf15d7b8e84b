/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens files named by the owner of a profile, such as source files: only those that this user could read as well,
 * because the user who views the profile, especially root, may have more permissions. Root opens them in a child that
 * has become the owner; other users check the permissions of the file and of all directories above it.
 *
 * A file must be a regular file and its name not a symbolic link. Directories may be links: they are followed with the
 * owner's permissions. */
#ifndef FM_SYMBOLS_OWNER_FILES_H
#define FM_SYMBOLS_OWNER_FILES_H

#include <sys/types.h>

struct fm_owner_files {
    uid_t owner; /* 0: root, who can read everything */
    int child;   /* 0: not started yet; a socket to the child + 1; -1: cannot be started */
};

/* Opens for reading; -1 if it does not exist or must not be shown. */
int fm_owner_files_open(struct fm_owner_files *files, const char *path);
void fm_owner_files_close(struct fm_owner_files *files);

#endif
