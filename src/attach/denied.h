/* SPDX-License-Identifier: BSD-3-Clause */
/* Explains why we may not attach to a process, in one sentence that names what forbids it. */
#ifndef FM_ATTACH_DENIED_H
#define FM_ATTACH_DENIED_H

#include <sys/types.h>

#include "base/error.h"

#define FM_YAMA_SETTING "/proc/sys/kernel/yama/ptrace_scope"

/* The debugger that traces a process, or 0. */
pid_t fm_tracer_of(pid_t pid);
/* The user who started it (real uid; the effective uid of a set-uid program differs); -1 if it has ended. */
long fm_owner_of(pid_t pid);
/* yama: the file with the kernel setting. Always returns FM_ERR_SYSTEM. */
enum fm_status fm_denied(pid_t pid, const char *yama, struct fm_error *error);

#endif
