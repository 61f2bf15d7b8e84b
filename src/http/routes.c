/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/routes.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#define HEX "0123456789abcdef"
#define LOWER "abcdefghijklmnopqrstuvwxyz0123456789_-"

static const struct {
    const char *path;
    enum fm_route_kind kind;
} fixed[] = {
    {"/", FM_ROUTE_PAGE},
    {"/assets/app.js", FM_ROUTE_SCRIPT},
    {"/assets/app.css", FM_ROUTE_STYLE},
    {"/api/list", FM_ROUTE_LIST},
    {"/api/scale", FM_ROUTE_SCALE},
    {"/api/jobs", FM_ROUTE_JOBS},
    {"/api/history", FM_ROUTE_HISTORY},
};

/* Copies the characters of `allowed` at the start of the text; returns what follows, or NULL if there are none or too
 * many. */
static const char *take(const char *text, const char *allowed, char *copy, size_t size)
{
    size_t length = strspn(text, allowed);
    if (length == 0 || length >= size)
        return NULL;
    memcpy(copy, text, length);
    copy[length] = 0;
    return text + length;
}

static bool take_slice(const char *text, struct fm_route *route)
{
    const char *end = take(text, LOWER "/", route->slice, sizeof route->slice);
    return end && !*end;
}

static enum fm_route_kind kind_of_job(const char *slice)
{
    static const struct {
        const char *name;
        enum fm_route_kind kind;
    } others[] = {{"stream", FM_ROUTE_JOB_STREAM}, {"sample", FM_ROUTE_JOB_SAMPLE}, {"stop", FM_ROUTE_JOB_STOP}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i].name, slice) == 0)
            return others[i].kind;
    return FM_ROUTE_JOB_SLICE;
}

_Bool fm_route_is_action(enum fm_route_kind kind)
{
    return kind >= FM_ROUTE_JOB_SAMPLE;
}

struct fm_route fm_route_of(const char *path)
{
    static const char profile[] = "/api/profile/", job[] = "/api/job/";
    struct fm_route route = {0};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (strcmp(fixed[i].path, path) == 0)
            route.kind = fixed[i].kind;
    if (strncmp(path, profile, sizeof profile - 1) == 0) {
        const char *rest = take(path + sizeof profile - 1, HEX, route.id, FM_ID_CHARS + 1);
        if (rest && strlen(route.id) == FM_ID_CHARS && *rest == '/' && take_slice(rest + 1, &route))
            route.kind = FM_ROUTE_SLICE;
    } else if (strncmp(path, job, sizeof job - 1) == 0) {
        const char *rest = take(path + sizeof job - 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ" LOWER, route.id, sizeof route.id);
        if (rest && *rest == '/' && take_slice(rest + 1, &route))
            route.kind = kind_of_job(route.slice);
    }
    return route;
}

_Bool fm_route_next_id(const char **list, char id[FM_ID_CHARS + 1], _Bool *wrong)
{
    *wrong = false;
    if (!**list)
        return false;
    const char *rest = take(*list, HEX, id, FM_ID_CHARS + 1);
    *wrong = !rest || strlen(id) != FM_ID_CHARS;
    if (*wrong)
        return false;
    size_t comma = *rest == ',' ? 1 : strncasecmp(rest, "%2c", 3) == 0 ? 3 : 0;
    *wrong = comma ? !rest[comma] : *rest != 0;
    *list = rest + comma;
    return !*wrong;
}
