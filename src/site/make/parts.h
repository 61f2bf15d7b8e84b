/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of making a record. Private to this folder. */
#ifndef FM_SITE_MAKE_PARTS_H
#define FM_SITE_MAKE_PARTS_H

#include "site/make/make.h"

/* A copy that belongs to the record; "" if out of memory, or NULL was given. */
const char *fm_record_copy(struct fm_record *record, const char *text);

/* The lists, each with the most important items. */
enum fm_status fm_record_make_lists(struct fm_record *record, struct fm_report *report, struct fm_error *error);

/* Replaces names by keyed hashes, and removes texts that contain some. */
void fm_record_hide_names(struct fm_record *record, const struct fm_siphash_key *key);
/* "h" and 16 hexadecimal digits; "" stays. */
const char *fm_record_hashed(struct fm_record *record, const struct fm_siphash_key *key, const char *text);

#endif
