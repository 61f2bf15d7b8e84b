/* SPDX-License-Identifier: BSD-3-Clause */
/* Server-sent events: one for each version of a watched job, and a last one when it has ended. A client that reads more
 * slowly gets fewer versions. */
#ifndef FM_HTTP_STREAM_H
#define FM_HTTP_STREAM_H

#include <microhttpd.h>

#include "http/state.h"

#define FM_BEAT_NS 15000000000ull /* without an event, a comment is sent: shows whether the client is still there */

/* Answers the request with a stream of the job, which must be watched. */
enum MHD_Result fm_stream_begin(struct fm_server *server, struct fm_http_request *request);
/* With the lock: goes on with the streams of a job that has something new. */
void fm_streams_wake(struct fm_watched *watched);
/* With the lock: goes on with those to which a comment is to be sent. */
void fm_streams_tick(struct fm_watched *watched, uint64_t now_ns);

#endif
