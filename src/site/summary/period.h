/* SPDX-License-Identifier: BSD-3-Clause */
/* Intervals as users give them: a week, a month, or two days. Days are those of UTC. */
#ifndef FM_SITE_SUMMARY_PERIOD_H
#define FM_SITE_SUMMARY_PERIOD_H

#include <stdint.h>

#include "base/error.h"

/* NULL: not given. "last" is the last whole week or month. */
struct fm_period_request {
    const char *week;      /* "2026-W46" (ISO 8601), or "last" */
    const char *month;     /* "2026-11", or "last" */
    const char *from, *to; /* "2026-11-01"; `to` belongs to the interval */
};

/* In days since 1970; `until` is the first day after it. Nothing given: the last 7 days, with today. */
enum fm_status fm_period_find(const struct fm_period_request *request, int64_t *from, int64_t *until,
                              struct fm_error *error);

#endif
