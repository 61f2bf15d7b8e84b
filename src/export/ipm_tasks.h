/* SPDX-License-Identifier: BSD-3-Clause */
/* The MPI calls of each rank by routine, region and message size, as IPM's log has them.
 *
 * A profile has calls and times of each rank by routine, and those of all ranks by region and size. Both are kept: the
 * calls of a rank are divided in the ratio of the calls of all ranks that are not yet given to a rank, so that sums over
 * sizes and sums over ranks are exact; its time follows the mean time of such calls. Which rank made how many calls of one
 * size is therefore an estimate, unless there is one rank or one size. */
#ifndef FM_EXPORT_IPM_TASKS_H
#define FM_EXPORT_IPM_TASKS_H

#include "model/profile.h"

/* Events of a routine in one region and size bin. */
struct fm_ipm_group {
    const char *routine, *region;
    uint32_t size_bin;
    uint64_t count, total_ns, bytes, min_ns, max_ns; /* of all ranks */
    uint64_t left;                                   /* calls not yet given to a rank */
    uint64_t task_count, task_ns;                    /* of the rank of the last fm_ipm_task() */
};

struct fm_ipm_tasks {
    const struct fm_profile *profile;
    struct fm_ipm_group *groups; /* sorted by routine, region, size */
    size_t n;
};

/* Memory comes from the arena. Returns false if there is not enough. */
bool fm_ipm_tasks_make(const struct fm_profile *profile, struct fm_arena *arena, struct fm_ipm_tasks *tasks);
/* Sets task_count and task_ns of all groups; to be called for each rank once, in ascending order. */
void fm_ipm_task(struct fm_ipm_tasks *tasks, uint32_t rank);

#endif
