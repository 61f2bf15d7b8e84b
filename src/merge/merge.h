/* SPDX-License-Identifier: BSD-3-Clause */
/* Merging profiles: associative, commutative, with the empty profile as identity; exact, because all is integers. */
#ifndef FM_MERGE_MERGE_H
#define FM_MERGE_MERGE_H

#include "model/profile.h"

/* Adds `from` to `into` (copies what it needs; `from` stays as it was). Different job keys: FM_ERR_INPUT. */
enum fm_status fm_profile_merge(struct fm_profile *into, const struct fm_profile *from, struct fm_error *error);

#endif
