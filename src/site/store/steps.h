/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps of time by which roll-ups sum up, UTC. They nest, so that any interval is some quarters, with months, weeks and
 * days at both ends of them: 90 days are 12 steps on average, and 365 days 15. The weeks of a month begin on its 1st, 8th,
 * 15th and 22nd day, and the last one ends with it. A step is named by its first day, since 1970. */
#ifndef FM_SITE_STORE_STEPS_H
#define FM_SITE_STORE_STEPS_H

#include <stdint.h>

enum fm_step { FM_STEP_DAY, FM_STEP_WEEK, FM_STEP_MONTH, FM_STEP_QUARTER, FM_STEPS };

const char *fm_step_name(enum fm_step step);                /* "day", as in the names of tables */
int64_t fm_step_first(enum fm_step step, int64_t day);      /* the first day of the step that has this day */
int64_t fm_step_first_next(enum fm_step step, int64_t day); /* of the step after it */

#endif
