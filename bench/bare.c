/* SPDX-License-Identifier: BSD-3-Clause */
/* The floor that Fathom is compared with: a preloaded interposer for the benchmarked routines which reads the clock
 * before and after a call and keeps five numbers. No call sites, sizes, partners, threads, regions or histograms. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>

#include "base/clock.h"

struct counters {
    uint64_t calls, ticks, shortest, longest, items;
};

static struct fm_clock clock_of_processor; /* zero: the cycle counter */

static inline uint64_t ticks(void)
{
    return fm_clock_ticks(&clock_of_processor);
}

static inline void count(struct counters *c, uint64_t start, int items)
{
    uint64_t took = ticks() - start;
    c->calls++;
    c->ticks += took;
    c->items += (uint64_t)items;
    if (took > c->longest)
        c->longest = took;
    if (took - 1 < c->shortest - 1) /* 0 is "none yet" */
        c->shortest = took;
}

/* name, parameters with types, their names, number of items */
#define INTERPOSE_AS(name, parameters, arguments, items)       \
    int name parameters                                        \
    {                                                          \
        static int(*next) parameters;                          \
        static struct counters counters;                       \
        if (__builtin_expect(!next, 0))                        \
            next = (int(*) parameters)dlsym(RTLD_NEXT, #name); \
        uint64_t start = ticks();                              \
        int result = next arguments;                           \
        count(&counters, start, items);                        \
        return result;                                         \
    }
#define INTERPOSE(name, parameters, arguments, items)      \
    INTERPOSE_AS(MPI_##name, parameters, arguments, items) \
    INTERPOSE_AS(PMPI_##name, parameters, arguments, items)

INTERPOSE(Comm_rank, (MPI_Comm comm, int *rank), (comm, rank), 0)
INTERPOSE(Test, (MPI_Request * request, int *flag, MPI_Status *status), (request, flag, status), 0)
INTERPOSE(Waitall, (int n, MPI_Request requests[], MPI_Status statuses[]), (n, requests, statuses), n)
INTERPOSE(Isend, (const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request),
          (data, n, type, to, tag, comm, request), n)
INTERPOSE(Irecv, (void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request),
          (data, n, type, from, tag, comm, request), n)
INTERPOSE(Sendrecv,
          (const void *data, int n, MPI_Datatype type, int to, int tag, void *data2, int n2, MPI_Datatype type2,
           int from, int tag2, MPI_Comm comm, MPI_Status *status),
          (data, n, type, to, tag, data2, n2, type2, from, tag2, comm, status), n)
INTERPOSE(Allreduce, (const void *data, void *sum, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
          (data, sum, n, type, op, comm), n)
