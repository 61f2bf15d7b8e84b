/* SPDX-License-Identifier: BSD-3-Clause */
/* Why a process may not be looked at, as one sentence that names what forbids it. */
#ifndef FM_ATTACH_DENIED_H
#define FM_ATTACH_DENIED_H

#include <sys/types.h>

#include "base/error.h"

#define FM_YAMA_SETTING "/proc/sys/kernel/yama/ptrace_scope"

/* The debugger that holds a process; 0: none does. */
pid_t fm_tracer_of(pid_t pid);
/* The user who has started it, which of a set-uid program is not whose rights it has; -1: it has ended. */
long fm_owner_of(pid_t pid);
/* yama: the file with the kernel's setting. FM_ERR_SYSTEM. */
enum fm_status fm_denied(pid_t pid, const char *yama, struct fm_error *error);

#endif
