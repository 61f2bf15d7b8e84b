/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "http/peer.h"
#include "http/stream.h"
#include "http/work.h"

static enum fm_status make_guard(struct fm_server *server, unsigned port, struct fm_error *error)
{
    if (!fm_guard_make(&server->guard, port))
        return fm_fail(error, FM_ERR_SYSTEM, "the system gives no random numbers for a token");
    snprintf(server->cookie, sizeof server->cookie, "%s=%s; HttpOnly; SameSite=Strict; Path=/", server->guard.cookie,
             server->guard.token);
    return FM_OK;
}

static enum fm_status find_something(struct fm_server *server, struct fm_error *error)
{
    const struct fm_server_options *options = server->options;
    struct fm_running running;
    bool found = fm_work_first_look(server) > 0;
    if (!found && fm_running_find(&running, NULL)) {
        fm_running_find_all(&running);
        found = running.n > 0 || running.all.n > 0;
        fm_running_close(&running);
    }
    struct stat st;
    for (size_t i = 0; i < options->n_places && !found; i++) /* jobs may write to it later */
        found = strcmp(options->places[i], ".") != 0 && stat(options->places[i], &st) == 0 && S_ISDIR(st.st_mode);
    if (found)
        return FM_OK;
    return fm_fail(error, FM_ERR_INPUT, "there is no profile in %s%s, and no MPI job of yours is running",
                   strcmp(options->places[0], ".") == 0 ? "this directory" : options->places[0],
                   options->n_places > 1 ? " and the other places" : "");
}

static void print_address(const struct fm_service *service, const struct fm_listener *listener)
{
    const struct fm_server *server = (const struct fm_server *)service;
    char host[256] = "HOST";
    gethostname(host, sizeof host - 1);
    if (listener->port)
        printf("Serving at http://127.0.0.1:%u/?token=%s\n", listener->port, server->guard.token);
    else
        printf("Serving at %s; on your own machine run: ssh -L 8080:%s %s\n"
               "and open http://localhost:8080/?token=%s\n",
               listener->path, listener->path, host, server->guard.token);
    fflush(stdout);
}

/* ---- what a request says ---- */

static const char *header(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static const char *argument(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);
}

static enum MHD_Result count_hosts(void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
    (void)kind, (void)value;
    *(size_t *)context += strcasecmp(name, "Host") == 0;
    return MHD_YES;
}

static struct fm_asked asked_of(const struct fm_server *server, struct MHD_Connection *connection,
                                const struct fm_client *client, const char *method, const char *path, bool is_action)
{
    const char *length = header(connection, "Content-Length");
    struct fm_asked asked = {
        .method = method,
        .path = path,
        .host = header(connection, "Host"),
        .origin = header(connection, "Origin"),
        .fetch_site = header(connection, "Sec-Fetch-Site"),
        .authorization = header(connection, "Authorization"),
        .cookie = MHD_lookup_connection_value(connection, MHD_COOKIE_KIND, server->guard.cookie),
        .token = argument(connection, "token"),
        .has_body = (length && strcmp(length, "0") != 0) || header(connection, "Transfer-Encoding"),
        .other_user = server->service.clients.is_unix && (client->user < 0 || !fm_peer_is_welcome(client->user)),
        .is_action = is_action,
    };
    MHD_get_connection_values(connection, MHD_HEADER_KIND, count_hosts, &asked.hosts);
    return asked;
}

static void admit(struct fm_service *service, struct fm_http_request *request, const char *method, const char *path)
{
    struct fm_server *server = (struct fm_server *)service;
    request->route = fm_route_of(path);
    bool is_action = fm_route_is_action(request->route.kind);
    struct fm_asked asked = asked_of(server, request->connection, request->client, method, path, is_action);
    struct fm_verdict_of_guard verdict = fm_guard_check(&server->guard, &asked);
    if (verdict.refused) {
        request->answer = fm_answer_plain(verdict.refused, verdict.sentence);
        request->answer.closes = true;
        request->answer.allows = is_action ? "POST" : "GET, HEAD";
    } else if (verdict.welcome) {
        request->answer = (struct fm_answer){.code = 303, .kind = FM_ANSWER_TEXT, .cookie = server->cookie};
    }
}

