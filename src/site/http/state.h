/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to a site's server: what its threads share. */
#ifndef FM_SITE_HTTP_STATE_H
#define FM_SITE_HTTP_STATE_H

#include "http/service.h"
#include "site/http/connections.h"
#include "site/http/kept_index.h"
#include "site/http/parameters.h"
#include "site/http/server.h"
#include "site/http/tag_rules.h"
#include "site/http/who.h"

struct fm_site_server {
    struct fm_service service;
    const struct fm_site_server_options *options;
    const struct fm_site_config *config;
    struct fm_site_who who; /* of the thread that talks to clients */
    struct fm_site_connections connections;
    struct fm_site_tag_rules tag_rules; /* never change */
    struct fm_site_kept kept;
    bool writes; /* one task at a time: whoever holds the database locked must not keep all workers waiting */
};

/* What a request asks for, and for whom. */
struct fm_site_request {
    struct fm_site_route route;
    struct fm_site_viewer viewer;
    struct fm_site_parameters parameters;
    char cookie[256]; /* that the answer sets */
};

#endif
