/* SPDX-License-Identifier: BSD-3-Clause */
/* The runtime's own system calls: once a program filters its system calls (seccomp), the runtime makes none, because each
 * could end the process. */
#ifndef FM_RUNTIME_INTERPOSE_OWN_SYSCALLS_H
#define FM_RUNTIME_INTERPOSE_OWN_SYSCALLS_H

#include <stdbool.h>

/* Returns true if the calling thread may make system calls until fm_syscalls_leave, false if they are forbidden. A
 * system call outside of such a pair can race with another thread that installs its filter. */
bool fm_syscalls_enter(void);
void fm_syscalls_leave(void);

/* Waits until no thread makes system calls of ours any more, for at most a second. */
void fm_syscalls_forbid(void);
void fm_syscalls_allow(void);
bool fm_syscalls_forbidden(void);

#endif
