/* SPDX-License-Identifier: BSD-3-Clause */
/* What is certain about a launcher's command. Ranks on several hosts may call one another only where it is certain that
 * all of them have the library in them, and none can ask: so `fathom run` judges for all, from the words of the command.
 * Whatever is not known is taken for uncertain. */
#ifndef FM_CLI_RUN_LAUNCH_H
#define FM_CLI_RUN_LAUNCH_H

#include <stdbool.h>

/* The one program that the launcher starts on all hosts as it is: no script or other program in between, no second
 * program beside it, and every variable handed on to it. NULL: not certain. Points into the command. */
const char *fm_launch_program(char **command);

/* Whether a file lies on a network file system, which the hosts of a job share. */
bool fm_launch_is_shared(const char *path);

#endif
