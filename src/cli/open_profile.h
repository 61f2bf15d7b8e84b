/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a profile given by the user, and reports what a newer version of Fathom has written and this one does not
 * know. */
#ifndef FM_CLI_OPEN_PROFILE_H
#define FM_CLI_OPEN_PROFILE_H

#include "base/error.h"
#include "model/profile.h"

/* Prints a message to stderr if anything was left out. `subject` begins the sentence, as in "job 4711 was measured". */
void fm_tell_left_out(const char *command, const char *subject, const struct fm_left_out *left_out);

/* Like fm_profile_read, and reports what was left out. If `program` is not NULL, the profile of this program of the job
 * (analyse/programs/part.h). */
enum fm_status fm_open_profile(const char *command, const char *path, const char *program, struct fm_profile **profile,
                               struct fm_error *error);

#endif
