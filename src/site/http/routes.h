/* SPDX-License-Identifier: BSD-3-Clause */
/* What a path of a site's server asks for. No part of it is ever the name of a file. */
#ifndef FM_SITE_HTTP_ROUTES_H
#define FM_SITE_HTTP_ROUTES_H

#include <stdbool.h>
#include <stdint.h>

enum fm_site_route_kind {
    FM_SITE_NOTHING,
    FM_SITE_PAGE,   /* / */
    FM_SITE_SCRIPT, /* /assets/app.js */
    FM_SITE_STYLE,  /* /assets/app.css */
    FM_SITE_METRICS,
    FM_SITE_LOGIN, /* an action, as the next one */
    FM_SITE_LOGOUT,
    FM_SITE_ME, /* /api/site/me, as those that follow */
    FM_SITE_JOBS,
    FM_SITE_SUMMARY,
    FM_SITE_LOAD,
    FM_SITE_INSIGHTS,
    FM_SITE_PROGRAM,
    FM_SITE_JOB,     /* /api/site/job/ID */
    FM_SITE_TAG,     /* /api/site/job/ID/tag: an action, as the next one */
    FM_SITE_UNTAG,   /* /api/site/job/ID/untag */
    FM_SITE_PROFILE, /* /api/site/profile/ID/SLICE */
};

struct fm_site_route {
    enum fm_site_route_kind kind;
    int64_t job;
    char slice[256];
};

struct fm_site_route fm_site_route_of(const char *path);
/* Whether it changes something, for which POST is the method. */
bool fm_site_route_is_action(enum fm_site_route_kind kind);
/* Whether nobody needs to be known for it: the page and what belongs to it. */
bool fm_site_route_is_open(enum fm_site_route_kind kind);

#endif
