/* SPDX-License-Identifier: BSD-3-Clause */
/* What tells the processes of one job from all others, on any host: its key.
 *
 *   NAME=VALUE[,NAME=VALUE]   variables of their environment, as PMIX_NAMESPACE, or SLURM_JOB_ID and SLURM_STEP_ID
 *   hydra=HOST:PORT           the launcher that a proxy of Hydra above them answers to: its ranks have nothing in common
 *   NAME                      of the program, where there is nothing better */
#ifndef FM_ATTACH_JOB_H
#define FM_ATTACH_JOB_H

#include "attach/proc.h"

struct fm_procs {
    const struct fm_proc *items; /* by pid */
    size_t n;
};

/* Of a rank. */
const char *fm_job_key(const struct fm_procs *procs, pid_t rank, struct fm_arena *arena);
/* Of what a launcher has started elsewhere, from the words of that; NULL: not known. */
const char *fm_job_key_elsewhere(const struct fm_procs *procs, pid_t launcher, struct fm_arena *arena);
bool fm_job_has(const struct fm_procs *procs, const char *key, pid_t pid, struct fm_arena *arena);

/* The host on which this process, a child of a launcher, runs its daemon, as `ssh HOST orted ...` does; NULL: none. */
const char *fm_job_daemon_host(pid_t pid, struct fm_arena *arena);

#endif
