/* SPDX-License-Identifier: BSD-3-Clause */
/* The runtime's own system calls: once a program filters its system calls (seccomp), the runtime makes none, because each
 * could end the process. */
#ifndef FM_RUNTIME_INTERPOSE_OWN_SYSCALLS_H
#define FM_RUNTIME_INTERPOSE_OWN_SYSCALLS_H

#include <stdbool.h>

/* Whether the calling thread may make system calls until fm_syscalls_leave; false: they are forbidden. A system call
 * outside of such a pair could be made just when another thread installs its filter. */
bool fm_syscalls_enter(void);
void fm_syscalls_leave(void);

/* Returns when no thread makes system calls of ours any more. */
void fm_syscalls_forbid(void);
void fm_syscalls_allow(void);
bool fm_syscalls_forbidden(void);

#endif
