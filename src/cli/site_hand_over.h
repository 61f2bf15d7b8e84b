/* SPDX-License-Identifier: BSD-3-Clause */
/* What `fathom run` and `fathom collect` do with a profile they know of on a machine that keeps records of jobs: by the key
 * `run` of the configuration, or FATHOM_SITE=off, spool or send. Nothing of it can make the command fail; what goes wrong
 * is told once, unless it is quiet. */
#ifndef FM_CLI_SITE_HAND_OVER_H
#define FM_CLI_SITE_HAND_OVER_H

#include <stdbool.h>

void fm_site_hand_over(const char *profile, bool quiet);

#endif
