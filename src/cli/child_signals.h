/* SPDX-License-Identifier: BSD-3-Clause */
/* Signal handling while a command runs on our behalf: whoever sends a signal to our pid means the command. So all
 * signals sent to us alone are passed on, including those that were ignored when we started, as the command may handle
 * them by now. If the terminal or a shell stops us, we stop when the command does, and only then. A command that stops
 * by itself stops us only if it would otherwise keep the terminal from the shell.
 *
 * One command at a time, and one thread. */
#ifndef FM_CLI_CHILD_SIGNALS_H
#define FM_CLI_CHILD_SIGNALS_H

#include <stdbool.h>
#include <sys/types.h>

#include "cli/group_signallers.h"

/* Blocks and catches all signals; those sent by one of `signallers` have reached the command already. */
void fm_child_signals_catch(const struct fm_group_signallers *signallers);
/* Any signal from this process means that it was killed; it ends the command. */
void fm_child_signals_guard(pid_t guarded);
/* Restores the original state, in the command or if there is none. */
void fm_child_signals_restore(void);
/* Passes signals to this process from now on. */
void fm_child_signals_pass_to(pid_t command);
/* The command was stopped by this signal. Stops us as well if that was requested, or if we hold the terminal: a shell
 * then waits for it. */
void fm_child_signals_stopped(int number);
/* Its pid is about to become free; signals are for us from now on. */
void fm_child_signals_ended(void);
/* Whether a signal that would have terminated us has arrived since the last fm_child_signals_forget. */
bool fm_child_signals_interrupted(void);
/* Forgets signals that have arrived so far. */
void fm_child_signals_forget(void);

#endif
