/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that have their name when they are whole, and not before.
 *
 * While it is written a file has no name at all (O_TMPFILE), so nothing of it is left when its writer is killed. Where
 * the file system cannot do that it has a temporary name, which says who writes it: those of dead writers are swept
 * away. libc only, no malloc. */
#ifndef FM_BASE_NEW_FILE_H
#define FM_BASE_NEW_FILE_H

#include <stdbool.h>
#include <sys/types.h>

enum { FM_NEW_FILE_PATH_BYTES = 4096 };

struct fm_new_file {
    int fd;                                 /* open for reading and writing; the caller's to close */
    char temporary[FM_NEW_FILE_PATH_BYTES]; /* beside the file to be */
    bool named;                             /* it lies under its temporary name */
};

/* Begins what is to be `path`. nameless: without a name, if possible. False: errno says why. */
bool fm_new_file_open(struct fm_new_file *file, const char *path, mode_t mode, bool nameless);
/* Gives it its name. replace: whatever file has that name makes way; else there must be none (EEXIST). */
bool fm_new_file_publish(struct fm_new_file *file, const char *path, bool replace);
/* Drops what has no name yet; keeps errno. */
void fm_new_file_drop(struct fm_new_file *file);

/* Whether a file of this directory is one that a dead writer left under its temporary name. */
bool fm_new_file_is_abandoned(int directory_fd, const char *name);

#endif
