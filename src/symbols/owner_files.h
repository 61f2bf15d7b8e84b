/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens files that the owner of a profile names, as source files: only what that user could read as well, for whoever
 * looks at the profile, root above all, may read more. Root opens them in a child that has become the owner; anybody
 * else looks at the rights of the file and of all directories above it.
 *
 * A file must be a regular one, and its name no symbolic link. Directories may be links: they are followed with the
 * owner's rights. */
#ifndef FM_SYMBOLS_OWNER_FILES_H
#define FM_SYMBOLS_OWNER_FILES_H

#include <sys/types.h>

struct fm_owner_files {
    uid_t owner; /* 0: root, who could read everything */
    int child;   /* 0 before the first file: a socket to the child plus 1; -1: there can be none */
};

/* For reading; -1: it is not there, or not to be shown. */
int fm_owner_files_open(struct fm_owner_files *files, const char *path);
void fm_owner_files_close(struct fm_owner_files *files);

#endif
