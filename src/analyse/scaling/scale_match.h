/* SPDX-License-Identifier: BSD-3-Clause */
/* Matches the children of a joined context across runs: part of scale_join.c. */
#ifndef FM_ANALYSE_SCALING_SCALE_MATCH_H
#define FM_ANALYSE_SCALING_SCALE_MATCH_H

#include "analyse/scaling/scale.h"

struct fm_scale_item {
    const struct fm_context *context;
    uint32_t run;
    uint32_t name, module, path; /* from scale_names.h */
    uint32_t group;              /* result: equal for matching items, at most one per run */
    bool by_name;                /* result, for the whole group */
};

struct fm_scale_group { /* internal */
    uint32_t runs;
    uint32_t joined_to; /* another group, or itself if none */
    uint32_t target;    /* entry i of the groups with one name: the i-th group that others are joined to */
    bool by_name;
};

/* Groups the children of one context and sorts them by group and run. alike[run]: bit mask of the runs with the same
 * code here, including itself; in these, lines do not move, so nothing is matched by name. groups: space for n
 * groups. */
void fm_scale_match(struct fm_scale_item *items, size_t n, const uint32_t *alike, struct fm_scale_group *groups);

#endif
