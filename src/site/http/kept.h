/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles that the site keeps (the configuration's `keep`): whether there is one of a job, and slices of it. Profiles are
 * read by one task at a time, so that they never take all workers. */
#ifndef FM_SITE_HTTP_KEPT_H
#define FM_SITE_HTTP_KEPT_H

#include "site/http/answers.h"

/* By a worker. Whether the job's profile is kept. */
bool fm_site_kept_has(struct fm_site_server *server, const struct fm_site_job *job);

/* By the task that is busy with it. */
enum fm_status fm_site_answer_profile(struct fm_site_answering *answering, struct fm_error *error);

/* With the lock: looks for profiles now and then. */
void fm_site_kept_tick(struct fm_site_server *server, uint64_t now_ns);

#endif
