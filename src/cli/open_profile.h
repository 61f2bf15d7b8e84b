/* Reads a profile that the user names. */
#ifndef FM_CLI_OPEN_PROFILE_H
#define FM_CLI_OPEN_PROFILE_H

#include "base/error.h"
#include "model/profile.h"

/* As fm_profile_read; what a newer Fathom has written and this one does not know is told of on stderr. */
enum fm_status fm_open_profile(const char *command, const char *path, struct fm_profile **profile,
                               struct fm_error *error);

#endif
