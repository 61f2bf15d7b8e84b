/* SPDX-License-Identifier: BSD-3-Clause */
/* The MPI jobs of this user that run now on this host, measured or not, found in /proc: processes that have loaded an MPI
 * library, by the launcher that started them; and launchers that have started ranks on other hosts only. */
#ifndef FM_ATTACH_JOBS_H
#define FM_ATTACH_JOBS_H

#include <stdint.h>

#include "attach/proc.h"

struct fm_host_rank {
    pid_t pid;
    uint64_t start_time;
};

struct fm_host_job {
    struct fm_host_rank first;   /* the launcher or, without one, a rank: identifies the job on this host */
    bool has_launcher;           /* `first` is one, and belongs to this user */
    struct fm_host_rank *ranks;  /* on this host, by pid */
    size_t here, ranks_capacity; /* number of them */
    uint32_t world;              /* ranks of the job as far as known, at least `here` */
    size_t measured;             /* of those here, with Fathom loaded */
    const char *program;         /* name; "": unknown */
    const char *hosts;           /* other hosts, "b,c", as far as the launcher's command lines show them; "" */
    uint64_t since_ns;           /* start of the first process, since 1970 */
};

struct fm_host_jobs {
    struct fm_arena arena;
    struct fm_host_job *items; /* oldest first */
    size_t n, capacity;
};

/* Returns false if out of memory. In both cases it must be closed. */
bool fm_host_jobs_find(struct fm_host_jobs *jobs);
void fm_host_jobs_close(struct fm_host_jobs *jobs);

/* The job that this process is a rank of; NULL if there is none. */
const struct fm_host_job *fm_host_job_of(const struct fm_host_jobs *jobs, pid_t pid, uint64_t start_time);

#endif
