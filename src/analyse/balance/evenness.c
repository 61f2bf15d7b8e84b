/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the ranks differ by more than repeated runs of a balanced program do. */
#include "analyse/balance/balance.h"

#include <stdlib.h>

#include "model/order.h"

/* Means over some ranks. */
struct side {
    double wall_ns, mpi_ns, outside_ns, not_running_ns;
    double work_least_ns, work_most_ns; /* outside MPI, with a CPU */
    bool lacked_core;
};

static void side_add(struct side *side, const struct fm_balance_rank *rank, double share)
{
    side->wall_ns += share * (double)rank->wall_ns;
    side->mpi_ns += share * (double)rank->mpi_ns;
    side->outside_ns += share * (double)rank->outside_ns;
    side->not_running_ns += share * (double)rank->not_running_ns;
    side->work_least_ns += share * (double)rank->work_least_ns;
    side->work_most_ns += share * (double)rank->work_most_ns;
    side->lacked_core = side->lacked_core || rank->lacked_core;
}

static struct side side_of(const struct fm_balance_rank *ranks, size_t n)
{
    struct side side = {0};
    for (size_t i = 0; i < n; i++)
        side_add(&side, &ranks[i], 1 / (double)n);
    return side;
}

/* Of sides that differ by the clock. */
static enum fm_evenness evenness_of(const struct side *busy, const struct side *waiting, double least)
{
    double difference = busy->outside_ns - waiting->outside_ns;
    double certain = busy->work_least_ns - waiting->work_most_ns;
    if (difference < least)
        return FM_EVEN;
    if (certain >= least && 2 * certain >= difference)
        return FM_UNEVEN;
    return busy->lacked_core || waiting->lacked_core ? FM_UNKNOWN_EVENNESS : FM_EVEN;
}

enum fm_evenness fm_balance_evenness(const struct fm_balance *balance)
{
    if (balance->n < 2)
        return FM_EVEN;
    bool groups = balance->n_groups > 1;
    const struct fm_balance_group *last = &balance->groups[balance->n_groups - 1];
    struct side busy = side_of(balance->order, groups ? balance->groups[0].n : 1);
    struct side waiting = groups ? side_of(balance->order + last->first, last->n)
                                 : side_of(balance->order + balance->n - 1, 1);
    double least = fm_uneven_least_ns(balance->mean_wall_ns);
    return waiting.mpi_ns - busy.mpi_ns < least ? FM_EVEN : evenness_of(&busy, &waiting, least);
}

static bool is_late(const struct fm_balance *balance, size_t i)
{
    return (double)balance->order[i].wall_ns > balance->mean_wall_ns;
}

static int by_rank(const void *a, const void *b)
{
    return fm_compare_number(*(const uint32_t *)a, *(const uint32_t *)b);
}

/* In ascending order, which keeps a set of many ranges cheap to build. */
static bool list_late(struct fm_balance *balance, size_t n, struct fm_arena *arena)
{
    uint32_t *ranks = fm_arena_alloc(arena, n * sizeof *ranks);
    size_t at = 0;
    for (size_t i = 0; ranks && i < balance->n; i++)
        if (is_late(balance, i))
            ranks[at++] = balance->order[i].rank;
    if (ranks)
        qsort(ranks, n, sizeof *ranks, by_rank);
    for (size_t i = 0; ranks && i < n; i++)
        if (!fm_rankset_add(&balance->end.late, arena, ranks[i], ranks[i]))
            return false;
    return ranks != NULL;
}

bool fm_balance_find_end(struct fm_balance *balance, const struct fm_profile *profile, struct fm_arena *arena)
{
    struct side late = {0}, others = {0};
    size_t n = 0;
    bool in_mpi = false;
    balance->end = (struct fm_balance_end){.evenness = FM_EVEN};
    for (size_t i = 0; i < balance->n; i++) {
        n += is_late(balance, i);
        in_mpi |= balance->order[i].mpi_ns > 0;
    }
    if (!n || n == balance->n || !in_mpi || !fm_profile_complete(profile))
        return true;
    for (size_t i = 0; i < balance->n; i++) {
        bool last = is_late(balance, i);
        side_add(last ? &late : &others, &balance->order[i], 1 / (double)(last ? n : balance->n - n));
    }
    double least = fm_uneven_least_ns(balance->mean_wall_ns), later = late.wall_ns - others.wall_ns;
    enum fm_evenness evenness = later < least ? FM_EVEN : evenness_of(&late, &others, least);
    if (evenness == FM_EVEN)
        return true;
    balance->end.evenness = evenness;
    balance->end.later_ns = later;
    balance->end.not_work = 2 * (late.not_running_ns - others.not_running_ns) >= later;
    return list_late(balance, n, arena);
}

bool fm_balance_is_not_work(const struct fm_balance *balance, const struct fm_balance_group *group)
{
    double more = group->not_running_ns - group->others_not_running_ns;
    if (balance->n_groups < 2)
        return false;
    return group->difference_ns < 0 ? 2 * more >= -group->difference_ns : -2 * more >= group->difference_ns;
}
