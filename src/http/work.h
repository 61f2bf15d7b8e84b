/* SPDX-License-Identifier: BSD-3-Clause */
/* The tasks of the server: to look for profiles, to make a slice, to compare profiles. Each function answers the request
 * from what is known, or makes it wait for a task; the lock must be held. They return true if the request has its
 * answer. */
#ifndef FM_HTTP_WORK_H
#define FM_HTTP_WORK_H

#include "http/state.h"

bool fm_work_list(struct fm_server *server, struct fm_http_request *request);
/* Before there are other threads: finds the profiles, without reading them. Returns their number. */
size_t fm_work_first_look(struct fm_server *server);
/* Begins to look for the first findings of the profiles in the list, unless that is being done. */
void fm_work_findings(struct fm_server *server);
bool fm_work_slice(struct fm_server *server, struct fm_http_request *request);
/* mode, view and profiles are those of the query; NULL if absent. */
bool fm_work_scale(struct fm_server *server, struct fm_http_request *request, const char *mode, const char *view,
                   const char *profiles);
bool fm_work_history(struct fm_server *server, struct fm_http_request *request);

/* Running jobs: the list, and a slice or a stream of one. If a stream can begin, its answer is 200 without a document. */
bool fm_work_jobs(struct fm_server *server, struct fm_http_request *request);
bool fm_work_job(struct fm_server *server, struct fm_http_request *request);
/* By a worker, without the lock. Returns false if out of memory. */
bool fm_work_find_running(struct fm_server *server, struct fm_running *running);
void fm_work_set_running(struct fm_server *server, struct fm_running *running); /* takes over a new list */
void fm_work_jobs_tick(struct fm_server *server,
                       uint64_t now_ns);         /* new versions for streams; forgets what is unused */
void fm_work_jobs_end(struct fm_server *server); /* the server ends: so do the streams */
void fm_work_jobs_close(struct fm_server *server);

/* Sampling on request: begins and ends it. */
void fm_work_sample(struct fm_server *server, struct fm_http_request *request);
void fm_work_stop_sampling(struct fm_server *server, struct fm_http_request *request);
/* Ends a sampling at which nobody looks, or which takes too long; takes note of its end, and begins the next one if it
 * was asked for meanwhile. */
void fm_work_sampling_tick(struct fm_server *server, struct fm_watched *watched, uint64_t now_ns);
void fm_work_samplings_end(struct fm_server *server); /* the server ends */

#endif
