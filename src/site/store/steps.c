/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/store/steps.h"

#include <stddef.h>

#include "site/store/classes.h"

enum { DAY_S = 86400, WEEK = 7, WEEKS = 4 /* of a month */, QUARTER = 3 /* months */ };

const char *fm_step_name(enum fm_step step)
{
    static const char *const names[FM_STEPS] = {"day", "week", "month", "quarter"};
    return names[step];
}

static int64_t months_later(int64_t day, int months)
{
    return fm_day_of(fm_month_start(day * DAY_S, months, NULL, NULL));
}

/* Number of its month in a quarter. */
static int month_of(int64_t day)
{
    int month;
    fm_month_start(day * DAY_S, 0, NULL, &month);
    return (month - 1) % QUARTER;
}

/* Number of its week in a month. */
static int64_t week_of(int64_t day, int64_t month)
{
    int64_t week = (day - month) / WEEK;
    return week < WEEKS ? week : WEEKS - 1;
}

int64_t fm_step_first(enum fm_step step, int64_t day)
{
    if (step == FM_STEP_DAY)
        return day;
    if (step == FM_STEP_QUARTER)
        return months_later(day, -month_of(day));
    int64_t month = fm_month_first_day(day);
    return step == FM_STEP_MONTH ? month : month + WEEK * week_of(day, month);
}

int64_t fm_step_first_next(enum fm_step step, int64_t day)
{
    if (step == FM_STEP_DAY)
        return day + 1;
    if (step == FM_STEP_QUARTER)
        return months_later(day, QUARTER - month_of(day));
    int64_t month = fm_month_first_day(day), next = week_of(day, month) + 1;
    return step == FM_STEP_MONTH || next == WEEKS ? months_later(day, 1) : month + WEEK * next;
}
