/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a `fathom run`: records how its command ended, collects what is left, and tells the user.
 *
 * Every `fathom run` holds a shared lock on <directory>/<run_id>.run while it has something to do. The last one on the
 * host, which gets the lock exclusively, collects; locks end with their process, so nothing waits for dead
 * processes. */
#ifndef FM_CLI_RUN_END_H
#define FM_CLI_RUN_END_H

#include "cli/child.h"
#include "cli/run_env.h"

struct fm_run_hold {
    int fd; /* of the .run file, or -1 */
    char path[FM_FILE_PATH_BYTES];
};

void fm_run_hold(struct fm_run_hold *hold, const struct fm_run_env *env);
void fm_run_release(struct fm_run_hold *hold, const struct fm_run_env *env);
void fm_run_end(struct fm_run_hold *hold, const struct fm_run_env *env, const struct fm_run_options *options,
                const struct fm_child *child);
/* In the process that the launcher watches: if a signal to all ranks has ended ours, waits until the last of them on
 * this host has collected, so that the profile is written before the launcher ends. */
void fm_run_await_others(const struct fm_run_env *env, const struct fm_child *child);

#endif
