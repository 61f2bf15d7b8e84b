/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/handler.h"

#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "http/reply.h"

enum {
    MEMORY = 16 << 10, /* of a connection: address and headers of a request fit in here, or it is refused */
    ADDRESS = 2048,    /* characters of an address */
    IDLE_SECONDS = 15, /* without a byte */
};

/* ---- what a request says ---- */

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

static void count(struct fm_service *service, unsigned code)
{
    if (code < FM_SERVICE_CODES)
        atomic_fetch_add_explicit(&service->answers[code], 1, memory_order_relaxed);
}

/* A refused client is not listened to any further: to answer now closes the connection. */
static enum MHD_Result admit(struct fm_service *service, struct fm_http_request *request, const char *method,
                             const char *path)
{
    if (request->long_address) {
        request->answer = fm_answer_plain(414, "the address is too long");
        request->answer.closes = true;
    } else {
        service->functions->admit(service, request, method, path);
    }
    if (!request->answer.closes)
        return MHD_YES;
    fm_client_limit(&service->clients, request->client, FM_REQUEST_NS);
    count(service, request->answer.code);
    return fm_reply(request->connection, &request->answer);
}

static enum MHD_Result answer(struct fm_service *service, struct fm_http_request *request)
{
    enum MHD_Result result;
    count(service, request->answer.code);
    if (service->functions->send && service->functions->send(service, request, &result))
        return result;
    fm_client_limit(&service->clients, request->client, FM_RESPONSE_NS);
    return fm_reply(request->connection, &request->answer);
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *path, const char *method,
                              const char *version, const char *body, size_t *body_bytes, void **state)
{
    struct fm_service *service = context;
    struct fm_http_request *request = *state;
    (void)version, (void)body;
    if (!request)
        return MHD_NO;
    if (!request->connection) { /* the first call, with the headers */
        const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
        request->connection = connection;
        request->client = info ? info->socket_context : NULL;
        return request->client ? admit(service, request, method, path) : MHD_NO;
    }
    if (*body_bytes)
        return MHD_NO;
    if (request->answer.code)
        return answer(service, request);
    fm_client_limit(&service->clients, request->client, 0); /* now it is the client who waits */
    pthread_mutex_lock(&service->tasks.lock);
    bool answered = true;
    if (service->tasks.stopping)
        request->answer = fm_answer_error(503, "the server ends");
    else
        answered = service->functions->begin(service, request);
    pthread_mutex_unlock(&service->tasks.lock);
    return answered ? answer(service, request) : MHD_YES;
}

static void end_request(void *context, struct MHD_Connection *connection, void **state,
                        enum MHD_RequestTerminationCode code)
{
    struct fm_service *service = context;
    struct fm_http_request *request = *state;
    (void)connection, (void)code;
    if (!request)
        return;
    if (request->client)
        fm_client_limit(&service->clients, request->client, FM_REQUEST_NS);
    fm_blob_release(request->answer.blob);
    free(request->asked);
    free(request);
    *state = NULL;
}

/* ---- connections ---- */

static enum MHD_Result accept_from(void *context, const struct sockaddr *address, socklen_t size)
{
    const struct fm_service *service = context;
    struct sockaddr_in peer;
    if (service->clients.is_unix || size < sizeof peer || address->sa_family != AF_INET)
        return MHD_YES;
    memcpy(&peer, address, sizeof peer);
    return service->functions->welcomes(service, &peer) ? MHD_YES : MHD_NO;
}

/* Closed at once: it must not take the place of somebody else's until it has sent a request. */
static void limit_connections(struct fm_service *service, struct MHD_Connection *connection, struct fm_client *client)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr_in *peer = info ? (const struct sockaddr_in *)(const void *)info->client_addr : NULL;
    bool known = !service->clients.is_unix && peer && peer->sin_family == AF_INET;
    size_t most = service->functions->connections(service, known ? peer : NULL, client);
    if (most && fm_client_connections(&service->clients, client) > most)
        shutdown(client->fd, SHUT_RDWR);
}

static void notify(void *context, struct MHD_Connection *connection, void **client,
                   enum MHD_ConnectionNotificationCode code)
{
    struct fm_service *service = context;
    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        if (*client)
            fm_client_remove(&service->clients, *client);
        *client = NULL;
        return;
    }
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    *client = info ? fm_client_add(&service->clients, info->connect_fd) : NULL;
    if (*client && service->functions->connections)
        limit_connections(service, connection, *client);
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

struct MHD_Daemon *fm_handler_start(struct fm_service *service, const struct fm_listener *listener,
                                    struct fm_error *error)
{
    const unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;
    /* the logger comes first: it is also told about what follows */
    struct MHD_Daemon *daemon = MHD_start_daemon(
        flags, 0, accept_from, service, handle, service, MHD_OPTION_EXTERNAL_LOGGER, log_nothing, NULL,
        MHD_OPTION_LISTEN_SOCKET, listener->fd, MHD_OPTION_CONNECTION_LIMIT, (unsigned)FM_CLIENTS_MOST,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY,
        MHD_OPTION_NOTIFY_COMPLETED, end_request, service, MHD_OPTION_NOTIFY_CONNECTION, notify, service,
        MHD_OPTION_URI_LOG_CALLBACK, note_address, service, MHD_OPTION_UNESCAPE_CALLBACK, leave_escaped, NULL,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_END);
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
