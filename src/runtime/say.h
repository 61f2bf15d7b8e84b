/* SPDX-License-Identifier: BSD-3-Clause */
/* What the runtime has to say to the user by itself: a sentence or two on standard error, once a job, when a setting is
 * not understood or the profile cannot be written where it was wanted. Under `fathom run` around a launcher that one
 * speaks. */
#ifndef FM_RUNTIME_SAY_H
#define FM_RUNTIME_SAY_H

#include "base/error.h"

/* As soon as a process is measured, if it is. */
void fm_say_begin(void);
/* When the rank is known: the first one tells of settings. */
void fm_say_settings(int rank);
/* By whoever was to write the profile. error: why not where it was to be; path: where it is instead, or NULL. */
void fm_say_output(const struct fm_error *error, const char *path);

#endif
