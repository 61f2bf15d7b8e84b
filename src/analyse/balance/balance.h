/* SPDX-License-Identifier: BSD-3-Clause */
/* Load balance as seen in MPI: the ranks sorted by their time in MPI, and the jumps in that
 * order. Ranks with more work arrive late, so they spend less time in MPI than those that wait.
 *
 *   MPI time   ______________________
 *             |      <- a jump
 *   __________|
 *    group 0          group 1          ranks, least MPI time first
 *
 * A jump is a gap between neighbours that is more than FM_JUMP_OF_WALL of the mean wall time and more than
 * FM_JUMP_OVER_TYPICAL times the median of the other gaps. Only the largest ones count, so that there
 * are at most FM_MAX_GROUPS groups. Ranks that are not uneven are one group. The result depends only on the profile. */
#ifndef FM_ANALYSE_BALANCE_BALANCE_H
#define FM_ANALYSE_BALANCE_BALANCE_H

#include <math.h>

#include "model/profile.h"

enum { FM_MAX_GROUPS = 6, FM_JUMP_OVER_TYPICAL = 3, FM_MAX_HEAVY = 8 };
/* Smaller differences occur in repeated runs of a balanced program: its ranks do not start at the same moment, read files
 * from a cold cache, and share their cores with the system. */
#define FM_JUMP_OF_WALL 0.05

/* The least difference between ranks that is not such noise. A core that shares its execution units, caches or memory with
 * others (hyperthreads, virtual machines) is up to 40 % slower for a second or so, in which the process does run. That
 * averages out in proportion to the square root of the time: the difference must be a quarter of a run of a second or less,
 * and of longer ones that divided by the root of their seconds. */
static inline double fm_uneven_least_ns(double wall_ns)
{
    double disturbance = wall_ns > 1e9 ? wall_ns / 4 / sqrt(wall_ns / 1e9) : wall_ns / 4;
    double least = FM_JUMP_OF_WALL * wall_ns > disturbance ? FM_JUMP_OF_WALL * wall_ns : disturbance;
    return least > 20e6 ? least : 20e6;
}

struct fm_balance_rank {
    uint32_t rank;
    uint64_t mpi_ns, wall_ns;
    uint64_t outside_ns;     /* wall time outside MPI */
    uint64_t not_running_ns; /* of that, not running, at least (core_use.h); 0 if unknown */
    uint64_t work_ns;        /* outside MPI, without the time without a CPU if that is measured (split.h) */
    uint64_t io_ns;          /* of that, in files; 0 if unknown */
    uint64_t work_least_ns, work_most_ns; /* work, with certainty; outside_ns if nothing is known or missing */
    bool lacked_core;                     /* more ranks than cores, or without a CPU for part of the time */
};

struct fm_balance_group {
    size_t first, n; /* in `order` */
    struct fm_rankset ranks;
    double mean_ns;                               /* mean MPI time of its ranks */
    double difference_ns;                         /* to the mean of all other ranks; 0 if there are none */
    double not_running_ns, others_not_running_ns; /* means of its ranks, and of all other ranks */
    uint64_t jump_ns;                             /* gap below this group; 0 for the first */
};

/* A routine heavy enough to be shown separately, with its time on each rank in the order of `order`. */
struct fm_balance_routine {
    const struct fm_routine_total *routine;
    const uint64_t *time_ns; /* NULL if the profile has no values per rank */
};

/* Whether the ranks had different amounts of work, or waited outside MPI for different times. */
enum fm_evenness {
    FM_EVEN,
    FM_UNEVEN,
    FM_UNKNOWN_EVENNESS, /* the differences can be due to missing cores */
};

/* Ranks that reach MPI_Finalize later than the others because they worked longer. The others wait for them there, where
 * nothing is measured, so their MPI times do not show it. */
struct fm_balance_end {
    enum fm_evenness evenness;
    struct fm_rankset late; /* empty if even */
    double later_ns;        /* mean wall time of these ranks minus that of the others; 0 if even */
    bool not_work;          /* at least half of that they were not running */
};

struct fm_balance {
    enum fm_evenness evenness;
    struct fm_balance_end end;
    struct fm_balance_rank *order; /* least MPI time first, then by rank */
    size_t n;
    struct fm_balance_group *groups; /* of ranks between jumps, to be shown: one group unless uneven; none if n == 0 */
    size_t n_groups;
    struct fm_balance_group *jumps; /* the same, however it came about */
    size_t n_jumps;
    struct fm_balance_routine heavy[FM_MAX_HEAVY]; /* at least 1 % of the MPI time, heaviest first */
    size_t n_heavy;
    double mean_wall_ns;
};

enum fm_status fm_balance_find(const struct fm_profile *profile, struct fm_arena *arena, struct fm_balance *balance,
                               struct fm_error *error);

/* Compares the ranks with the least and the most time in MPI. They are uneven if both their MPI times and their times
 * outside MPI differ by at least fm_uneven_least_ns() of the mean wall time. The time in which they had no CPU does not
 * count: the least that one of them can have worked must be larger by as much than the most of the other. */
enum fm_evenness fm_balance_evenness(const struct fm_balance *balance);

/* Sets `end`, if the profile is complete. Ranks end late if both their wall times and their times outside MPI are longer
 * by at least fm_uneven_least_ns() than those of the others. Returns false if out of memory. */
bool fm_balance_find_end(struct fm_balance *balance, const struct fm_profile *profile, struct fm_arena *arena);

/* Only then do reports say which ranks wait. */
static inline bool fm_balance_is_uneven(const struct fm_balance *balance)
{
    return balance->evenness == FM_UNEVEN;
}

/* Whether the ranks of a group, or of all others, spent less time in MPI than the rest because they were not running,
 * rather than because they had more work: at least half of the difference is time in which they had no core. */
bool fm_balance_is_not_work(const struct fm_balance *balance, const struct fm_balance_group *group);

/* The least and the most MPI time of a rank of the group. */
static inline uint64_t fm_balance_group_min(const struct fm_balance *balance, const struct fm_balance_group *group)
{
    return balance->order[group->first].mpi_ns;
}

static inline uint64_t fm_balance_group_max(const struct fm_balance *balance, const struct fm_balance_group *group)
{
    return balance->order[group->first + group->n - 1].mpi_ns;
}

/* The values of a rank; NULL if it never called the routine, or if the profile has no values per rank. */
const struct fm_rank_value *fm_balance_value(const struct fm_routine_total *routine, uint32_t rank);
/* The time in a routine on a rank; 0 if it never called it. */
uint64_t fm_balance_time(const struct fm_routine_total *routine, uint32_t rank);

#endif
