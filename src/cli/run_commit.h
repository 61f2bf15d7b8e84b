/* SPDX-License-Identifier: BSD-3-Clause */
/* The commit that `fathom run` records: what it was told, what the system that started it says, or that of the repository
 * that holds the program. */
#ifndef FM_CLI_RUN_COMMIT_H
#define FM_CLI_RUN_COMMIT_H

#include "cli/run_env.h"

/* Sets env->commit: what to pass on as FATHOM_COMMIT; "" if that is set already, or the commit is unknown. */
void fm_run_commit(const struct fm_run_options *options, struct fm_run_env *env);

#endif
