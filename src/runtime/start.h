/* SPDX-License-Identifier: BSD-3-Clause */
/* The beginning of measuring: when the library is loaded, and when the program turns out to be one to be measured. Also
 * what is done for it in a forked child, and at exit. */
#ifndef FM_RUNTIME_START_H
#define FM_RUNTIME_START_H

#include "runtime/runtime.h"

/* Why measuring starts: the program was named after `fathom run`, calls MPI, or uses a timer. */
enum fm_reason { FM_BY_NAME, FM_BY_MPI, FM_BY_TIMER };
/* Starts measuring if this process should be measured; false when it is not. Any thread, any time. */
bool fm_runtime_start(enum fm_reason reason);

#endif
