/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads of this process, also those whose creation was not seen. */
#ifndef FM_RUNTIME_TASKS_H
#define FM_RUNTIME_TASKS_H

#include <stdint.h>

/* Calls `visit` for each thread other than the calling one. Makes system calls directly: libc's functions may be
 * replaced by the program, or by our wrappers. */
void fm_tasks_visit_others(void (*visit)(int32_t tid));

#endif
