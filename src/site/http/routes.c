/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/http/routes.h"

#include <stdlib.h>
#include <string.h>

enum { ID_DIGITS = 18 };

static const struct {
    const char *path;
    enum fm_site_route_kind kind;
} fixed[] = {
    {"/", FM_SITE_PAGE},
    {"/assets/app.js", FM_SITE_SCRIPT},
    {"/assets/app.css", FM_SITE_STYLE},
    {"/metrics", FM_SITE_METRICS},
    {"/api/site/login", FM_SITE_LOGIN},
    {"/api/site/logout", FM_SITE_LOGOUT},
    {"/api/site/me", FM_SITE_ME},
    {"/api/site/jobs", FM_SITE_JOBS},
    {"/api/site/summary", FM_SITE_SUMMARY},
    {"/api/site/load", FM_SITE_LOAD},
    {"/api/site/insights", FM_SITE_INSIGHTS},
    {"/api/site/program", FM_SITE_PROGRAM},
};

/* A number without sign and leading zeros; returns what follows, or NULL. */
static const char *take_id(const char *text, int64_t *id)
{
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > ID_DIGITS || *text == '0')
        return NULL;
    *id = strtoll(text, NULL, 10);
    return text + digits;
}

static bool take_slice(const char *text, struct fm_site_route *route)
{
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_-/");
    if (length == 0 || text[length] || length >= sizeof route->slice)
        return false;
    strcpy(route->slice, text);
    return true;
}

struct fm_site_route fm_site_route_of(const char *path)
{
    static const char job[] = "/api/site/job/", profile[] = "/api/site/profile/";
    struct fm_site_route route = {0};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (strcmp(fixed[i].path, path) == 0)
            route.kind = fixed[i].kind;
    if (strncmp(path, job, sizeof job - 1) == 0) {
        const char *rest = take_id(path + sizeof job - 1, &route.job);
        route.kind = !rest                         ? FM_SITE_NOTHING
                     : !*rest                      ? FM_SITE_JOB
                     : strcmp(rest, "/tag") == 0   ? FM_SITE_TAG
                     : strcmp(rest, "/untag") == 0 ? FM_SITE_UNTAG
                                                   : FM_SITE_NOTHING;
    } else if (strncmp(path, profile, sizeof profile - 1) == 0) {
        const char *rest = take_id(path + sizeof profile - 1, &route.job);
        if (rest && *rest == '/' && take_slice(rest + 1, &route))
            route.kind = FM_SITE_PROFILE;
    }
    return route;
}

bool fm_site_route_is_action(enum fm_site_route_kind kind)
{
    return kind == FM_SITE_LOGIN || kind == FM_SITE_LOGOUT || kind == FM_SITE_TAG || kind == FM_SITE_UNTAG;
}

bool fm_site_route_is_open(enum fm_site_route_kind kind)
{
    return kind == FM_SITE_PAGE || kind == FM_SITE_SCRIPT || kind == FM_SITE_STYLE || kind == FM_SITE_LOGIN ||
           kind == FM_SITE_LOGOUT;
}
