/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the ranks of a run had cores of their own. If they did not, because there are more ranks than cores or because
 * other programs run on them, every time includes waiting for a core, and says little about the program.
 *
 * The sign of it is the time in which a process could run and had no CPU, which the kernel measures. In profiles that do
 * not have it, the signs are more ranks than cores on a host, and preemptions: a process on a core of its own is hardly
 * ever switched out against its will. In profiles that do not have the context switches either, the sign is that
 * processes used less CPU time than they were outside MPI; that can be waiting for files as well. Inside MPI, CPU time
 * says nothing: waiting may spin or sleep. */
#ifndef FM_ANALYSE_BALANCE_CORE_USE_H
#define FM_ANALYSE_BALANCE_CORE_USE_H

#include "model/profile.h"

#define FM_NO_CPU_LEAST 0.05    /* of the time of all processes: less is the system itself */
#define FM_NO_CPU_RANK 0.10     /* of the time of one process: the others wait for it */
#define FM_NO_CPU_LEAST_NS 20e6 /* of a process: less is starting it */
#define FM_PREEMPTIONS_MOST 20  /* per second of CPU time; each takes some ms, so more are some percent of the time */
#define FM_RUNNING_LEAST 0.85   /* of the time outside MPI */

#define FM_NO_CPU_UNKNOWN (-1.0)

enum fm_cores_lack { FM_CORES_ENOUGH, FM_CORES_FEWER_THAN_RANKS, FM_CORES_PREEMPTED, FM_CORES_NOT_RUNNING };

struct fm_core_use {
    enum fm_cores_lack lack;
    uint32_t ranks, cores; /* of the host with the most ranks per core; 0 if the number of cores is unknown */
    bool bound;            /* these ranks are bound to these cores of a host that has more */
    double no_cpu;         /* time without a CPU / wall time over all processes; FM_NO_CPU_UNKNOWN if unknown */
    double no_cpu_ns;      /* time without a CPU over all processes; 0 if unknown */
    double no_cpu_most;    /* the same as no_cpu, of the process with the largest; 0 if unknown */
    uint32_t no_cpu_rank;  /* its rank */
    uint32_t processes;    /* for which it is known */
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

/* The time outside MPI in which a process had no CPU, at least and at most, in ns. The kernel tells only the sum over the
 * whole run: at least what does not fit inside MPI was outside it, and at most all. Where it does not tell: at least
 * fm_not_running(), and at most what is missing if MPI never sleeps. */
struct fm_no_cpu {
    uint64_t least, most;
    bool measured;
};
struct fm_no_cpu fm_no_cpu_outside(const struct fm_process *process);

/* "4 ranks on 2 cores", "4 ranks bound to the same 2 cores". */
enum { FM_RANKS_ON_CORES_CHARS = 64 };
const char *fm_ranks_on_cores(char text[FM_RANKS_ON_CORES_CHARS], const struct fm_core_use *use);

/* "The ranks had no CPU for 23 % of their time (rank 1: 30 %): 4 ranks on 2 cores", if it is measured and ranks lacked
 * cores; "" if not. NULL if out of memory. */
const char *fm_no_cpu_text(const struct fm_core_use *use, struct fm_arena *arena);

#endif
