/* SPDX-License-Identifier: BSD-3-Clause */
/* Which profiles are kept, by the key of their record and the owner of the file: regular files called *.fathom in
 * directories YYYY-MM below the one of the configuration. Links are not followed, and no part of a name comes from a client.
 * The lock of the tasks protects it, except for what only the task that is busy with it uses. */
#ifndef FM_SITE_HTTP_KEPT_INDEX_H
#define FM_SITE_HTTP_KEPT_INDEX_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "http/source.h"
#include "site/record/job_key.h"

struct fm_site_kept_profile {
    char key[FM_RECORD_KEY_CHARS]; /* "": it is none that can be read */
    char *path;
    dev_t device;
    ino_t inode;
    struct timespec modified;
    uid_t owner;
};

enum { FM_SITE_KEPT_OPEN = 4 };
/* A profile that slices are made from. */
struct fm_site_kept_source {
    char key[FM_RECORD_KEY_CHARS];
    uid_t owner;
    ino_t inode;
    uint64_t used_ns;
    struct fm_source source;
};

struct fm_site_kept {
    struct fm_site_kept_profile *profiles;
    size_t n, capacity;
    bool complete;    /* the last look has seen all */
    uint64_t look_ns; /* when to look again */
    bool busy;        /* a task looks, or makes a slice */
    struct fm_site_kept_source open[FM_SITE_KEPT_OPEN];
};

/* With the lock. NULL if there is none; valid as long as the lock is held. */
const struct fm_site_kept_profile *fm_site_kept_find(const struct fm_site_kept *kept, const char *key, int64_t owner);
/* By the busy task, without the lock: reads at most `most` profiles that are new. */
struct fm_site_kept_look;
struct fm_site_kept_look *fm_site_kept_look(const struct fm_site_kept *kept, const char *directory, size_t most);
/* With the lock: what a look has found takes the place of what was known. */
void fm_site_kept_replace(struct fm_site_kept *kept, struct fm_site_kept_look *look);
void fm_site_kept_clear(struct fm_site_kept *kept);

#endif
