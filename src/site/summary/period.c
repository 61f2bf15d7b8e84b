/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/summary/period.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "site/store/classes.h"

enum { DAY_S = 86400, WEEK_DAYS = 7, FIRST_MONDAY = 4 /* 1970-01-05, in days */ };

static int64_t monday_of(int64_t day)
{
    return day - (day - FIRST_MONDAY) % WEEK_DAYS;
}

static bool find_week(const char *text, int64_t today, int64_t *from, int64_t *until)
{
    int year, week, end = 0;
    if (strcmp(text, "last") == 0)
        *from = monday_of(today) - WEEK_DAYS;
    else if (sscanf(text, "%4d-W%2d%n", &year, &week, &end) == 2 && !text[end] && year > 1970 && week >= 1 &&
             week <= 53)
        *from = monday_of(fm_day_of_date(year, 1, 4)) + (week - 1) * WEEK_DAYS; /* January 4 is in week 1 */
    else
        return false;
    *until = *from + WEEK_DAYS;
    return true;
}

static bool find_month(const char *text, int64_t today, int64_t *from, int64_t *until)
{
    int year, month, end = 0;
    if (strcmp(text, "last") == 0) {
        *until = fm_month_first_day(today);
        *from = fm_month_first_day(*until - 1);
        return true;
    }
    if (sscanf(text, "%4d-%2d%n", &year, &month, &end) != 2 || text[end] || year < 1970 || month < 1 || month > 12)
        return false;
    *from = fm_day_of_date(year, month, 1);
    *until = fm_day_of_date(year, month + 1, 1);
    return true;
}

enum fm_status fm_period_find(const struct fm_period_request *request, int64_t *from, int64_t *until,
                              struct fm_error *error)
{
    int64_t today = fm_day_of((int64_t)time(NULL));
    int given = !!request->week + !!request->month + (request->from || request->to);
    if (given > 1)
        return fm_fail(error, FM_ERR_USAGE, "give one of a week, a month, or days");
    *from = today - WEEK_DAYS + 1;
    *until = today + 1;
    if (request->week && !find_week(request->week, today, from, until))
        return fm_fail(error, FM_ERR_USAGE, "'%.40s' is not a week such as 2026-W46", request->week);
    if (request->month && !find_month(request->month, today, from, until))
        return fm_fail(error, FM_ERR_USAGE, "'%.40s' is not a month such as 2026-11", request->month);
    if (request->from && !fm_day_parse(request->from, from))
        return fm_fail(error, FM_ERR_USAGE, "'%.40s' is not a day such as 2026-11-01", request->from);
    if (request->to) {
        if (!fm_day_parse(request->to, until))
            return fm_fail(error, FM_ERR_USAGE, "'%.40s' is not a day such as 2026-11-30", request->to);
        ++*until;
        if (!request->from)
            *from = 0;
    }
    if (*from >= *until)
        return fm_fail(error, FM_ERR_USAGE, "the first day is after the last one");
    return FM_OK;
}
