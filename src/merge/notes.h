/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes about the measurement, and the limit on single processes' subtotals that makes one. */
#ifndef FM_MERGE_NOTES_H
#define FM_MERGE_NOTES_H

#include "model/note_codes.h"
#include "model/profile.h"

enum { FM_MAX_SNAPSHOTS = 1000 };

/* Adds a note, or adds to the one with the same code and argument ("" when it has none). `ranks` may be empty. false: no
 * memory. */
bool fm_profile_note(struct fm_profile *profile, enum fm_note_code code, const char *argument, uint64_t amount,
                     const struct fm_rankset *ranks);

/* The profile is one host's part of a job, which the other hosts may add theirs to; and now it has all of them. */
bool fm_profile_note_part(struct fm_profile *profile);
void fm_profile_forget_part(struct fm_profile *profile);

/* Samples were taken from outside, of these ranks: nothing else is known of them, no calls, regions or timers. */
bool fm_profile_note_outside(struct fm_profile *profile, const struct fm_rankset *ranks);
bool fm_profile_is_from_outside(const struct fm_profile *profile);

/* Keeps the first FM_MAX_SNAPSHOTS subtotals of single processes in their order (label, order, rank) and notes how
 * many were left out. The first ones of a union are the first ones of the parts' first ones, so merging stays
 * independent of its order. */
bool fm_profile_limit_snapshots(struct fm_profile *profile);

#endif
