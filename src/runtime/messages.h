/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that the runtime itself prints on standard error: one or two lines per job, if a setting is invalid or the
 * profile cannot be written to the requested place. Under a `fathom run` around the launcher, that one prints them
 * instead. */
#ifndef FM_RUNTIME_MESSAGES_H
#define FM_RUNTIME_MESSAGES_H

#include "base/error.h"

/* Called when measurement starts. */
void fm_messages_begin(void);
/* Called when the rank is known: rank 0 reports invalid settings. */
void fm_messages_settings(int rank);
/* Called by the process that should have written the profile. error: why it could not be written to the requested
 * place; path: where it is instead, or NULL. */
void fm_messages_output(const struct fm_error *error, const char *path);

#endif
