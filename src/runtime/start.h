/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts measurement: when the library is loaded, and when the program turns out to be one that should be measured.
 * Also handles forked children and exit. */
#ifndef FM_RUNTIME_START_H
#define FM_RUNTIME_START_H

#include "runtime/runtime.h"

/* Why measurement starts: the program was named after `fathom run`, calls MPI, or uses a timer. */
enum fm_reason { FM_BY_NAME, FM_BY_MPI, FM_BY_TIMER };
/* Starts measurement if this process should be measured. Returns false if it is not measured. Any thread, any time. */
bool fm_runtime_start(enum fm_reason reason);

#endif
