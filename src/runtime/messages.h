/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of the runtime itself to the user: a sentence or two on standard error, once per job, when a setting is invalid
 * or the profile cannot be written where it was requested. Under a `fathom run` that starts the launcher, that command
 * reports it instead. */
#ifndef FM_RUNTIME_MESSAGES_H
#define FM_RUNTIME_MESSAGES_H

#include "base/error.h"

/* As soon as the process is measured. */
void fm_messages_begin(void);
/* When the rank is known: rank 0 reports invalid settings. */
void fm_messages_settings(int rank);
/* By the process that writes the profile. error: why it is not where it was requested; path: where it is, or NULL. */
void fm_messages_output(const struct fm_error *error, const char *path);

#endif
