/* SPDX-License-Identifier: BSD-3-Clause */
/* The time of the ranks, split into what they did: the program itself, MPI, file I/O, and waiting for a CPU. Each second
 * counts once: the four add up exactly to the wall time.
 *
 *   wall  |------------------------------------------------------------|
 *         | program                      | MPI               | I/O     |   by the clock
 *         | program            | no CPU  | MPI      | no CPU | I/O |nC |   and without the time without a CPU
 *
 * A thread that waits for a CPU does so inside the program, inside MPI (that spins) or inside a file operation; the
 * kernel tells only the sum. It is taken from the three in proportion to their times, as if a thread loses its CPU
 * anywhere with the same probability. So MPI time and program time here are less than those by the clock.
 *
 * What is unknown is 0, and contained in the others: time without a CPU, and I/O in the program. */
#ifndef FM_ANALYSE_BALANCE_SPLIT_H
#define FM_ANALYSE_BALANCE_SPLIT_H

#include "model/profile.h"

struct fm_split {
    uint64_t wall_ns;
    uint64_t program_ns, mpi_ns, io_ns, no_cpu_ns;
    bool knows_io, knows_no_cpu; /* of a sum: for any process */
};

/* MPI time in several threads at once counts only up to the wall time. */
struct fm_split fm_split_of(const struct fm_process *process);

/* Over all measured processes. */
struct fm_split fm_split_total(const struct fm_profile *profile);

/* The MPI time of a split, divided by what calls take above their floor (floor.h): an estimate. The two add up to mpi_ns.
 * The share of waiting is that of all calls by the clock, because nothing tells in which calls a rank had no CPU. Unknown
 * without durations of calls, or if they cover the run only in part. */
struct fm_split_mpi {
    uint64_t waiting_ns, transfer_ns;
    bool known;
};
enum fm_status fm_split_mpi(const struct fm_profile *profile, const struct fm_split *total, struct fm_arena *arena,
                            struct fm_split_mpi *mpi, struct fm_error *error);

/* Of each rank, sorted by rank; a rank can have several processes in succession (exec). Without processes that died
 * before their rank was known. */
struct fm_split_rank {
    uint32_t rank;
    struct fm_split split;
};
struct fm_split_ranks {
    struct fm_split_rank *items;
    size_t n;
};
bool fm_split_ranks(const struct fm_profile *profile, struct fm_arena *arena, struct fm_split_ranks *ranks);

#endif
