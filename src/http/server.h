/* SPDX-License-Identifier: BSD-3-Clause */
/* `fathom serve`: the pages and slices of profiles, and of jobs that run, for the browser of one user. doc/API.md describes
 * what can be asked for, and who may ask.
 *
 *   main thread   waits for the end (http/lifetime.h), and looks at clients, tasks and jobs ten times a second
 *   one thread    talks to clients (libmicrohttpd); never waits for anything else
 *   workers       read profiles and make slices (http/tasks.h) */
#ifndef FM_HTTP_SERVER_H
#define FM_HTTP_SERVER_H

#include <stdbool.h>
#include <stddef.h>

#include "http/source.h"

struct fm_server_options {
    char *const *places; /* profiles, and directories of them */
    size_t n_places;
    bool recursive;     /* also the directories below */
    unsigned port;      /* 0: any that is free */
    const char *socket; /* NULL: a port */
    struct fm_source_options source;
};

/* Returns when a signal or the end of the session asks for it. */
enum fm_status fm_server_run(const struct fm_server_options *options, struct fm_error *error);

#endif
