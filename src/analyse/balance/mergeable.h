/* SPDX-License-Identifier: BSD-3-Clause */
/* Successive reductions that may be replaced by one: the program calls the same routine on the same communicator again,
 * without another MPI call between, and often so soon that it cannot have worked on an array with the result of the
 * call before. The calls move little data, and none sends what the one before has received. Whether the program computes
 * a few numbers from the result cannot be seen, so this is a question to its author. */
#ifndef FM_ANALYSE_BALANCE_MERGEABLE_H
#define FM_ANALYSE_BALANCE_MERGEABLE_H

#include "model/profile.h"

enum { FM_MERGEABLE_SITES = 8 };
#define FM_MERGEABLE_LEAST 0.01 /* of the time: cheaper ones are not worth a question */

/* The time of the second calls over all ranks; 0 if the two may not be one. */
uint64_t fm_mergeable_cost(const struct fm_profile *profile, const struct fm_succession *two);

/* Calls that may be one: each follows the one before. */
struct fm_mergeable {
    const char *routine;
    const struct fm_site *sites[FM_MERGEABLE_SITES]; /* in the order of the calls; one that follows itself, once */
    size_t n_sites;
    double times;     /* that the costliest two follow each other, average of a rank that makes these calls */
    uint64_t cost_ns; /* of all calls but the first of each series, over all ranks */
};

struct fm_mergeables {
    struct fm_mergeable *items; /* highest cost first */
    size_t n;
};

/* whole_ns: the time of all ranks. None in a profile of an older Fathom, which did not measure it. */
enum fm_status fm_mergeables_find(const struct fm_profile *profile, uint64_t whole_ns, struct fm_arena *arena,
                                  struct fm_mergeables *found, struct fm_error *error);

#endif
