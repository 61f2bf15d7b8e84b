/* SPDX-License-Identifier: BSD-3-Clause */
/* Which processes are meant by the pids that a user gives: the ranks of the job.
 *
 * Of each pid and all that it has started those are taken that have an MPI library in them. Where there is none, a
 * pid stands for itself, and a launcher or a shell for the last in the chain of what it has started. Below one that is
 * taken nothing else is. */
#ifndef FM_ATTACH_TARGETS_H
#define FM_ATTACH_TARGETS_H

#include <stdint.h>

#include "attach/proc.h"
#include "base/error.h"

struct fm_target {
    pid_t pid;
    uint64_t start_time;   /* so that another process with its pid is not taken for it */
    uid_t owner;           /* who has started it; nobody if that is not known */
    uint32_t rank;         /* as its launcher told it, or by pid where none is known */
    const char *exe, *cwd; /* "" when not known */
    const char *build_id;  /* of exe; "" when not known */
    const char *arguments; /* NUL behind each */
    size_t arguments_bytes;
    const char *mpi;         /* "Open MPI", "MPICH", "" */
    const char *mpi_library; /* path, or "" */
    const char *directory;   /* FATHOM_DIR of its environment, or "" */
    bool fathom;             /* has Fathom in it */
};

struct fm_targets {
    struct fm_target *items; /* by rank */
    size_t n, capacity;
    uint32_t ranks;       /* size of the job, which may have more ranks elsewhere */
    const char *launcher; /* "Slurm", "mpirun", "" */
    const char *job_id;   /* of a batch system, or "" */
};

/* FM_ERR_USAGE: there is no such process, or nothing to be measured below it. */
enum fm_status fm_targets_find(struct fm_targets *targets, const pid_t *pids, size_t n, struct fm_arena *arena,
                               struct fm_error *error);
/* The processes of a job (attach/job.h) on this host, which may be none. */
enum fm_status fm_targets_of_job(struct fm_targets *targets, const char *key, struct fm_arena *arena,
                                 struct fm_error *error);

#endif
