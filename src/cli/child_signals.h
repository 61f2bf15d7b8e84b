/* SPDX-License-Identifier: BSD-3-Clause */
/* Signals while a command runs in our place: whoever knows our pid means the command. So all that are sent to us alone
 * are passed on, also those that were ignored when we began, which the command may have begun to handle; and when the
 * terminal or a shell stops us, we stop when the command does, and not if it does not. A command that stops by itself
 * stops us only where it would keep the terminal from the shell.
 *
 * One command at a time, and one thread.
 */
#ifndef FM_CLI_CHILD_SIGNALS_H
#define FM_CLI_CHILD_SIGNALS_H

#include <stdbool.h>
#include <sys/types.h>

#include "cli/group_signallers.h"

/* Blocks all signals and catches them; those that one of `signallers` sends have reached the command already. */
void fm_child_signals_catch(const struct fm_group_signallers *signallers);
/* Any signal that this process sends says that it was killed, and ends the command. */
void fm_child_signals_guard(pid_t guarded);
/* As they were before, in the command and where there is none. */
void fm_child_signals_restore(void);
/* From now on they are for this process. */
void fm_child_signals_pass_to(pid_t command);
/* The command was stopped by this signal. Stops us, too, if we were asked to, or if we hold the terminal: then a shell
 * waits for it. */
void fm_child_signals_stopped(int number);
/* Its pid is about to become free; from now on they are ours. */
void fm_child_signals_ended(void);
/* A signal that would have ended us came, since the last command was waited for. */
bool fm_child_signals_interrupted(void);
/* Nothing that came so far counts as interruption. */
void fm_child_signals_forget(void);

#endif
