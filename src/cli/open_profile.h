/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a profile that the user names, and tells of what a newer Fathom has written and this one does not know. */
#ifndef FM_CLI_OPEN_PROFILE_H
#define FM_CLI_OPEN_PROFILE_H

#include "base/error.h"
#include "model/profile.h"

/* On stderr, if there is anything: the subject, as in "job 4711 was measured", then by what, and what is left out. */
void fm_tell_left_out(const char *command, const char *subject, const struct fm_left_out *left_out);

/* As fm_profile_read, and tells of what is left out. `program`: of this program of the job alone (analyse/programs/part.h);
 * NULL: all of it. */
enum fm_status fm_open_profile(const char *command, const char *path, const char *program, struct fm_profile **profile,
                               struct fm_error *error);

#endif
