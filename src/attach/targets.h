/* SPDX-License-Identifier: BSD-3-Clause */
/* Which processes the pids given by a user refer to: the ranks of the job.
 *
 * Among each pid and its descendants, those that have loaded an MPI library are chosen. If there are none, a pid refers
 * to itself, and a launcher or a shell to the last processes in the chain that it has started. Nothing below a chosen
 * process is chosen. */
#ifndef FM_ATTACH_TARGETS_H
#define FM_ATTACH_TARGETS_H

#include <stdint.h>

#include "attach/proc.h"
#include "base/error.h"

struct fm_target {
    pid_t pid;
    uint64_t start_time;   /* identifies it if the pid is reused */
    uid_t owner;           /* who started it; nobody if unknown */
    uint32_t rank;         /* from the launcher, or numbered by pid if unknown */
    const char *exe, *cwd; /* "" if unknown */
    const char *build_id;  /* of exe; "" if unknown */
    const char *arguments; /* each followed by a NUL */
    size_t arguments_bytes;
    const char *mpi;         /* "Open MPI", "MPICH", "" */
    const char *mpi_library; /* path, or "" */
    const char *directory;   /* FATHOM_DIR of its environment, or "" */
    bool fathom;             /* has loaded Fathom */
};

struct fm_targets {
    struct fm_target *items; /* sorted by rank */
    size_t n, capacity;
    uint32_t ranks;       /* size of the job, which may have more ranks on other hosts */
    const char *launcher; /* "Slurm", "mpirun", "" */
    const char *job_id;   /* of a batch system, or "" */
};

/* Returns FM_ERR_USAGE if there is no such process, or nothing to measure below it. */
enum fm_status fm_targets_find(struct fm_targets *targets, const pid_t *pids, size_t n, struct fm_arena *arena,
                               struct fm_error *error);
/* The processes of a job (attach/job.h) on this host; there may be none. */
enum fm_status fm_targets_of_job(struct fm_targets *targets, const char *key, struct fm_arena *arena,
                                 struct fm_error *error);

/* Whether a process has loaded an MPI library. */
bool fm_target_has_mpi(pid_t pid, struct fm_arena *arena);

#endif
