/* SPDX-License-Identifier: BSD-3-Clause */
/* Who may ask: every request passes here before anything else looks at it.
 *
 *   token    128 random bits, in the address that `fathom serve` prints. A request of `/` with it gets a cookie and is
 *            sent to `/`; all other requests must have the cookie, or the token as Authorization: Bearer.
 *   Host     must be this server under one of its own names. A page of another site whose name was made to point to
 *            127.0.0.1 (DNS rebinding) sends its own name.
 *   Origin   and Sec-Fetch-Site, if the browser sends them, must say that a page of this server asks.
 *
 * Only GET and HEAD are allowed, except for the few paths that make the server do something, which need POST. For these a
 * browser always says which page asks: with a cookie, Origin must be present.
 *
 * Pure functions: any thread may call them. */
#ifndef FM_HTTP_GUARD_H
#define FM_HTTP_GUARD_H

#include <stdbool.h>
#include <stddef.h>

enum { FM_TOKEN_CHARS = 32 };

struct fm_guard {
    char token[FM_TOKEN_CHARS + 1]; /* hexadecimal */
    char cookie[32];                /* its name: cookies do not belong to a port */
    unsigned port;                  /* 0: a unix socket, which ssh forwards to any port of localhost */
};

/* What a request says; NULL if absent. */
struct fm_asked {
    const char *method, *path;
    const char *host, *origin, *fetch_site, *authorization;
    const char *cookie, *token; /* the values of our cookie, and of the query's `token` */
    size_t hosts;               /* number of Host headers */
    bool has_body;
    bool is_action;  /* the path makes the server do something */
    bool other_user; /* of a unix socket: another user has connected */
};

struct fm_verdict_of_guard {
    unsigned refused;     /* HTTP status; 0: allowed */
    bool welcome;         /* the token was right: give the cookie, and redirect to `/` */
    const char *sentence; /* why it was refused */
};

/* Makes the token and the name of the cookie. Returns false if the system has no random numbers. */
bool fm_guard_make(struct fm_guard *guard, unsigned port);
struct fm_verdict_of_guard fm_guard_check(const struct fm_guard *guard, const struct fm_asked *asked);

/* Takes the same time wherever they differ. */
bool fm_token_equal(const char *token, const char *given);

#endif
