/* SPDX-License-Identifier: BSD-3-Clause */
/* The efficiency of ranks over some part of a run, in the definitions of the POP centre (pop-coe.eu). Work is the time
 * outside MPI; all factors are fractions, and each is the product of those below it:
 *
 *   parallel          mean work / wall time of the slowest rank
 *     load balance      mean work / longest work
 *     communication     longest work / wall time
 *       serialisation     what waiting for other ranks leaves, beyond load imbalance
 *       transfer          what the calls themselves leave
 *
 * The last two are estimates. POP takes them from a simulation of an ideal network; here time that
 * calls do not wait (analyse/balance/floor.h) is transfer. */
#ifndef FM_ANALYSE_EFFICIENCY_FACTORS_H
#define FM_ANALYSE_EFFICIENCY_FACTORS_H

#include "model/profile.h"

struct fm_factors {
    bool known; /* otherwise all are 0 */
    double parallel, load_balance, communication;
    bool estimated; /* otherwise the following are unknown, and 0 */
    double serialisation, transfer;
};

/* From wall times and times outside MPI of the same ranks. Unknown if there are none. */
struct fm_factors fm_factors_of(const struct fm_spread *wall_ns, const struct fm_spread *outside_ns);
/* Adds the estimates. transfer_ns: the time in calls of all these ranks in which they do not wait. */
void fm_factors_estimate(struct fm_factors *factors, const struct fm_spread *wall_ns, double transfer_ns);

/* The time outside MPI of all measured processes. */
struct fm_spread fm_outside_spread(const struct fm_profile *profile);
/* Of the whole run. Without estimates. */
struct fm_factors fm_factors_of_run(const struct fm_profile *profile);

#endif
