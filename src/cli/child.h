/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts the command of `fathom run` and acts on its behalf: it keeps the terminal, the process group and the standard
 * streams; signals sent to `fathom run` alone are passed on (child_signals.h); we end the way it ends.
 *
 * A launcher that has started us once per rank may kill our whole process group at once, as MPICH does. In that case a
 * guard is put between us and the command: a process in its own process group that is the parent of the command, sees
 * how it ends, and survives to report it.
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
    int status;             /* as from waitpid */
    int exec_errno;         /* 0: exec succeeded */
    uint64_t ended_mono_ns; /* set when it has ended */
    struct fm_usage usage;  /* likewise; includes its children */
    uint64_t runqueue_ns;   /* likewise; FM_RUNQUEUE_UNKNOWN if unknown */
};

/* `prepare` runs in the child and returns the command line to execute. Returns false if fork failed (errno). */
bool fm_child_start(struct fm_child *child, char **(*prepare)(void *context), void *context);
/* Runs `work` in a guard, which starts the command and waits for it; returns when the guard has ended. Returns false if
 * no guard could be created (errno); nothing has been done then. */
bool fm_child_guard(struct fm_child *child, void (*work)(void *context, struct fm_child *child), void *context);
void fm_child_wait(struct fm_child *child);
/* Whether a signal that would have terminated us has arrived, during or after the command. */
bool fm_child_interrupted(void);
/* Ends this process the way the child ended: with the same exit status or signal. */
_Noreturn void fm_exit_like_child(const struct fm_child *child);

#endif
