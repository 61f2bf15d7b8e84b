/* SPDX-License-Identifier: BSD-3-Clause */
/* Resource limits that leave no room for measuring: the command is then run unmeasured. */
#ifndef FM_CLI_RUN_LIMITS_H
#define FM_CLI_RUN_LIMITS_H

#include <stdbool.h>

/* Whether the stack is too small for Fathom itself. */
bool fm_run_stack_is_small(void);
/* Which limit it is, for a message; NULL if there is none. */
const char *fm_run_limit(char **command);

#endif
