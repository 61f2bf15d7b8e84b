/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/handler.h"

#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "http/page.h"
#include "http/reply.h"
#include "http/stream.h"
#include "http/work.h"

enum {
    MEMORY = 16 << 10, /* of a connection: address and headers of a request fit in here, or it is refused */
    ADDRESS = 2048,    /* characters of an address */
    IDLE_SECONDS = 15, /* without a byte */
};

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
                                const struct fm_client *client, const char *method, const char *path)
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
        .other_user = client->other_user,
    };
    MHD_get_connection_values(connection, MHD_HEADER_KIND, count_hosts, &asked.hosts);
    return asked;
}

/* The length of the address and its query is known only here, in what the client has sent. */
static void *note_address(void *context, const char *address, struct MHD_Connection *connection)
{
    (void)context, (void)connection;
    struct fm_http_request *request = calloc(1, sizeof *request);
    if (request)
        request->long_address = strlen(address) > ADDRESS;
    return request;
}

/* ---- steps of a request ---- */

static enum MHD_Result refuse(struct fm_server *server, struct fm_http_request *request, unsigned code,
                              const char *sentence)
{
    struct fm_answer answer = fm_answer_plain(code, sentence);
    answer.closes = true;
    fm_client_limit(&server->clients, request->client, FM_REQUEST_NS);
    return fm_reply(request->connection, &answer);
}

/* With the headers. A refused client is not listened to any further: to answer now closes the connection. */
static enum MHD_Result admit(struct fm_server *server, struct fm_http_request *request, const char *method,
                             const char *path)
{
    struct fm_asked asked = asked_of(server, request->connection, request->client, method, path);
    struct fm_verdict_of_guard verdict = fm_guard_check(&server->guard, &asked);
    if (request->long_address)
        return refuse(server, request, 414, "the address is too long");
    if (verdict.refused)
        return refuse(server, request, verdict.refused, verdict.sentence);
    if (verdict.welcome)
        request->answer = (struct fm_answer){.code = 303, .kind = FM_ANSWER_TEXT, .cookie = server->cookie};
    request->route = fm_route_of(path);
    return MHD_YES;
}

static void find_page(struct fm_server *server, struct fm_http_request *request)
{
    static const char *const keys[] = {[FM_ROUTE_SCRIPT] = "app.js", [FM_ROUTE_STYLE] = "app.css"};
    enum fm_route_kind kind = request->route.kind;
    struct fm_answer *answer = &request->answer;
    if (kind == FM_ROUTE_PAGE) {
        *answer = fm_page(FM_ANSWER_PAGE);
        return;
    }
    if (!fm_work_cached(server, keys[kind], answer)) {
        *answer = fm_page(kind == FM_ROUTE_SCRIPT ? FM_ANSWER_SCRIPT : FM_ANSWER_STYLE);
        if (answer->blob) {
            fm_work_tag(server, keys[kind], answer->tag);
            fm_cache_put(&server->cache, keys[kind], answer->blob);
        }
    }
    if (answer->blob)
        answer->kind = kind == FM_ROUTE_SCRIPT ? FM_ANSWER_SCRIPT : FM_ANSWER_STYLE;
}

/* Returns false if the request waits for a task. */
static bool begin(struct fm_server *server, struct fm_http_request *request)
{
    switch (request->route.kind) {
    case FM_ROUTE_PAGE:
    case FM_ROUTE_SCRIPT:
    case FM_ROUTE_STYLE:
        find_page(server, request);
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
    default:
        request->answer = fm_answer_error(404, "there is nothing at this address");
        return true;
    }
}

static enum MHD_Result answer(struct fm_server *server, struct fm_http_request *request)
{
    bool is_stream = request->route.kind == FM_ROUTE_JOB_STREAM && request->answer.code == 200;
    fm_client_limit(&server->clients, request->client, is_stream ? 0 : FM_RESPONSE_NS);
    if (is_stream)
        return fm_stream_begin(server, request);
    return fm_reply(request->connection, &request->answer);
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *path, const char *method,
                              const char *version, const char *body, size_t *body_bytes, void **state)
{
    struct fm_server *server = context;
    struct fm_http_request *request = *state;
    (void)version, (void)body;
    if (!request)
        return MHD_NO;
    if (!request->connection) { /* the first call, with the headers */
        const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
        request->connection = connection;
        request->client = info ? info->socket_context : NULL;
        return request->client ? admit(server, request, method, path) : MHD_NO;
    }
    if (*body_bytes)
        return MHD_NO;
    if (request->answer.code)
        return answer(server, request);
    fm_client_limit(&server->clients, request->client, 0); /* now it is the client who waits */
    pthread_mutex_lock(&server->tasks.lock);
    bool answered = true;
    if (server->tasks.stopping)
        request->answer = fm_answer_error(503, "the server ends");
    else
        answered = begin(server, request);
    pthread_mutex_unlock(&server->tasks.lock);
    return answered ? answer(server, request) : MHD_YES;
}

static void end_request(void *context, struct MHD_Connection *connection, void **state,
                        enum MHD_RequestTerminationCode code)
{
    struct fm_server *server = context;
    struct fm_http_request *request = *state;
    (void)connection, (void)code;
    if (!request)
        return;
    if (request->client)
        fm_client_limit(&server->clients, request->client, FM_REQUEST_NS);
    fm_blob_release(request->answer.blob);
    free(request);
    *state = NULL;
}

/* ---- connections ---- */

static void notify(void *context, struct MHD_Connection *connection, void **client,
                   enum MHD_ConnectionNotificationCode code)
{
    struct fm_server *server = context;
    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        if (*client)
            fm_client_remove(&server->clients, *client);
        *client = NULL;
        return;
    }
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    *client = info ? fm_client_add(&server->clients, info->connect_fd) : NULL;
}

/* Nothing is escaped in our addresses; what is escaped in others is not to become something else. */
static size_t leave_escaped(void *context, struct MHD_Connection *connection, char *text)
{
    (void)context, (void)connection;
    return strlen(text);
}

/* What clients do wrong is no matter for the user's terminal. */
static void log_nothing(void *context, const char *format, va_list values)
{
    (void)context, (void)format, (void)values;
}

struct MHD_Daemon *fm_handler_start(struct fm_server *server, const struct fm_listener *listener,
                                    struct fm_error *error)
{
    const unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;
    /* the logger comes first: it is also told about what follows */
    struct MHD_Daemon *daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, handle, server, MHD_OPTION_EXTERNAL_LOGGER, log_nothing, NULL, MHD_OPTION_LISTEN_SOCKET,
        listener->fd, MHD_OPTION_CONNECTION_LIMIT, (unsigned)FM_CLIENTS_MOST, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY, MHD_OPTION_NOTIFY_COMPLETED,
        end_request, server, MHD_OPTION_NOTIFY_CONNECTION, notify, server, MHD_OPTION_URI_LOG_CALLBACK, note_address,
        server, MHD_OPTION_UNESCAPE_CALLBACK, leave_escaped, NULL, MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_END);
    if (!daemon)
        fm_fail(error, FM_ERR_SYSTEM, "cannot start the server");
    return daemon;
}

void fm_handler_quiesce(struct MHD_Daemon *daemon)
{
    if (daemon)
        MHD_quiesce_daemon(daemon); /* gives the listening socket back to us */
}

void fm_handler_stop(struct MHD_Daemon *daemon)
{
    if (daemon)
        MHD_stop_daemon(daemon);
}
