/* SPDX-License-Identifier: BSD-3-Clause */
/* The spool of a site: a directory in which everybody may leave a profile, and nobody but root may list or remove those
 * of others (mode 1733). Names and files in it are what users want them to be. */
#ifndef FM_CLI_SITE_SPOOL_H
#define FM_CLI_SITE_SPOOL_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/error.h"

struct fm_spool_file {
    const char *name;
    int directory_fd; /* of the spool */
    int fd;           /* the file itself, locked */
    struct stat st;
};

/* Visits the profiles of the spool one after the other; those that another process has locked are left to it, and only
 * root visits those of others. */
enum fm_status fm_spool_visit(const char *spool, void (*visit)(void *context, const struct fm_spool_file *file),
                              void *context, struct fm_error *error);

/* Removes a profile that was sent. */
bool fm_spool_remove(const struct fm_spool_file *file);
/* Makes the directory for profiles that are kept, unless it is there. */
enum fm_status fm_spool_make_keep(const char *keep, struct fm_error *error);
/* Moves a profile to KEEP/YYYY-MM/, by its date. It stays its owner's; the group of the directory can read it (the server of
 * the pages). */
bool fm_spool_keep(const struct fm_spool_file *file, const char *keep);
/* Renames a profile that is not to be tried again: NAME.refused. */
bool fm_spool_refuse(const struct fm_spool_file *file);

/* Copies a profile into the spool; nothing if it is there already. */
enum fm_status fm_spool_add(const char *spool, const char *profile, struct fm_error *error);

#endif
