/* SPDX-License-Identifier: BSD-3-Clause */
/* `fathom serve --site`: the pages and the API of a site, for all of its users (doc/API.md, "A site"). A service of
 * src/http; this folder has who may ask (who.h), what there is (routes.h, parameters.h), and the answers (answers.h).
 *
 * Each worker has a connection to the database of its own while it makes an answer; there is one more for what changes
 * something. */
#ifndef FM_SITE_HTTP_SERVER_H
#define FM_SITE_HTTP_SERVER_H

#include <stdbool.h>

#include "site/config/config.h"

struct fm_site_server_options {
    const struct fm_site_config *config;
    const char *store;  /* address of the database */
    const char *tokens; /* NULL: as configured */
    const char *socket; /* NULL: as configured */
    unsigned port;      /* 0: as configured */
    bool any_port;      /* any that is free */
};

/* Returns when a signal asks for the end. */
enum fm_status fm_site_server_run(const struct fm_site_server_options *options, struct fm_error *error);

#endif
