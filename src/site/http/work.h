/* SPDX-License-Identifier: BSD-3-Clause */
/* The work of a site's server: a task per question, with a connection to the database. Answers that are the same until new
 * records arrive are kept, with the state of the database as part of their key. */
#ifndef FM_SITE_HTTP_WORK_H
#define FM_SITE_HTTP_WORK_H

#include "site/http/answers.h"

/* With the lock. Returns true if the request has its answer. */
bool fm_site_work(struct fm_site_server *server, struct fm_http_request *request);

/* The answer for a database that does not answer; the sentence goes to the log, not to the client. */
struct fm_answer fm_site_unavailable(const struct fm_error *error);

#endif
