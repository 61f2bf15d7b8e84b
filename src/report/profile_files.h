/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the profiles in a directory, by their names. Hidden files are left out, and links to directories are not
 * followed. */
#ifndef FM_REPORT_PROFILE_FILES_H
#define FM_REPORT_PROFILE_FILES_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/error.h"

struct fm_profile_files {
    bool recursive;                                                                  /* also in directories below */
    enum fm_status (*found)(void *context, const char *path, const struct stat *st); /* a failure ends the walk */
    void (*failed)(void *context, const char *path, const char *why); /* a directory cannot be read; may be NULL */
    void *context;
};

/* A directory, or one file, whose name does not matter. Returns what `found` has returned last. */
enum fm_status fm_profile_files_walk(const char *place, const struct fm_profile_files *files);

#endif
