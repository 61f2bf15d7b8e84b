/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that appear under their name only when they are complete.
 *
 * While it is written a file has no name at all (O_TMPFILE), so nothing is left of it when the writer is killed. Where
 * the file system does not support that it has a temporary name, which identifies the writer: files of dead writers are
 * removed. libc only, no malloc. */
#ifndef FM_BASE_ATOMIC_FILE_H
#define FM_BASE_ATOMIC_FILE_H

#include <stdbool.h>
#include <sys/types.h>

enum { FM_ATOMIC_FILE_PATH_BYTES = 4096 };

struct fm_atomic_file {
    int fd;                                    /* open for reading and writing; the caller closes it */
    char temporary[FM_ATOMIC_FILE_PATH_BYTES]; /* in the directory of the final file */
    bool named;                                /* it has its temporary name */
};

/* Opens the file that will become `path`; `nameless`: without a name, if possible. Returns false and sets errno on
 * failure. */
bool fm_atomic_file_open(struct fm_atomic_file *file, const char *path, mode_t mode, bool nameless);
/* Gives the file its name. With `replace` an existing file is replaced; otherwise it is an error (EEXIST). */
bool fm_atomic_file_publish(struct fm_atomic_file *file, const char *path, bool replace);
/* Removes a file that was not published; preserves errno. */
void fm_atomic_file_discard(struct fm_atomic_file *file);

/* Whether a file of this directory was left by a dead writer under its temporary name. */
bool fm_atomic_file_is_abandoned(int directory_fd, const char *name);

#endif
