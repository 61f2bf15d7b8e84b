/* SPDX-License-Identifier: BSD-3-Clause */
/* The key of a job identifies its processes on any host:
 *
 *   NAME=VALUE[,NAME=VALUE]   variables of their environment, such as PMIX_NAMESPACE, or SLURM_JOB_ID and SLURM_STEP_ID
 *   hydra=HOST:PORT           the launcher of the Hydra proxy above them: the ranks themselves have nothing in common
 *   NAME                      of the program, if there is nothing better */
#ifndef FM_ATTACH_JOB_H
#define FM_ATTACH_JOB_H

#include "attach/proc.h"

struct fm_procs {
    const struct fm_proc *items; /* sorted by pid */
    size_t n;
};

/* The key of the job of a rank. */
const char *fm_job_key(const struct fm_procs *procs, pid_t rank, struct fm_arena *arena);
/* The key of the job that a launcher has started on other hosts, from the command lines of its children; NULL if
 * unknown. */
const char *fm_job_key_elsewhere(const struct fm_procs *procs, pid_t launcher, struct fm_arena *arena);
bool fm_job_has(const struct fm_procs *procs, const char *key, pid_t pid, struct fm_arena *arena);

/* The host on which this child of a launcher runs a daemon, as in `ssh HOST orted ...`; NULL if none. */
const char *fm_job_daemon_host(pid_t pid, struct fm_arena *arena);

#endif
