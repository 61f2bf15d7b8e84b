/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "http/reply.h"
#include "http/work.h"

enum { BLOCK = 4096 };

struct fm_stream {
    struct fm_stream *next; /* of the same job */
    struct fm_server *server;
    struct fm_watched *watched;
    struct MHD_Connection *connection;
    uint64_t sent;    /* version */
    uint64_t beat_ns; /* when something was sent last */
    bool end_sent;
    bool suspended;
    char *text; /* to be sent */
    size_t at, bytes;
};

/* Sets what is to be sent next, if there is anything. */
static void find_next(struct fm_stream *stream)
{
    const struct fm_watched *watched = stream->watched;
    uint64_t now = fm_clock_ns(CLOCK_MONOTONIC);
    int length = -1;
    free(stream->text);
    stream->text = NULL;
    stream->at = stream->bytes = 0;
    if (watched->event && watched->version != stream->sent) {
        length = asprintf(&stream->text, "data: %s\n\n", watched->event);
        stream->sent = watched->version;
    } else if (watched->ended && !stream->end_sent) {
        length = *watched->profile
                     ? asprintf(&stream->text, "data: {\"fathom\":1,\"ended\":true,\"profile\":\"%s\"}\n\n",
                                watched->profile)
                     : asprintf(&stream->text, "data: {\"fathom\":1,\"ended\":true,\"profile\":null}\n\n");
        stream->end_sent = true;
    } else if (now >= stream->beat_ns + FM_BEAT_NS) {
        length = asprintf(&stream->text, ":\n\n");
    }
    if (length < 0) {
        stream->text = NULL;
        return;
    }
    stream->bytes = (size_t)length;
    stream->beat_ns = now;
}

static ssize_t read_stream(void *context, uint64_t position, char *buffer, size_t most)
{
    struct fm_stream *stream = context;
    pthread_mutex_t *lock = &stream->server->service.tasks.lock;
    size_t n = 0;
    (void)position;
    pthread_mutex_lock(lock);
    bool over = stream->server->service.tasks.stopping;
    if (stream->at == stream->bytes && !over) {
        bool ended = stream->end_sent;
        find_next(stream);
        over = ended && !stream->bytes;
    }
    if (stream->text && stream->at < stream->bytes && !over) {
        n = stream->bytes - stream->at < most ? stream->bytes - stream->at : most;
        memcpy(buffer, stream->text + stream->at, n);
        stream->at += n;
    } else if (!over) {
        stream->suspended = true;
        MHD_suspend_connection(stream->connection);
    }
    pthread_mutex_unlock(lock);
    return over ? MHD_CONTENT_READER_END_OF_STREAM : (ssize_t)n;
}

static void end_stream(void *context)
{
    struct fm_stream *stream = context;
    pthread_mutex_t *lock = &stream->server->service.tasks.lock;
    pthread_mutex_lock(lock);
    struct fm_stream **at = &stream->watched->streams;
    while (*at != stream)
        at = &(*at)->next;
    *at = stream->next;
    stream->watched->used_ns = fm_clock_ns(CLOCK_MONOTONIC);
    pthread_mutex_unlock(lock);
    free(stream->text);
    free(stream);
}

enum MHD_Result fm_stream_begin(struct fm_server *server, struct fm_http_request *request)
{
    struct fm_stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return MHD_NO;
    pthread_mutex_lock(&server->service.tasks.lock);
    struct fm_watched *watched = fm_watched_find(server->watched, request->route.id);
    if (watched) {
        *stream = (struct fm_stream){.next = watched->streams,
                                     .server = server,
                                     .watched = watched,
                                     .connection = request->connection,
                                     .beat_ns = fm_clock_ns(CLOCK_MONOTONIC)};
        watched->streams = stream;
    }
    pthread_mutex_unlock(&server->service.tasks.lock);
    if (!watched) {
        free(stream);
        return MHD_NO;
    }
    struct MHD_Response *response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, read_stream, stream,
                                                                      end_stream);
    if (!response) {
        end_stream(stream);
        return MHD_NO;
    }
    fm_reply_headers(response);
    MHD_add_response_header(response, "Content-Type", "text/event-stream");
    MHD_add_response_header(response, "Cache-Control", "no-store");
    enum MHD_Result result = MHD_queue_response(request->connection, 200, response);
    MHD_destroy_response(response);
    return result;
}

static void resume(struct fm_stream *stream)
{
    if (stream->suspended)
        MHD_resume_connection(stream->connection);
    stream->suspended = false;
}

void fm_streams_wake(struct fm_watched *watched)
{
    for (struct fm_stream *stream = watched->streams; stream; stream = stream->next)
        resume(stream);
}

void fm_streams_tick(struct fm_watched *watched, uint64_t now_ns)
{
    for (struct fm_stream *stream = watched->streams; stream; stream = stream->next)
        if (now_ns >= stream->beat_ns + FM_BEAT_NS)
            resume(stream);
}
