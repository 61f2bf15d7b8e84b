/* SPDX-License-Identifier: BSD-3-Clause */
/* The orders that the arrays of a profile are sorted by. Where profile.h asks for more than the key to tell two
 * items apart (two processes of one rank), the whole content decides, so that merging does not depend on its order. */
#ifndef FM_MODEL_ORDER_H
#define FM_MODEL_ORDER_H

#include "model/lists.h"

static inline int fm_compare_number(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

int fm_compare_text(const char *a, const char *b);
/* By those fields that merge in one way, in their order. */
int fm_fields_compare(const struct fm_fields *fields, const void *a, const void *b, enum fm_field_merge which);
int fm_site_compare(const struct fm_site *a, const struct fm_site *b);
int fm_misuse_compare(const struct fm_misuse *a, const struct fm_misuse *b);
int fm_event_key_compare(const struct fm_event_key *a, const struct fm_event_key *b);
int fm_edge_compare(const struct fm_edge *a, const struct fm_edge *b);
int fm_note_compare(const struct fm_note *a, const struct fm_note *b);
int fm_process_compare(const struct fm_process *a, const struct fm_process *b);
/* Two collective snapshots compare equal when they are parts of the same one. */
int fm_snapshot_compare(const struct fm_snapshot *a, const struct fm_snapshot *b);
/* Everything that is taken from one process as a whole: strings, arguments, environment. */
int fm_job_compare(const struct fm_job *a, const struct fm_job *b);

#endif
