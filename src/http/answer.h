/* SPDX-License-Identifier: BSD-3-Clause */
/* What a request is answered with: a compressed document, or a short text. */
#ifndef FM_HTTP_ANSWER_H
#define FM_HTTP_ANSWER_H

#include <stdbool.h>

#include "base/error.h"
#include "http/blob.h"

enum fm_answer_kind {
    FM_ANSWER_JSON,
    FM_ANSWER_SCRIPT,
    FM_ANSWER_STYLE,
    FM_ANSWER_PAGE,
    FM_ANSWER_TEXT,
    FM_ANSWER_METRICS
};

struct fm_answer {
    unsigned code; /* HTTP status */
    enum fm_answer_kind kind;
    struct fm_blob *blob; /* a reference of its own; NULL: the text */
    char text[1280];
    char tag[80];       /* identifies the document (ETag); "": it is not to be kept by the client */
    const char *cookie; /* value of Set-Cookie; NULL: none */
    const char *allows; /* methods, for status 405 */
    bool closes;        /* the connection */
    bool asks_for_token;
};

struct fm_answer fm_answer_error(unsigned code, const char *sentence); /* {"error": sentence} */
struct fm_answer fm_answer_plain(unsigned code, const char *sentence); /* the sentence as text */
struct fm_answer fm_answer_failure(const struct fm_error *error);
/* 202: still being read, for this long; done: the fraction, negative if unknown */
struct fm_answer fm_answer_wait(double seconds, double done);
struct fm_answer fm_answer_copy(const struct fm_answer *answer); /* with a reference of its own */

#endif
