/* SPDX-License-Identifier: BSD-3-Clause */
/* Which job this process belongs to, told from its environment before MPI is initialised. */
#ifndef FM_RUNTIME_JOB_H
#define FM_RUNTIME_JOB_H

#include <stdbool.h>

struct fm_job_place {
    char key[72];         /* the same in all processes of the job on this host */
    bool single_node;     /* all processes of the job are on this host */
    bool spawned;         /* by MPI_Comm_spawn */
    bool all_measured;    /* it is certain that every rank of the job has the library in it; all ranks judge alike */
    int local_size;       /* processes on this host, 0 = unknown */
    int neighbours;       /* processes that a launcher started here, of the job or not: they share the room */
    int rank, world_size; /* as the launcher tells them; -1 and 0 where it does not. MPI_Init has the last word */
    const char *launcher; /* "Slurm", "PBS", "LSF", "Flux", "mpirun", "" */
    char id[64];          /* the batch system's job id, or date and pid */
};

/* alone: a program without MPI, a job of its own whatever the environment says. */
void fm_job_find(struct fm_job_place *place, bool alone);
/* Whether `fathom run` says that every rank is measured; without a system call. */
bool fm_job_all_measured(void);

#endif
