/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits of resources that leave no room for measuring: the command is then run as it is. */
#ifndef FM_CLI_RUN_LIMITS_H
#define FM_CLI_RUN_LIMITS_H

#include <stdbool.h>

/* What Fathom itself does needs more. */
bool fm_run_stack_is_small(void);
/* Which of them it is, for a message; NULL: there is room. */
const char *fm_run_limit(char **command);

#endif
