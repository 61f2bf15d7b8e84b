/* SPDX-License-Identifier: BSD-3-Clause */
/* Determines from the environment, before MPI is initialised, which job this process belongs to. */
#ifndef FM_RUNTIME_JOB_H
#define FM_RUNTIME_JOB_H

#include <stdbool.h>

struct fm_job_place {
    char key[72];         /* the same in all processes of the job on this host */
    bool single_node;     /* all processes of the job are on this host */
    bool spawned;         /* by MPI_Comm_spawn */
    bool all_measured;    /* the library is certainly loaded in every rank of the job; all ranks agree on this */
    int local_size;       /* processes of the job on this host, 0 = unknown */
    int neighbours;       /* processes that a launcher started here, of this job or not: they share the memory */
    int rank, world_size; /* as given by the launcher; -1 and 0 if unknown. MPI_Init overrides them */
    const char *launcher; /* "Slurm", "PBS", "LSF", "Flux", "mpirun", "" */
    char id[64];          /* the batch system's job id, or date and pid */
};

/* alone: a program without MPI is a job of its own, whatever the environment says. */
void fm_job_find(struct fm_job_place *place, bool alone);
/* Returns true if, according to `fathom run`, every rank is measured. Makes no system call. */
bool fm_job_all_measured(void);

#endif
