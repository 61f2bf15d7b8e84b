/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the ranks differ by more than repeated runs of a balanced program do. */
#include "analyse/balance/balance.h"

/* Means over some ranks. */
struct side {
    double mpi_ns, outside_ns;
    double work_least_ns, work_most_ns; /* outside MPI, with a CPU */
    bool lacked_core;
};

static struct side side_of(const struct fm_balance_rank *ranks, size_t n)
{
    struct side side = {0};
    double share = 1 / (double)n;
    for (size_t i = 0; i < n; i++) {
        side.mpi_ns += share * (double)ranks[i].mpi_ns;
        side.outside_ns += share * (double)ranks[i].outside_ns;
        side.work_least_ns += share * (double)ranks[i].work_least_ns;
        side.work_most_ns += share * (double)ranks[i].work_most_ns;
        side.lacked_core = side.lacked_core || ranks[i].lacked_core;
    }
    return side;
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
    double difference = busy.outside_ns - waiting.outside_ns;
    double certain = busy.work_least_ns - waiting.work_most_ns;
    if (waiting.mpi_ns - busy.mpi_ns < least || difference < least)
        return FM_EVEN;
    if (certain >= least && 2 * certain >= difference)
        return FM_UNEVEN;
    return busy.lacked_core || waiting.lacked_core ? FM_UNKNOWN_EVENNESS : FM_EVEN;
}

bool fm_balance_is_not_work(const struct fm_balance *balance, const struct fm_balance_group *group)
{
    double more = group->not_running_ns - group->others_not_running_ns;
    if (balance->n_groups < 2)
        return false;
    return group->difference_ns < 0 ? 2 * more >= -group->difference_ns : -2 * more >= group->difference_ns;
}
