/* SPDX-License-Identifier: BSD-3-Clause */
/* The benchmarks: each times a number of calls in a row, on the ranks of one communicator. Benchmarks of messages need
 * two ranks and time several routines at once; those of collectives time one. */
#ifndef FM_SITE_MEASURE_BENCH_H
#define FM_SITE_MEASURE_BENCH_H

#include <stdbool.h>
#include <stddef.h>

#include "site/measure/library.h"

enum { FM_BENCH_ROUTINES = 3 };

/* The ranks that measure, and their memory. */
struct fm_bench_group {
    const struct fm_measure_mpi *mpi;
    fm_word comm;
    int rank, ranks;
    char *send, *receive; /* of `room` bytes each */
    size_t room;
    int *counts, *places; /* `ranks` of each, for the v-forms */
};

struct fm_bench {
    const char *routines[FM_BENCH_ROUTINES]; /* NULL: no more */
    /* Bytes of a call as doc/BYTES.md counts them, for a size and number of ranks: near the size. */
    size_t (*bytes)(size_t size, int ranks);
    /* Bytes of the larger buffer. */
    size_t (*room)(size_t size, int ranks);
    /* Makes this many calls; seconds[i] is the time of one of routines[i] on this rank. */
    void (*run)(const struct fm_bench_group *group, const struct fm_bench *bench, size_t size, int calls,
                double seconds[FM_BENCH_ROUTINES]);
    void (*call)(const struct fm_bench_group *group, size_t size, int root); /* one call of a collective */
    double share; /* of the bytes that a call of routines[0] gets: of two MPI_Wait, each half; 0: all */
    bool once;    /* without data: only one size */
};

extern const struct fm_bench fm_message_benches[], fm_collective_benches[];
extern const size_t fm_message_bench_count, fm_collective_bench_count;

#endif
