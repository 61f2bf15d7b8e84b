/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands as users type them: where they are, and which of them start ranks. */
#ifndef FM_CLI_COMMANDS_H
#define FM_CLI_COMMANDS_H

#include <limits.h>
#include <stdbool.h>

#include "mpi/launchers.h"

/* Programs that only start others; `fathom run` is one of them. */
bool fm_is_launcher(const char *command);
/* Resolves a command (a path, or a name in PATH) to its file, following symbolic links. */
bool fm_find_command(const char *command, char path[PATH_MAX]);
/* The launcher whose options a command (a path, or a name in PATH) takes; Hydra if unknown. */
const struct fm_launcher *fm_launcher_of(const char *command);

#endif
