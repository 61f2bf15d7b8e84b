/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands as users type them: where they lie, and which of them start ranks. */
#ifndef FM_CLI_COMMANDS_H
#define FM_CLI_COMMANDS_H

#include <limits.h>
#include <stdbool.h>

#include "mpi/launchers.h"

/* Programs that only start others; `fathom run` is one of them. */
bool fm_is_launcher(const char *command);
/* Where a command lies (a path, or a name in PATH), with all links resolved. */
bool fm_find_command(const char *command, char path[PATH_MAX]);
/* Whose options a launcher takes (a path, or a name in PATH): those that are not known are taken for Hydra's. */
const struct fm_launcher *fm_launcher_of(const char *command);

#endif
