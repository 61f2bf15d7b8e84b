/* SPDX-License-Identifier: BSD-3-Clause */
/* Events added up over what a reader does not ask about: per call site, per size, per region, ...
 * The profile's events are keyed finely; a view names the parts of the key it wants to keep. */
#ifndef FM_ANALYSE_BALANCE_GROUP_H
#define FM_ANALYSE_BALANCE_GROUP_H

#include "model/profile.h"

/* Parts of struct fm_event_key that stay apart. */
enum {
    FM_BY_ROUTINE = 1,
    FM_BY_REGION = 2,
    FM_BY_SIZE = 4,
    FM_BY_COMM = 8,
    FM_BY_SITE = 16,
};

/* The event `key` holds only the parts asked for; the others are "" or 0. */
struct fm_groups {
    struct fm_event *items; /* most time first, then by key */
    size_t n;
};

enum fm_status fm_group_events(const struct fm_profile *profile, unsigned parts, struct fm_arena *arena,
                               struct fm_groups *groups, struct fm_error *error);

#endif
