/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a report of timers: how they were used wrongly and where, and which were running when their process was
 * killed. Places are shown as base name of the load module + offset, as addr2line -e MODULE OFFSET takes it. */
#ifndef FM_TIMER_REPORT_TIMER_MISUSE_TEXT_H
#define FM_TIMER_REPORT_TIMER_MISUSE_TEXT_H

#include "model/timer.h"

/* "stopped, but not running" ... */
const char *fm_misuse_text(uint32_t kind);

/* Lines that begin with an empty one, "" when there is nothing to say; in the arena. NULL: no memory. */
const char *fm_timer_misuses_text(const struct fm_timer *timers, size_t n, struct fm_arena *arena);

#endif
