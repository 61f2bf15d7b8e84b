/* SPDX-License-Identifier: BSD-3-Clause */
/* What a path asks for. No part of it is ever the name of a file: identities and keys are looked up in what is known, and
 * names of slices in the slices of a profile. Escaped characters are not decoded: no route has any. */
#ifndef FM_HTTP_ROUTES_H
#define FM_HTTP_ROUTES_H

enum fm_route_kind {
    FM_ROUTE_NONE,
    FM_ROUTE_PAGE,       /* / */
    FM_ROUTE_SCRIPT,     /* /assets/app.js */
    FM_ROUTE_STYLE,      /* /assets/app.css */
    FM_ROUTE_LIST,       /* /api/list */
    FM_ROUTE_SLICE,      /* /api/profile/ID/SLICE */
    FM_ROUTE_SCALE,      /* /api/scale */
    FM_ROUTE_HISTORY,    /* /api/history */
    FM_ROUTE_JOBS,       /* /api/jobs */
    FM_ROUTE_JOB_SLICE,  /* /api/job/KEY/SLICE */
    FM_ROUTE_JOB_STREAM, /* /api/job/KEY/stream */
    FM_ROUTE_JOB_SAMPLE, /* /api/job/KEY/sample: an action, as those that follow */
    FM_ROUTE_JOB_STOP,   /* /api/job/KEY/stop */
};

enum { FM_ID_CHARS = 16, FM_JOB_KEY_BYTES = 72, FM_SLICE_BYTES = 256 };

struct fm_route {
    enum fm_route_kind kind;
    char id[FM_JOB_KEY_BYTES]; /* of the profile, or the key of the job */
    char slice[FM_SLICE_BYTES];
};

struct fm_route fm_route_of(const char *path);
/* Whether it is something to be done, for which POST is the method. */
_Bool fm_route_is_action(enum fm_route_kind kind);

/* Takes the next identity from a list "ID,ID" (a browser may write the comma as %2C). Returns false at its end; *wrong
 * if the rest is no such list. */
_Bool fm_route_next_id(const char **list, char id[FM_ID_CHARS + 1], _Bool *wrong);

#endif
