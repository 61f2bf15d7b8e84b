/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of measuring, or of what takes system calls: at the end of the process, or when the program is about to filter
 * its system calls. */
#ifndef FM_RUNTIME_END_H
#define FM_RUNTIME_END_H

#include "runtime/runtime.h"

/* The process is at its end: times and resource use into the header. */
void fm_runtime_note_end(void);
/* The program is about to filter its system calls: from now on no thread makes any of ours until the end of the process;
 * measurements that need none continue. false: it was so already, or this is a child, which is not measured. */
bool fm_runtime_forbid_syscalls(void);
/* The filter was not installed. */
void fm_runtime_allow_syscalls(void);

#endif
