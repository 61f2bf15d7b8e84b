/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to the server: everything that its threads share. `tasks.lock` protects all of it, except what never changes
 * while the server runs. */
#ifndef FM_HTTP_STATE_H
#define FM_HTTP_STATE_H

#include "http/cache.h"
#include "http/clients.h"
#include "http/guard.h"
#include "http/server.h"
#include "http/store.h"
#include "http/tasks.h"
#include "http/watched.h"

struct fm_server {
    const struct fm_server_options *options;
    struct fm_guard guard;
    char cookie[128]; /* value of Set-Cookie */
    uint32_t salt;    /* in the tags of documents: what is right for one server may differ for the next */
    struct fm_clients clients;
    struct fm_tasks tasks;
    struct fm_cache cache;
    struct fm_store store;
    size_t n_findings;         /* profiles whose first finding was looked for */
    struct fm_running running; /* the last list */
    uint64_t running_ns;       /* when it was made; 0: never */
    struct fm_watched *watched;
    struct fm_module_map map; /* for the shares of modules; never changes */
    struct fm_arena arena;    /* of the map */
};

#endif