static bool begin(struct fm_service *service, struct fm_http_request *request)
{
    struct fm_server *server = (struct fm_server *)service;
    switch (request->route.kind) {
    case FM_ROUTE_PAGE:
        request->answer = fm_service_page(service, FM_ANSWER_PAGE);
        return true;
    case FM_ROUTE_SCRIPT:
        request->answer = fm_service_page(service, FM_ANSWER_SCRIPT);
        return true;
    case FM_ROUTE_STYLE:
        request->answer = fm_service_page(service, FM_ANSWER_STYLE);
        return true;
    case FM_ROUTE_LIST:
        return fm_work_list(server, request);
    case FM_ROUTE_SLICE:
        return fm_work_slice(server, request);
    case FM_ROUTE_SCALE:
        return fm_work_scale(server, request, argument(request->connection, "mode"),
                             argument(request->connection, "view"), argument(request->connection, "profiles"));
    case FM_ROUTE_HISTORY:
        return fm_work_history(server, request);
    case FM_ROUTE_JOBS:
        return fm_work_jobs(server, request);
    case FM_ROUTE_JOB_SLICE:
    case FM_ROUTE_JOB_STREAM:
        return fm_work_job(server, request);
    case FM_ROUTE_JOB_SAMPLE:
        fm_work_sample(server, request);
        return true;
    case FM_ROUTE_JOB_STOP:
        fm_work_stop_sampling(server, request);
        return true;
    default:
        request->answer = fm_answer_error(404, "there is nothing at this address");
        return true;
    }
}

/* ---- as a service ---- */

/* Other users of this host are not even listened to: so they cannot take the connections of the user either. */
static bool welcomes(const struct fm_service *service, const struct sockaddr_in *peer)
{
    return fm_peer_is_welcome(fm_peer_user(peer, service->port));
}

static bool send_stream(struct fm_service *service, struct fm_http_request *request, enum MHD_Result *result)
{
    if (request->route.kind != FM_ROUTE_JOB_STREAM || request->answer.code != 200)
        return false;
    fm_client_limit(&service->clients, request->client, 0);
    *result = fm_stream_begin((struct fm_server *)service, request);
    return true;
}

static void tick(struct fm_service *service, uint64_t now_ns)
{
    fm_work_jobs_tick((struct fm_server *)service, now_ns);
}

static void end(struct fm_service *service)
{
    fm_work_jobs_end((struct fm_server *)service);
}

static void close_all(struct fm_service *service)
{
    struct fm_server *server = (struct fm_server *)service;
    fm_profile_store_close(&server->store);
    fm_work_jobs_close(server);
    fm_arena_destroy(&server->arena);
}

static const struct fm_service_functions functions = {
    .welcomes = welcomes,
    .admit = admit,
    .begin = begin,
    .send = send_stream,
    .announce = print_address,
    .tick = tick,
    .end = end,
    .close = close_all,
};

enum fm_status fm_server_run(const struct fm_server_options *options, struct fm_error *error)
{
    /* static: a worker that does not end in time still uses it */
    static struct fm_server server;
    struct fm_listener listener;
    server = (struct fm_server){.options = options};
    setenv("DEBUGINFOD_URLS", "", 1); /* as symbols do, but before there are threads that read the environment */
    enum fm_status status = fm_service_init(&server.service, &functions, error);
    server.service.source = "server";
    server.service.ends_with_session = true;
    if (!status)
        status = find_something(&server, error);
    if (!status)
        status = options->source.modules
                     ? fm_module_map_read(&server.map, options->source.modules, &server.arena, error)
                     : fm_module_map_usual(&server.map, &server.arena, error);
    if (status)
        return status;
    status = options->socket
                 ? fm_listen_socket(&listener, options->socket, 0600, error)
                 : fm_listen_port(&listener, (struct in_addr){htonl(INADDR_LOOPBACK)}, options->port, error);
    if (status)
        return status;
    status = make_guard(&server, listener.port, error);
    if (!status)
        status = fm_service_run(&server.service, &listener, error);
    fm_listen_close(&listener);
    return status;
}
