/* SPDX-License-Identifier: BSD-3-Clause */
/* Merges profiles: associative and commutative, with the empty profile as identity; exact, because all numbers are
 * integers. */
#ifndef FM_MERGE_MERGE_H
#define FM_MERGE_MERGE_H

#include "model/profile.h"

/* Merges `from` into `into` (copies what it needs; `from` is unchanged). Fails with FM_ERR_INPUT if the job keys
 * differ. */
enum fm_status fm_profile_merge(struct fm_profile *into, const struct fm_profile *from, struct fm_error *error);

#endif
