/* SPDX-License-Identifier: BSD-3-Clause */
/* The jobs of this user that run now on this host: those that are measured by Fathom, found by their segments, and all
 * MPI jobs, found in /proc. */
#ifndef FM_HTTP_RUNNING_H
#define FM_HTTP_RUNNING_H

#include "attach/jobs.h"
#include "collect/node.h"
#include "http/routes.h"
#include "render/json.h"

struct fm_running_job {
    char key[FM_JOB_KEY_BYTES];
    char directory[FM_FILE_PATH_BYTES]; /* of its segments */
    char program[256];
    uint32_t ranks;              /* of the job, as far as they know it; those with a segment here if they do not */
    uint32_t here;               /* processes with a segment here */
    bool alive;                  /* at least one of them */
    uint64_t since_ns;           /* when the first one started, since 1970 */
    struct fm_host_rank process; /* one of them, a rank if there is one */
    bool ranked;                 /* it is a rank */
};

struct fm_running {
    struct fm_running_job *items; /* oldest first */
    size_t n, capacity;
    struct fm_host_jobs all; /* MPI jobs, if they were looked for */
    bool looked;
};

/* key: only this job; NULL: all. Returns false if out of memory. */
bool fm_running_find(struct fm_running *running, const char *key);
/* Also looks for all MPI jobs. */
void fm_running_find_all(struct fm_running *running);
void fm_running_close(struct fm_running *running);

/* "pid-PID-START": the key of a job that is not measured. */
#define FM_PID_KEY "pid-"
void fm_running_key(const struct fm_host_job *job, char key[FM_JOB_KEY_BYTES]);
/* The MPI job of this key, measured or not; NULL if there is none. */
const struct fm_host_job *fm_running_job(const struct fm_running *running, const char *key);
/* The key that the job of a process has now: it can change in MPI_Init. Returns false if there is none. */
bool fm_running_key_of(struct fm_host_rank process, char key[FM_JOB_KEY_BYTES]);

/* The arrays `jobs` and `not_measured`. */
void fm_running_json(const struct fm_running *running, struct fm_json *json);

#endif
