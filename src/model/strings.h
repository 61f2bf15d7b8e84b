/* SPDX-License-Identifier: BSD-3-Clause */
/* The strings of a profile: each distinct string is stored once in its arena, however many profiles are merged into
 * it. */
#ifndef FM_MODEL_STRINGS_H
#define FM_MODEL_STRINGS_H

#include "model/profile.h"

/* The profile's own copy of `text`; NULL if out of memory. */
const char *fm_profile_intern(struct fm_profile *profile, const char *text);

#endif
