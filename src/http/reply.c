/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/reply.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const types[] = {
    [FM_ANSWER_JSON] = "application/json",
    [FM_ANSWER_SCRIPT] = "text/javascript; charset=utf-8",
    [FM_ANSWER_STYLE] = "text/css; charset=utf-8",
    [FM_ANSWER_PAGE] = "text/html; charset=utf-8",
    [FM_ANSWER_TEXT] = "text/plain; charset=utf-8",
    [FM_ANSWER_METRICS] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/* Nothing from elsewhere, no script in a page, no page inside another one. */
static const char policy[] = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
                             "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

static const char *header(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

void fm_reply_headers(struct MHD_Response *response)
{
    MHD_add_response_header(response, "Content-Security-Policy", policy);
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "X-Frame-Options", "DENY");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
    MHD_add_response_header(response, "Cross-Origin-Opener-Policy", "same-origin");
}

/* Whether a list such as "br, gzip;q=0.5" has gzip, and not as "gzip;q=0". */
static bool accepts_gzip(const char *list)
{
    while (list && *list) {
        size_t length = strcspn(list, ",");
        const char *item = list + strspn(list, " \t");
        size_t name = strcspn(item, " \t;,");
        if ((name == 4 && strncasecmp(item, "gzip", 4) == 0) || (name == 1 && *item == '*')) {
            char weight[16] = "";
            const char *given = memchr(item, '=', (size_t)(list + length - item));
            if (given)
                snprintf(weight, sizeof weight, "%.*s", (int)(list + length - given - 1), given + 1);
            return !given || strtod(weight, NULL) > 0;
        }
        list += length + (list[length] == ',');
    }
    return false;
}

static bool knows_tag(struct MHD_Connection *connection, const char *tag)
{
    const char *known = header(connection, "If-None-Match");
    return known && *tag && strstr(known, tag);
}

static void release(void *blob)
{
    fm_blob_release(blob);
}

static struct MHD_Response *response_of(const struct fm_answer *answer, bool gzip)
{
    if (!answer->blob)
        return MHD_create_response_from_buffer(strlen(answer->text), (void *)answer->text, MHD_RESPMEM_MUST_COPY);
    if (!gzip) {
        void *plain = fm_blob_plain(answer->blob);
        return plain ? MHD_create_response_from_buffer(answer->blob->plain_bytes, plain, MHD_RESPMEM_MUST_FREE) : NULL;
    }
    struct MHD_Response *response = MHD_create_response_from_buffer_with_free_callback_cls(
        answer->blob->bytes, answer->blob->data, release, answer->blob);
    if (response) {
        fm_blob_keep(answer->blob);
        MHD_add_response_header(response, "Content-Encoding", "gzip");
    }
    return response;
}

/* Both forms of a document have a tag of their own, as they differ in their bytes. */
static void add_caching(struct MHD_Response *response, const struct fm_answer *answer, bool gzip)
{
    char tag[96];
    MHD_add_response_header(response, "Cache-Control", *answer->tag ? "private, no-cache" : "no-store");
    if (!*answer->tag)
        return;
    snprintf(tag, sizeof tag, "\"%s%s\"", answer->tag, gzip ? "-z" : "");
    MHD_add_response_header(response, "ETag", tag);
    MHD_add_response_header(response, "Vary", "Accept-Encoding");
}

enum MHD_Result fm_reply(struct MHD_Connection *connection, const struct fm_answer *answer)
{
    bool gzip = answer->blob && accepts_gzip(header(connection, "Accept-Encoding"));
    bool known = knows_tag(connection, answer->tag);
    struct MHD_Response *response = known ? MHD_create_response_from_buffer(0, "", MHD_RESPMEM_PERSISTENT)
                                          : response_of(answer, gzip);
    if (!response)
        return MHD_NO;
    fm_reply_headers(response);
    add_caching(response, answer, gzip);
    if (!known)
        MHD_add_response_header(response, "Content-Type", types[answer->kind]);
    if (answer->cookie) {
        MHD_add_response_header(response, "Set-Cookie", answer->cookie);
        if (answer->code == 303)
            MHD_add_response_header(response, "Location", "/");
    }
    if (answer->asks_for_token)
        MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
    if (answer->code == 405)
        MHD_add_response_header(response, "Allow", answer->allows);
    if (answer->closes)
        MHD_add_response_header(response, "Connection", "close");
    enum MHD_Result result = MHD_queue_response(connection, known ? 304 : answer->code, response);
    MHD_destroy_response(response);
    return result;
}
