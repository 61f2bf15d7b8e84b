/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes about the measurement, and the limit on snapshots of single processes, which adds one. */
#ifndef FM_MERGE_NOTES_H
#define FM_MERGE_NOTES_H

#include "model/note_codes.h"
#include "model/profile.h"

enum { FM_MAX_SNAPSHOTS = 1000 };

/* Adds a note, or adds to the one with the same code and argument ("" if it has none). `ranks` may be empty. Returns
 * false if out of memory. */
bool fm_profile_note(struct fm_profile *profile, enum fm_note_code code, const char *argument, uint64_t amount,
                     const struct fm_rankset *ranks);

/* Marks the profile as one host's part of a job, to which other hosts may add theirs; and removes the mark when it is
 * complete. */
bool fm_profile_note_part(struct fm_profile *profile);
void fm_profile_forget_part(struct fm_profile *profile);

/* These ranks were sampled from outside: nothing else is known about them, no calls, regions or timers. */
bool fm_profile_note_outside(struct fm_profile *profile, const struct fm_rankset *ranks);
bool fm_profile_is_from_outside(const struct fm_profile *profile);

/* Keeps the first FM_MAX_SNAPSHOTS snapshots of single processes by label, order and rank, and adds a note with the
 * number of those dropped. The first ones of a union are among the first ones of its parts, so the order of merging
 * does not matter. */
bool fm_profile_limit_snapshots(struct fm_profile *profile);

#endif
