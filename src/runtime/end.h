/* SPDX-License-Identifier: BSD-3-Clause */
/* Ends measurement at the end of the process, or ends the part of it that needs system calls when the program is about
 * to install a seccomp filter. */
#ifndef FM_RUNTIME_END_H
#define FM_RUNTIME_END_H

#include "runtime/runtime.h"

/* Writes end time and resource usage to the header. Called at the end of the process. */
void fm_runtime_note_end(void);
/* The program is about to filter its system calls. From now on the runtime makes none, in any thread, until the process
 * ends; what needs no system calls continues. Returns false if this is already so, or in a child, which is not
 * measured. */
bool fm_runtime_forbid_syscalls(void);
/* Undoes fm_runtime_forbid_syscalls: the filter was not installed. */
void fm_runtime_allow_syscalls(void);

#endif
