/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the ranks of a run had cores of their own. If they did not, because there are more ranks than cores or because
 * other programs run on them, every time includes waiting for a core, and says little about the program.
 *
 * Signs of it are more ranks than cores on a host, and the time in which a process could run and had no CPU, which the
 * kernel measures. In profiles that do not have it, the sign is preemptions: a process on a core of its own is hardly
 * ever switched out against its will. In profiles that do not have the context switches either, the sign is that
 * processes used less CPU time than they were outside MPI; that can be waiting for files as well. Inside MPI, CPU time
 * says nothing: waiting may spin or sleep. */
#ifndef FM_ANALYSE_BALANCE_CORE_USE_H
#define FM_ANALYSE_BALANCE_CORE_USE_H

#include "model/profile.h"

#define FM_NO_CPU_LEAST 0.05   /* of the time: less is the system itself */
#define FM_PREEMPTIONS_MOST 20 /* per second of CPU time; each takes some ms, so more are some percent of the time */
#define FM_RUNNING_LEAST 0.85  /* of the time outside MPI */

#define FM_NO_CPU_UNKNOWN (-1.0)

enum fm_cores_lack { FM_CORES_ENOUGH, FM_CORES_FEWER_THAN_RANKS, FM_CORES_PREEMPTED, FM_CORES_NOT_RUNNING };

struct fm_core_use {
    enum fm_cores_lack lack;
    uint32_t ranks, cores; /* of the host with the most ranks per core; 0 if the number of cores is unknown */
    double no_cpu;         /* time without a CPU / wall time over all processes; FM_NO_CPU_UNKNOWN if unknown */
    double preemptions;    /* per second of CPU time, over all processes; 0 if unknown */
    double outside;        /* CPU time / time outside MPI, where that is less, over all processes; 1 if unknown */
    double running;        /* CPU time / wall time over all processes, at most 1; 1 if unknown */
};

struct fm_core_use fm_core_use(const struct fm_profile *profile);

/* Whether a process was without a CPU, or preempted, so much that it did not have a core of its own; false if unknown. */
bool fm_lacked_core(const struct fm_process *process);

/* The time of a process outside MPI, in ns. */
uint64_t fm_outside_mpi(const struct fm_process *process);

/* The time outside MPI in which a process did not run, in ns: it waited for a core, a file or something else. 0 if
 * unknown. This is the least that it can be: what is missing is taken to be missing inside MPI first. */
uint64_t fm_not_running(const struct fm_process *process);

/* The most of it that can be for lack of a core: all time without a CPU was outside MPI. If that time is unknown: MPI
 * never sleeps, and all CPU time that is missing is missing outside MPI. */
uint64_t fm_not_running_most(const struct fm_process *process);

#endif
