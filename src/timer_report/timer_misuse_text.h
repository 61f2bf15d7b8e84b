/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a timer report: how and where timers were misused, and which were running when their process was killed.
 * Call sites are shown by function and line if the caller has names for them, as the tool has, else as base name of the
 * load module + offset, as needed for addr2line -e MODULE OFFSET. */
#ifndef FM_TIMER_REPORT_TIMER_MISUSE_TEXT_H
#define FM_TIMER_REPORT_TIMER_MISUSE_TEXT_H

#include "model/timer.h"

/* "stopped, but not running" ... */
const char *fm_misuse_text(uint32_t kind);

/* Returns function and line of a call site, or NULL if they are unknown. */
struct fm_site_namer {
    const char *(*name)(void *context, const struct fm_site *site); /* NULL: none is known */
    void *context;
};

/* Lines that begin with an empty one, or "" if there is nothing to report; in the arena. Returns NULL if out of
 * memory. */
const char *fm_timer_misuses_text(const struct fm_timer *timers, size_t n, const struct fm_site_namer *namer,
                                  struct fm_arena *arena);

#endif
