/* SPDX-License-Identifier: BSD-3-Clause */
/* The sort orders of the arrays of a profile. Where the key in profile.h does not distinguish two items (two processes
 * of one rank), their whole content is compared, so that the result does not depend on the order of merging. */
#ifndef FM_MODEL_ORDER_H
#define FM_MODEL_ORDER_H

#include "model/lists.h"

static inline int fm_compare_number(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

int fm_compare_text(const char *a, const char *b);
/* Compares those fields that are merged in this way, in order. */
int fm_fields_compare(const struct fm_fields *fields, const void *a, const void *b, enum fm_field_merge which);
int fm_site_compare(const struct fm_site *a, const struct fm_site *b);
int fm_misuse_compare(const struct fm_misuse *a, const struct fm_misuse *b);
int fm_event_key_compare(const struct fm_event_key *a, const struct fm_event_key *b);
int fm_edge_compare(const struct fm_edge *a, const struct fm_edge *b);
int fm_note_compare(const struct fm_note *a, const struct fm_note *b);
int fm_process_compare(const struct fm_process *a, const struct fm_process *b);
/* Two collective snapshots are equal if they are parts of the same one. */
int fm_snapshot_compare(const struct fm_snapshot *a, const struct fm_snapshot *b);
/* Compares everything that is taken from one process as a whole: strings, arguments, environment. */
int fm_job_compare(const struct fm_job *a, const struct fm_job *b);

#endif
