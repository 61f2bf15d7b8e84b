/* SPDX-License-Identifier: BSD-3-Clause */
/* Starting the command of `fathom run` and standing behind it: it keeps the terminal, the process group and the
 * standard streams; signals sent to `fathom run` alone are passed on (child_signals.h); its end becomes our own end.
 *
 * When a launcher started us once a rank, it may kill our whole process group at once, as MPICH does. So then a guard
 * stands between us and the command: a process in a group of its own, which is the command's parent, sees how it
 * ended, and lives to tell.
 *
 *   fathom run (group G)  -->  guard (group of its own)  -->  command (group G)
 */
#ifndef FM_CLI_CHILD_H
#define FM_CLI_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/usage.h"

struct fm_child {
    pid_t pid;
    uint64_t start_time;
    int status;             /* as of waitpid */
    int exec_errno;         /* 0: it was started */
    uint64_t ended_mono_ns; /* once it has ended */
    struct fm_usage usage;  /* likewise; of its own children too */
};

/* `prepare` runs in the child and returns the words to execute. False: no process could be made (errno). */
bool fm_child_start(struct fm_child *child, char **(*prepare)(void *context), void *context);
/* Runs `work` in a guard, which starts the command and waits for it; returns when the guard has ended. False: there is
 * no guard (errno), nothing has been done. */
bool fm_child_guard(struct fm_child *child, void (*work)(void *context, struct fm_child *child), void *context);
void fm_child_wait(struct fm_child *child);
/* A signal that would have ended us came, during or after the command. */
bool fm_child_interrupted(void);
/* Ends this process as the child ended: the same status, or the same signal. */
_Noreturn void fm_exit_like_child(const struct fm_child *child);

#endif
