/* SPDX-License-Identifier: BSD-3-Clause */
/* What a period is called. */
#include <stdio.h>
#include <time.h>

#include "site/mail/people.h"
#include "site/store/classes.h"

enum { DAY_S = 86400, WEEK_DAYS = 7, MONDAY = 1 };

static const char *const months[] = {"January", "February", "March",     "April",   "May",      "June",
                                     "July",    "August",   "September", "October", "November", "December"};

static struct tm date_of(int64_t day)
{
    time_t seconds = (time_t)(day * DAY_S);
    struct tm tm = {0};
    gmtime_r(&seconds, &tm);
    return tm;
}

static const char *month_of(const struct tm *tm)
{
    return months[(unsigned)tm->tm_mon % 12];
}

/* "9 to 15 November 2026", "30 November to 6 December 2026" */
static void write_days(char *text, size_t size, int64_t from, int64_t last)
{
    struct tm a = date_of(from), b = date_of(last);
    if (a.tm_year != b.tm_year)
        snprintf(text, size, "%d %s %d to %d %s %d", a.tm_mday, month_of(&a), a.tm_year + 1900, b.tm_mday, month_of(&b),
                 b.tm_year + 1900);
    else if (a.tm_mon != b.tm_mon)
        snprintf(text, size, "%d %s to %d %s %d", a.tm_mday, month_of(&a), b.tm_mday, month_of(&b), b.tm_year + 1900);
    else if (from != last)
        snprintf(text, size, "%d to %d %s %d", a.tm_mday, b.tm_mday, month_of(&b), b.tm_year + 1900);
    else
        snprintf(text, size, "%d %s %d", b.tm_mday, month_of(&b), b.tm_year + 1900);
}

static void describe_week(struct fm_mail_period *period)
{
    struct tm monday = date_of(period->from);
    char days[64], week[8];
    strftime(period->name, sizeof period->name, "%G-W%V", &monday);
    strftime(week, sizeof week, "%V", &monday);
    write_days(days, sizeof days, period->from, period->until - 1);
    snprintf(period->title, sizeof period->title, "week %s (%s)", *week == '0' ? week + 1 : week, days);
    period->before = period->from - WEEK_DAYS;
    period->before_name = "week before";
}

static void describe_month(struct fm_mail_period *period)
{
    struct tm first = date_of(period->from);
    snprintf(period->name, sizeof period->name, "%04d-%02d", first.tm_year + 1900, first.tm_mon + 1);
    snprintf(period->title, sizeof period->title, "%s %d", month_of(&first), first.tm_year + 1900);
    period->before = fm_month_first_day(period->from - 1);
    period->before_name = "month before";
}

static void describe_days(struct fm_mail_period *period)
{
    struct tm a = date_of(period->from), b = date_of(period->until - 1);
    char first[16], last[16];
    strftime(first, sizeof first, "%Y-%m-%d", &a);
    strftime(last, sizeof last, "%Y-%m-%d", &b);
    snprintf(period->name, sizeof period->name, "%s..%s", first, last);
    write_days(period->title, sizeof period->title, period->from, period->until - 1);
    period->before = period->from - (period->until - period->from);
    period->before_name = "time before";
}

void fm_mail_period_describe(struct fm_mail_period *period, int64_t from, int64_t until)
{
    *period = (struct fm_mail_period){.from = from, .until = until};
    int year, month;
    if (until - from == WEEK_DAYS && date_of(from).tm_wday == MONDAY)
        describe_week(period);
    else if (fm_month_first_day(from) == from && fm_day_of(fm_month_start(from * DAY_S, 1, &year, &month)) == until)
        describe_month(period);
    else
        describe_days(period);
}
