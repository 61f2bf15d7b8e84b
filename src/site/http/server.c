/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/http/server.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "http/peer.h"
#include "site/config/keep.h"
#include "site/http/kept.h"
#include "site/http/work.h"

#define COOKIE "fathom-site"
enum { SECONDS_OF_COOKIE = 30 * 86400, CONNECTIONS_OF_ONE = 60 };

/* ---- what a request says ---- */

static const char *header(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

struct header_count {
    const char *name;
    size_t n;
};

static enum MHD_Result count_header(void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
    struct header_count *count = context;
    (void)kind, (void)value;
    count->n += strcasecmp(name, count->name) == 0;
    return MHD_YES;
}

static size_t headers(struct MHD_Connection *connection, const char *name)
{
    struct header_count count = {name, 0};
    MHD_get_connection_values(connection, MHD_HEADER_KIND, count_header, &count);
    return count.n;
}

/* Who is at the other end. */
static void set_peer(const struct fm_client *client, struct fm_site_asks *asks)
{
    asks->peer = client->user;
    asks->address = client->address;
    asks->is_here = !client->address || client->address >> 24 == IN_LOOPBACKNET;
}

static void set_asks(struct fm_site_server *server, struct fm_http_request *request, const char *method,
                     enum fm_site_route_kind kind, struct fm_site_asks *asks)
{
    struct MHD_Connection *connection = request->connection;
    const char *length = header(connection, "Content-Length"), *user = server->config->http_user_header;
    *asks = (struct fm_site_asks){
        .method = method,
        .host = header(connection, "Host"),
        .origin = header(connection, "Origin"),
        .fetch_site = header(connection, "Sec-Fetch-Site"),
        .authorization = header(connection, "Authorization"),
        .cookie = MHD_lookup_connection_value(connection, MHD_COOKIE_KIND, COOKIE),
        .user = *user ? header(connection, user) : NULL,
        .hosts = headers(connection, "Host"),
        .users = *user ? headers(connection, user) : 0,
        .has_body = (length && strcmp(length, "0") != 0) || headers(connection, "Content-Length") > 1 ||
                    header(connection, "Transfer-Encoding"),
        .is_action = fm_site_route_is_action(kind),
        .is_open = fm_site_route_is_open(kind),
        .is_login = kind == FM_SITE_LOGIN,
        .is_metrics = kind == FM_SITE_METRICS,
    };
    set_peer(request->client, asks);
}

struct adding {
    struct fm_site_request *request;
    const char *wrong;
};

static enum MHD_Result add_parameter(void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
    struct adding *adding = context;
    (void)kind;
    if (!adding->wrong)
        adding->wrong = fm_site_parameters_add(&adding->request->parameters, adding->request->route.kind, name, value);
    return MHD_YES;
}

/* ---- steps of a request ---- */

static void refuse(struct fm_http_request *request, const struct fm_site_refusal *refusal, bool is_action, bool asks)
{
    request->answer = fm_answer_error(refusal->code, refusal->sentence);
    request->answer.closes = true;
    request->answer.allows = is_action ? "POST" : "GET, HEAD";
    request->answer.asks_for_token = asks && refusal->code == 401;
}

static void log_in(const struct fm_site_asks *asks, struct fm_http_request *request)
{
    struct fm_site_request *site = request->asked;
    bool tls = asks->origin && strncmp(asks->origin, "https:", 6) == 0, leaves = site->route.kind == FM_SITE_LOGOUT;
    const char *token = asks->authorization ? asks->authorization + strlen("Bearer ") : "";
    if (!leaves &&
        (!site->viewer.known || !asks->authorization || strlen(token) > 128 ||
         strspn(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=") != strlen(token))) {
        request->answer = fm_answer_error(401, "a token is needed, as Authorization: Bearer");
        request->answer.asks_for_token = true;
        return;
    }
    snprintf(site->cookie, sizeof site->cookie, COOKIE "=%s; HttpOnly; SameSite=Strict; Path=/; Max-Age=%d%s",
             leaves ? "" : token, leaves ? 0 : SECONDS_OF_COOKIE, tls ? "; Secure" : "");
    request->answer = (struct fm_answer){.code = 200, .kind = FM_ANSWER_JSON, .cookie = site->cookie};
    strcpy(request->answer.text, "{\"fathom\":1}\n");
}

static void admit(struct fm_service *service, struct fm_http_request *request, const char *method, const char *path)
{
    struct fm_site_server *server = (struct fm_site_server *)service;
    struct fm_site_request *site = request->asked = calloc(1, sizeof *site);
    struct fm_site_asks asks;
    if (!site) {
        request->answer = fm_answer_error(503, "not enough memory");
        request->answer.closes = true;
        return;
    }
    site->route = fm_site_route_of(path);
    set_asks(server, request, method, site->route.kind, &asks);
    struct fm_site_refusal refusal = fm_site_who_check(&server->who, &asks, &site->viewer);
    if (refusal.code) {
        refuse(request, &refusal, asks.is_action, server->who.way == FM_SITE_TOKENS);
        return;
    }
    if (asks.is_login || site->route.kind == FM_SITE_LOGOUT) {
        log_in(&asks, request);
        return;
    }
    struct adding adding = {site, NULL};
    if (!asks.is_open && site->route.kind != FM_SITE_NOTHING)
        MHD_get_connection_values(request->connection, MHD_GET_ARGUMENT_KIND, add_parameter, &adding);
    if (adding.wrong)
        request->answer = fm_answer_error(400, adding.wrong);
}

static bool begin(struct fm_service *service, struct fm_http_request *request)
{
    const struct fm_site_request *site = request->asked;
    switch (site->route.kind) {
    case FM_SITE_NOTHING:
        request->answer = fm_answer_error(404, FM_SITE_NOT_FOUND);
        return true;
    case FM_SITE_PAGE:
        request->answer = fm_service_page(service, FM_ANSWER_PAGE);
        return true;
    case FM_SITE_SCRIPT:
        request->answer = fm_service_page(service, FM_ANSWER_SCRIPT);
        return true;
    case FM_SITE_STYLE:
        request->answer = fm_service_page(service, FM_ANSWER_STYLE);
        return true;
    default:
        return fm_site_work((struct fm_site_server *)service, request);
    }
}

/* ---- as a service ---- */

static bool welcomes(const struct fm_service *service, const struct sockaddr_in *peer)
{
    (void)service, (void)peer;
    return true;
}

/* Users of this host count by themselves, others by their address. Behind a proxy there are many. */
static size_t connections(const struct fm_service *service, const struct sockaddr_in *peer, struct fm_client *client)
{
    const struct fm_site_server *server = (const struct fm_site_server *)service;
    struct fm_site_asks asks = {0};
    client->address = peer ? ntohl(peer->sin_addr.s_addr) : 0;
    if (peer && client->address >> 24 == IN_LOOPBACKNET) {
        client->user = fm_peer_user(peer, service->port);
        client->address = INADDR_LOOPBACK; /* whoever has one of these addresses has all */
    }
    set_peer(client, &asks);
    return fm_site_is_trusted(server->config->http_trusted, &asks) ? 0 : CONNECTIONS_OF_ONE;
}

static void announce(const struct fm_service *service, const struct fm_listener *listener)
{
    const struct fm_site_server *server = (const struct fm_site_server *)service;
    if (listener->path)
        printf("Serving the site at %s\n", listener->path);
    else
        printf("Serving the site at http://%s:%u/\n", server->config->http_address, listener->port);
    fflush(stdout);
}

static void tick(struct fm_service *service, uint64_t now_ns)
{
    fm_site_kept_tick((struct fm_site_server *)service, now_ns);
}

static void end(struct fm_service *service)
{
    (void)service;
}

static void close_all(struct fm_service *service)
{
    struct fm_site_server *server = (struct fm_site_server *)service;
    fm_site_kept_clear(&server->kept);
    fm_site_connections_close(&server->connections);
    fm_site_tag_rules_close(&server->tag_rules);
    fm_site_who_close(&server->who);
}

static const struct fm_service_functions functions = {
    .welcomes = welcomes,
    .connections = connections,
    .admit = admit,
    .begin = begin,
    .announce = announce,
    .tick = tick,
    .end = end,
    .close = close_all,
};

/* A configuration or a database that cannot work is said now, and not in the browser. */
static enum fm_status try_store(struct fm_site_server *server, struct fm_error *error)
{
    struct fm_store *store;
    bool used;
    enum fm_status status = fm_site_connection_take(&server->connections, FM_DB_READ, &store, &used, error);
    if (!status)
        fm_site_connection_give(&server->connections, store, false);
    return status;
}

static void check_keep(const char *keep)
{
    struct stat st;
    const char *fault = *keep && stat(keep, &st) == 0 ? fm_site_keep_fault(&st) : NULL;
    if (fault)
        fprintf(stderr, "fathom serve: %s %s: no profile in it is shown\n", keep, fault);
}

static enum fm_status listen_as_asked(struct fm_site_server *server, struct fm_listener *listener,
                                      struct fm_error *error)
{
    const struct fm_site_server_options *options = server->options;
    const struct fm_site_config *config = server->config;
    const char *path = options->socket ? options->socket : *config->http_socket ? config->http_socket : NULL;
    struct in_addr address;
    if (path && !options->port && !options->any_port)
        return fm_listen_socket(listener, path, 0666, error); /* who.h decides */
    inet_pton(AF_INET, config->http_address, &address);
    unsigned port = options->any_port ? 0 : options->port ? options->port : (unsigned)config->http_port;
    return fm_listen_port(listener, address, port, error);
}

enum fm_status fm_site_server_run(const struct fm_site_server_options *options, struct fm_error *error)
{
    /* static: a worker that does not end in time still uses it */
    static struct fm_site_server server;
    struct fm_listener listener;
    server = (struct fm_site_server){.options = options, .config = options->config};
    setenv("DEBUGINFOD_URLS", "", 1); /* before there are threads that read the environment */
    enum fm_status status = fm_service_init(&server.service, &functions, error);
    server.service.source = "site";
    if (options->config->http_port > 65535)
        return fm_fail(error, FM_ERR_INPUT, "http_port must be at most 65535");
    fm_site_connections_open(&server.connections, options->store, options->config->http_seconds);
    if (!status)
        status = fm_site_who_open(&server.who, options->config, options->tokens, error);
    if (!status)
        status = fm_site_tag_rules_read(&server.tag_rules, options->config->tag, error);
    if (!status)
        status = try_store(&server, error);
    if (!status)
        status = listen_as_asked(&server, &listener, error);
    if (status) {
        close_all(&server.service);
        return status;
    }
    check_keep(options->config->keep);
    server.who.port = listener.port;
    status = fm_service_run(&server.service, &listener, error);
    fm_listen_close(&listener);
    return status;
}
