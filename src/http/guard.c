/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/guard.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

/* ---- token ---- */

static bool random_hex(char *text, size_t chars)
{
    unsigned char bytes[FM_TOKEN_CHARS / 2];
    if (getrandom(bytes, chars / 2, 0) != (ssize_t)(chars / 2))
        return false;
    for (size_t i = 0; i < chars / 2; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

bool fm_guard_make(struct fm_guard *guard, unsigned port)
{
    char name[9] = "";
    *guard = (struct fm_guard){.port = port};
    if (!random_hex(guard->token, FM_TOKEN_CHARS) || (!port && !random_hex(name, 8)))
        return false;
    if (port)
        snprintf(guard->cookie, sizeof guard->cookie, "fathom-%u", port);
    else
        snprintf(guard->cookie, sizeof guard->cookie, "fathom-%s", name);
    return true;
}

bool fm_token_equal(const char *token, const char *given)
{
    unsigned char differs = strlen(given) != FM_TOKEN_CHARS;
    const char *compared = differs ? token : given; /* of the right length; the result is false anyway */
    for (size_t i = 0; i < FM_TOKEN_CHARS; i++)
        differs |= (unsigned char)(token[i] ^ compared[i]);
    __asm__ volatile("" : "+r"(differs)); /* the compiler must not leave the loop early */
    return !differs;
}

static bool bearer_is_right(const struct fm_guard *guard, const char *authorization)
{
    static const char scheme[] = "Bearer ";
    return authorization && strncmp(authorization, scheme, sizeof scheme - 1) == 0 &&
           fm_token_equal(guard->token, authorization + sizeof scheme - 1);
}

/* ---- where the request comes from ---- */

static bool is_port(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits > 0 && digits <= 5 && !text[digits];
}

/* "127.0.0.1:8080", "localhost:8080"; of a unix socket with any port, or none. */
static bool host_is_ours(const struct fm_guard *guard, const char *host)
{
    static const char *const names[] = {"127.0.0.1", "localhost"};
    char port[8];
    snprintf(port, sizeof port, "%u", guard->port);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(host, names[i], length) != 0)
            continue;
        if (!guard->port && (!host[length] || (host[length] == ':' && is_port(host + length + 1))))
            return true;
        if (guard->port && host[length] == ':' && strcmp(host + length + 1, port) == 0)
            return true;
    }
    return false;
}

/* A page of this server, under the name by which it is asked now. */
static bool origin_is_ours(const char *host, const char *origin)
{
    static const char scheme[] = "http://";
    return strncmp(origin, scheme, sizeof scheme - 1) == 0 && strcmp(origin + sizeof scheme - 1, host) == 0;
}

/* A server on another port of this host is another site for us, but not for the browser. */
static bool site_is_ours(const char *fetch_site)
{
    return strcmp(fetch_site, "same-origin") == 0 || strcmp(fetch_site, "none") == 0;
}

static struct fm_verdict_of_guard refuse(unsigned status, const char *sentence)
{
    return (struct fm_verdict_of_guard){.refused = status, .sentence = sentence};
}

struct fm_verdict_of_guard fm_guard_check(const struct fm_guard *guard, const struct fm_asked *asked)
{
    if (asked->other_user)
        return refuse(403, "this server belongs to another user");
    bool posts = strcmp(asked->method, "POST") == 0,
         gets = strcmp(asked->method, "GET") == 0 || strcmp(asked->method, "HEAD") == 0;
    if (asked->is_action ? !posts : !gets)
        return refuse(405, asked->is_action ? "only POST is allowed here" : "only GET and HEAD are allowed");
    if (asked->has_body)
        return refuse(400, "a request must not have a body");
    if (asked->hosts != 1 || !asked->host || !host_is_ours(guard, asked->host))
        return refuse(403, "the request is for another host; use the address that fathom serve has printed");
    if (asked->origin && !origin_is_ours(asked->host, asked->origin))
        return refuse(403, "pages of other sites may not ask this server");
    if (asked->fetch_site && !site_is_ours(asked->fetch_site))
        return refuse(403, "pages of other sites may not ask this server; copy the address into the browser");
    if (asked->token && strcmp(asked->path, "/") == 0) {
        if (fm_token_equal(guard->token, asked->token))
            return (struct fm_verdict_of_guard){.welcome = true};
        return refuse(403, "the token is wrong; use the address that fathom serve has printed");
    }
    bool bearer = bearer_is_right(guard, asked->authorization);
    if (posts && !bearer && !asked->origin)
        return refuse(403, "the request does not say which page it comes from");
    if (bearer || (asked->cookie && fm_token_equal(guard->token, asked->cookie)))
        return (struct fm_verdict_of_guard){0};
    return refuse(403, "the token is missing; use the address that fathom serve has printed");
}
