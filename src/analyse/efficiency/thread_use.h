/* SPDX-License-Identifier: BSD-3-Clause */
/* The second factor of a hybrid program: how well the threads of a process are used while the process is outside MPI,
 * from samples. Threads wait in thread run-times (analyse/calls/thread_runtimes.h): in barriers, and idle while one thread
 * works alone. While the process is in MPI, its other threads are idle too; that is part of the factor of MPI. */
#ifndef FM_ANALYSE_EFFICIENCY_THREAD_USE_H
#define FM_ANALYSE_EFFICIENCY_THREAD_USE_H

#include "analyse/calls/calltree.h"

struct fm_thread_use {
    bool known;        /* sampled, with threads of a thread run-time */
    double threads;    /* of a process, on average between the start and the end of MPI */
    double efficiency; /* time in which threads work / time of all threads outside MPI */
    double error;      /* half the width of its 95 % interval, because it is sampled */
};

/* tree: calls, beginning with main and without threads of MPI itself. Uses the marks of its contexts. wall_ns, outside_ns:
 * measured sums over ranks. */
struct fm_thread_use fm_thread_use_find(struct fm_calltree *calls, uint64_t period_ns, uint64_t wall_ns,
                                        uint64_t outside_ns);

#endif
