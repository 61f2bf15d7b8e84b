/* SPDX-License-Identifier: BSD-3-Clause */
/* An answer as a response of HTTP: compressed if the client accepts that, not at all if it has it already, and always
 * with the headers that keep pages safe. */
#ifndef FM_HTTP_REPLY_H
#define FM_HTTP_REPLY_H

#include <microhttpd.h>

#include "http/answer.h"

enum MHD_Result fm_reply(struct MHD_Connection *connection, const struct fm_answer *answer);
/* The headers that every response has. */
void fm_reply_headers(struct MHD_Response *response);

#endif
