/* SPDX-License-Identifier: BSD-3-Clause */
/* The jobs of this user that run now on this host and are measured by Fathom, found by their segments. */
#ifndef FM_HTTP_RUNNING_H
#define FM_HTTP_RUNNING_H

#include "collect/node.h"
#include "http/routes.h"
#include "render/json.h"

struct fm_running_job {
    char key[FM_JOB_KEY_BYTES];
    char directory[FM_FILE_PATH_BYTES]; /* of its segments */
    char program[256];
    uint32_t ranks;    /* of the job, as far as they know it; those with a segment here if they do not */
    uint32_t here;     /* processes with a segment here */
    bool alive;        /* at least one of them */
    uint64_t since_ns; /* when the first one started, since 1970 */
};

struct fm_running {
    struct fm_running_job *items; /* oldest first */
    size_t n, capacity;
};

/* key: only this job; NULL: all. Returns false if out of memory. */
bool fm_running_find(struct fm_running *running, const char *key);
void fm_running_close(struct fm_running *running);

void fm_running_json(const struct fm_running *running, struct fm_json *json); /* the array `jobs` */

#endif
