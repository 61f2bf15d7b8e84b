/* SPDX-License-Identifier: BSD-3-Clause */
/* Worker threads of thread run-times. Their stacks begin in the run-time, not in main, and do not contain the function
 * that started the parallel region they work in:
 *
 *   main > step > GOMP_parallel > step._omp_fn.0 > flux        the thread that started the region
 *   gomp_thread_start > step._omp_fn.0 > flux                  its workers
 *
 * The body of a region belongs to one place in the source. If only one call path leads to it, the workers came that way,
 * and what they do in the body is shown there. */
#ifndef FM_ANALYSE_CALLS_WORKERS_H
#define FM_ANALYSE_CALLS_WORKERS_H

#include "analyse/calls/calltree.h"

/* The name of the context that keeps what is left of the workers: idle time, and bodies to which no call path or several
 * are known. */
#define FM_WORKERS "(worker threads)"

/* Moves what workers do in bodies of parallel regions to the call path that starts the region: that on which the same
 * body is found or, if it is found nowhere else, below the function that it was made from. For a tree that begins with
 * main; replaces it if there is anything to move. */
enum fm_status fm_calltree_join_workers(struct fm_calltree *calls, struct fm_error *error);

#endif
