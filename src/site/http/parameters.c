/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/http/parameters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "site/summary/period.h"

enum { DAY_S = 86400 };

static const char *const names[FM_SITE_N_PARAMETERS] = {
#define X(name) #name,
    FM_SITE_PARAMETERS(X)
#undef X
};

/* ---- what an address knows ---- */

#define BIT(name) (1u << FM_SITE_PARAMETER_##name)
#define FILTER                                                                                                       \
    (BIT(user) | BIT(program) | BIT(account) | BIT(partition) | BIT(host) | BIT(rule) | BIT(tag) | BIT(ranks_from) | \
     BIT(ranks_to) | BIT(from) | BIT(to) | BIT(state) | BIT(mpi_from))

static unsigned known_of(enum fm_site_route_kind kind)
{
    switch (kind) {
    case FM_SITE_JOBS:
        return FILTER | BIT(order) | BIT(up) | BIT(limit) | BIT(after) | BIT(count);
    case FM_SITE_SUMMARY:
        return BIT(from) | BIT(to) | BIT(user);
    case FM_SITE_LOAD:
        return BIT(by) | BIT(from) | BIT(to) | BIT(user);
    case FM_SITE_INSIGHTS:
    case FM_SITE_PROGRAM:
        return BIT(user) | BIT(program);
    case FM_SITE_TAG:
    case FM_SITE_UNTAG:
        return BIT(tag);
    default:
        return 0;
    }
}

/* ---- texts ---- */

static int hex_value(char digit)
{
    return digit >= '0' && digit <= '9'   ? digit - '0'
           : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
           : digit >= 'A' && digit <= 'F' ? digit - 'A' + 10
                                          : -1;
}

/* "a+b%20c" -> "a b c". False if there is no room, or something else than text in it. */
static bool unescape(struct fm_site_parameters *to, const char *escaped)
{
    size_t start = to->used;
    for (const char *at = escaped; *at; at++) {
        unsigned char c = (unsigned char)*at;
        if (c == '+') {
            c = ' ';
        } else if (c == '%') {
            int high = hex_value(at[1]), low = high < 0 ? -1 : hex_value(at[2]);
            if (low < 0)
                return false;
            c = (unsigned char)(16 * high + low);
            at += 2;
        }
        if (c < ' ' || c == 0x7f || to->used + 1 >= sizeof to->text)
            return false;
        to->text[to->used++] = (char)c;
    }
    to->text[to->used++] = 0;
    for (const char *at = to->text + start; *at;) {
        if (fm_utf8_next(&at) == FM_UTF8_DAMAGED)
            return false;
    }
    return true;
}

const char *fm_site_parameters_add(struct fm_site_parameters *parameters, enum fm_site_route_kind kind,
                                   const char *name, const char *escaped)
{
    int i = 0;
    while (i < FM_SITE_N_PARAMETERS && strcmp(names[i], name) != 0)
        i++;
    if (i == FM_SITE_N_PARAMETERS || !(known_of(kind) & 1u << i))
        return "the address has a parameter that is not known here";
    if (parameters->given & 1u << i)
        return "a parameter is given twice";
    parameters->given |= 1u << i;
    const char *value = parameters->text + parameters->used;
    if (!escaped || !unescape(parameters, escaped))
        return "a parameter is not a text";
    if (*value)
        parameters->values[i] = value;
    return NULL;
}

/* ---- filters ---- */

static bool read_whole(const char *text, int64_t *number)
{
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 15 || text[digits])
        return false;
    *number = strtoll(text, NULL, 10);
    return true;
}

/* A day is written in one way only: not as "2026-02-+1". */
bool fm_site_day_read(const char *text, int64_t *day)
{
    static const char digits[] = "0123456789";
    int64_t until;
    return strlen(text) == 10 && strspn(text, digits) == 4 && strspn(text + 5, digits) == 2 &&
           strspn(text + 8, digits) == 2 &&
           !fm_period_find(&(struct fm_period_request){.from = text, .to = text}, day, &until, NULL);
}

static const char *set_state(struct fm_jobs_filter *filter, const char *text)
{
    filter->complete = strcmp(text, "complete") == 0;
    return filter->complete || strcmp(text, "incomplete") == 0 ? NULL : "state must be complete or incomplete";
}

const char *fm_site_filter_set(struct fm_jobs_filter *filter, const char *name, const char *text, bool *known)
{
    const struct {
        const char *name, **text;
        int64_t *whole;
    } conditions[] = {
        {"user", &filter->user, NULL},
        {"program", &filter->program, NULL},
        {"account", &filter->account, NULL},
        {"partition", &filter->partition, NULL},
        {"host", &filter->host, NULL},
        {"rule", &filter->rule, NULL},
        {"ranks_from", NULL, &filter->least_ranks},
        {"ranks_to", NULL, &filter->most_ranks},
    };
    int64_t day;
    char *end;
    *known = true;
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
        if (strcmp(conditions[i].name, name) != 0)
            continue;
        if (conditions[i].text)
            *conditions[i].text = text;
        else if (!read_whole(text, conditions[i].whole))
            return "ranks_from and ranks_to must be whole numbers";
        return NULL;
    }
    if (strcmp(name, "from") == 0 || strcmp(name, "to") == 0) {
        if (!fm_site_day_read(text, &day))
            return "from and to must be days such as 2026-11-18";
        *(name[0] == 'f' ? &filter->from : &filter->to) = (day + (name[0] == 't')) * DAY_S;
        return NULL;
    }
    if (strcmp(name, "state") == 0)
        return set_state(filter, text);
    *known = strcmp(name, "mpi_from") == 0;
    if (!*known)
        return NULL;
    filter->least_mpi = strtod(text, &end);
    return *text && !*end && filter->least_mpi >= 0 && filter->least_mpi <= 1 ? NULL : "mpi_from must be from 0 to 1";
}

const char *fm_site_filter_make(struct fm_jobs_filter *filter, const struct fm_site_parameters *parameters)
{
    const char *wrong = NULL;
    bool known;
    *filter = FM_JOBS_ALL;
    for (int i = 0; i < FM_SITE_N_PARAMETERS && !wrong; i++)
        if (parameters->values[i])
            wrong = fm_site_filter_set(filter, names[i], parameters->values[i], &known);
    return wrong;
}
