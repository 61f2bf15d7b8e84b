/* SPDX-License-Identifier: BSD-3-Clause */
/* What is certain about the command of a launcher. Ranks on several hosts may communicate with each other only if it is
 * certain that all of them have loaded the library, and they cannot check that themselves: `fathom run` decides for
 * all, from the command line. Anything unknown counts as uncertain. */
#ifndef FM_CLI_RUN_LAUNCH_H
#define FM_CLI_RUN_LAUNCH_H

#include <stdbool.h>

/* The only program that the launcher starts on all hosts: directly, not through a script or another program, without a
 * second program, and with every variable exported to it. NULL if not certain. Points into the command. */
const char *fm_launch_program(char **command);

/* Whether a file is on a network file system, which the hosts of a job share. */
bool fm_launch_is_shared(const char *path);

#endif
