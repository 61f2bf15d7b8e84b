/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to the server of one user: everything that its threads share (service.h tells what protects it). */
#ifndef FM_HTTP_STATE_H
#define FM_HTTP_STATE_H

#include "http/guard.h"
#include "http/server.h"
#include "http/service.h"
#include "http/store.h"
#include "http/watched.h"

struct fm_server {
    struct fm_service service;
    const struct fm_server_options *options;
    struct fm_guard guard;
    char cookie[128]; /* value of Set-Cookie */
    struct fm_profile_store store;
    size_t n_findings;         /* profiles whose first finding was looked for */
    struct fm_running running; /* the last list */
    uint64_t running_ns;       /* when it was made; 0: never */
    uint64_t look_ns;          /* when all MPI jobs may be looked for again */
    struct fm_watched *watched;
    struct fm_module_map map; /* for the shares of modules; never changes */
    struct fm_arena arena;    /* of the map */
};

#endif
