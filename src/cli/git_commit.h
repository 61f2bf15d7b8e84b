/* SPDX-License-Identifier: BSD-3-Clause */
/* The commit that is checked out in a git repository, read from its files: git itself may not be there, and would run
 * what the configuration of the repository says. Whatever is in these files is checked: only regular files of limited
 * size are read, symbolic links inside a repository are not followed, and the repository must belong to the user, to root
 * or to the owner of what lies in it. Whether files were changed since the commit is not known. */
#ifndef FM_CLI_GIT_COMMIT_H
#define FM_CLI_GIT_COMMIT_H

#include <stdbool.h>

#include "base/commit.h"

/* Of the nearest repository on the same file system that holds this file or directory. Returns false if there is none,
 * or its commit cannot be read. */
bool fm_git_commit(const char *path, char commit[FM_COMMIT_BYTES]);

#endif
