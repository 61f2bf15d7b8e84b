/* SPDX-License-Identifier: BSD-3-Clause */
/* Who may ask a site's server, and who it is that asks: every request passes here before anything else looks at it. Users
 * are known in exactly one way:
 *
 *   tokens   a token of the file (tokens.h), as Authorization: Bearer, or as the cookie that a login has set
 *   header   a header that the site's proxy sets; believed from trusted connections only, and only if it is there once
 *   local    neither is configured: the owner of the other end of the connection, on this host
 *
 * The staff are those of the configuration's `staff`, those whose token says so, and root on this host. As for the server of
 * one user (http/guard.h), Host must be one of the server's names, Origin and Sec-Fetch-Site must say that a page of this
 * server asks, and what changes something needs POST.
 *
 * Used by the thread that talks to clients. */
#ifndef FM_SITE_HTTP_WHO_H
#define FM_SITE_HTTP_WHO_H

#include <netinet/in.h>
#include <stdint.h>

#include "base/siphash.h"
#include "site/config/config.h"
#include "site/http/tokens.h"

enum fm_site_way { FM_SITE_LOCAL, FM_SITE_TOKENS, FM_SITE_HEADER };
extern const char *const fm_site_ways[]; /* their names in the API */

/* Whoever asks. `name` is as in the database: hashed if the site hashes names. */
struct fm_site_viewer {
    char user[FM_SITE_USER], name[FM_SITE_USER];
    bool known, staff;
};

/* What a request says; NULL if absent. */
struct fm_site_asks {
    const char *method, *host, *origin, *fetch_site, *authorization, *cookie;
    const char *user;    /* the proxy's header */
    size_t hosts, users; /* number of Host headers, and of the proxy's */
    bool has_body, is_action, is_open;
    bool is_login, is_metrics;
    long peer;        /* user at the other end of a connection of this host; -1: unknown, or elsewhere */
    bool is_here;     /* the other end is on this host */
    uint32_t address; /* of the other end, in the byte order of this host; 0: a unix socket */
};

struct fm_site_refusal {
    unsigned code; /* HTTP status; 0: allowed */
    const char *sentence;
};

enum { FM_SITE_STAFF_KNOWN = 256 };
struct fm_site_who {
    enum fm_site_way way;
    const struct fm_site_config *config;
    unsigned port; /* 0: a unix socket */
    struct fm_site_tokens tokens;
    bool hash_names;
    struct fm_siphash_key hash_key;
    struct {
        char user[FM_SITE_USER];
        bool staff;
        uint64_t until_ns;
    } staff[FM_SITE_STAFF_KNOWN]; /* who was looked up lately */
};

/* tokens: file of the command line, or NULL. The configuration must outlive it. */
enum fm_status fm_site_who_open(struct fm_site_who *who, const struct fm_site_config *config, const char *tokens,
                                struct fm_error *error);
void fm_site_who_close(struct fm_site_who *who);

struct fm_site_refusal fm_site_who_check(struct fm_site_who *who, const struct fm_site_asks *asks,
                                         struct fm_site_viewer *viewer);

/* ---- pure functions ---- */

/* A list of addresses, networks and user:NAME. Returns the first word that is none, or NULL. */
const char *fm_site_trusted_wrong(const char *list);
/* A connection from this host counts by its user alone: everybody can connect from 127.0.0.1. */
bool fm_site_is_trusted(const char *list, const struct fm_site_asks *asks);
/* Whether a user is in a list of names and @groups; asks the system about groups. */
bool fm_site_staff_has(const char *list, const char *user);
/* Whether a Host header names this server; hosts: the configuration's. */
bool fm_site_host_is_ours(const char *hosts, unsigned port, const char *host);

#endif
