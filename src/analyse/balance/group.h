/* SPDX-License-Identifier: BSD-3-Clause */
/* Aggregates events: by call site, by size, by region, ... The events of a profile have a fine-grained key; a view
 * chooses which parts of the key to keep. */
#ifndef FM_ANALYSE_BALANCE_GROUP_H
#define FM_ANALYSE_BALANCE_GROUP_H

#include "model/profile.h"

/* Parts of struct fm_event_key to keep. */
enum {
    FM_BY_ROUTINE = 1,
    FM_BY_REGION = 2,
    FM_BY_SIZE = 4,
    FM_BY_COMM = 8,
    FM_BY_SITE = 16,
};

/* The keys contain only the requested parts; the others are "" or 0. */
struct fm_groups {
    struct fm_event *items; /* longest time first, then by key */
    size_t n;
};

enum fm_status fm_group_events(const struct fm_profile *profile, unsigned parts, struct fm_arena *arena,
                               struct fm_groups *groups, struct fm_error *error);

#endif
