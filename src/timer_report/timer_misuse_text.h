/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a timer report: how and where timers were misused, and which were running when their process was killed.
 * Call sites are shown as base name of the load module + offset, as needed for addr2line -e MODULE OFFSET. */
#ifndef FM_TIMER_REPORT_TIMER_MISUSE_TEXT_H
#define FM_TIMER_REPORT_TIMER_MISUSE_TEXT_H

#include "model/timer.h"

/* "stopped, but not running" ... */
const char *fm_misuse_text(uint32_t kind);

/* Lines that begin with an empty one, or "" if there is nothing to report; in the arena. Returns NULL if out of
 * memory. */
const char *fm_timer_misuses_text(const struct fm_timer *timers, size_t n, struct fm_arena *arena);

#endif
