/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/efficiency/factors.h"

#include "analyse/balance/core_use.h"
#include "analyse/balance/summary.h"

static double mean_of(const struct fm_spread *spread)
{
    return fm_ratio((double)spread->sum, spread->ranks);
}

struct fm_factors fm_factors_of(const struct fm_spread *wall_ns, const struct fm_spread *outside_ns)
{
    struct fm_factors factors = {
        .known = wall_ns->ranks && wall_ns->max && outside_ns->ranks,
        .load_balance = fm_ratio(mean_of(outside_ns), (double)outside_ns->max),
        .communication = fm_ratio((double)outside_ns->max, (double)wall_ns->max),
    };
    factors.parallel = factors.load_balance * factors.communication;
    return factors;
}

void fm_factors_estimate(struct fm_factors *factors, const struct fm_spread *wall_ns, double transfer_ns)
{
    double transfer = 1 - fm_ratio(fm_ratio(transfer_ns, wall_ns->ranks), (double)wall_ns->max);
    if (!factors->known || factors->communication <= 0)
        return;
    factors->estimated = true;
    factors->transfer = transfer > factors->communication ? transfer : factors->communication;
    factors->serialisation = factors->communication / factors->transfer;
}

static bool is_measured(const struct fm_process *process)
{
    return process->end != FM_END_MISSING;
}

struct fm_spread fm_outside_spread(const struct fm_profile *profile)
{
    struct fm_spread outside = {0};
    for (size_t i = 0; i < profile->n_processes; i++)
        if (is_measured(&profile->processes[i]))
            fm_spread_add(&outside, fm_outside_mpi(&profile->processes[i]), profile->processes[i].rank);
    return outside;
}

struct fm_factors fm_factors_of_run(const struct fm_profile *profile)
{
    struct fm_spread wall = {0}, outside = fm_outside_spread(profile);
    for (size_t i = 0; i < profile->n_processes; i++)
        if (is_measured(&profile->processes[i]))
            fm_spread_add(&wall, profile->processes[i].wall_ns, profile->processes[i].rank);
    return fm_factors_of(&wall, &outside);
}
