/* Costs of the same ranks in several places, added up: a function's in all the addresses that a profile has of it.
 *
 * A sum is always exact. Of the ranks a cost knows only those with most and with least, so the spread of a sum is exact
 * where there is one part, one rank or two; else an estimate: ranks that are not known to differ have the mean of what
 * the known ones leave. */
#ifndef FM_ANALYSE_CALLS_CONTEXT_COST_H
#define FM_ANALYSE_CALLS_CONTEXT_COST_H

#include "model/paths.h"

struct fm_context_cost {
    struct fm_path_cost of;
    bool estimated; /* all but of.sum_ns */
};

/* What the others cannot have, even if all have the most, every rank has: mends the least of an estimate. */
void fm_context_cost_fit(struct fm_path_cost *sum, uint32_t ranks);
/* ranks: how many the job has. */
void fm_context_cost_add(struct fm_context_cost *into, const struct fm_context_cost *part, uint32_t ranks);

#endif
