/* SPDX-License-Identifier: BSD-3-Clause */
/* The strings of a profile: every distinct text lies once in its arena, however often profiles are merged into it. */
#ifndef FM_MODEL_STRINGS_H
#define FM_MODEL_STRINGS_H

#include "model/profile.h"

/* The profile's own copy of `text`, or NULL without memory. */
const char *fm_profile_intern(struct fm_profile *profile, const char *text);

#endif
