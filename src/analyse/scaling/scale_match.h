/* SPDX-License-Identifier: BSD-3-Clause */
/* Which children of a joined context correspond: part of scale_join.c. */
#ifndef FM_ANALYSE_SCALING_SCALE_MATCH_H
#define FM_ANALYSE_SCALING_SCALE_MATCH_H

#include "analyse/scaling/scale.h"

struct fm_scale_item {
    const struct fm_context *context;
    uint32_t run;
    uint32_t name, module, path; /* numbers of scale_names.h */
    uint32_t group;              /* the answer: equal for those that correspond, one of a run at most */
    bool by_name;                /* of the whole group */
};

struct fm_scale_group { /* within */
    uint32_t runs;
    uint32_t joined_to; /* another group; itself: none */
    uint32_t target;    /* at place i of those of one name: the i-th group that others are joined to */
    bool by_name;
};

/* Groups the children of one context and sorts them by group and run. alike[run]: the runs that have the same code here,
 * itself at least, as bits: in these lines are where they are, and nothing is paired by name. groups: room for as many
 * as there are items. */
void fm_scale_match(struct fm_scale_item *items, size_t n, const uint32_t *alike, struct fm_scale_group *groups);

#endif
