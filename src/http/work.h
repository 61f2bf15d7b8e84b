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
void fm_work_set_running(struct fm_server *server, struct fm_running *running); /* takes over a new list */
void fm_work_jobs_tick(struct fm_server *server,
                       uint64_t now_ns);         /* new versions for streams; forgets what is unused */
void fm_work_jobs_end(struct fm_server *server); /* the server ends: so do the streams */
void fm_work_jobs_close(struct fm_server *server);

/* The tag of a document of this server, from its key. */
void fm_work_tag(const struct fm_server *server, const char *key, char tag[80]);
/* Whether the cache has the document; it is then the answer. */
bool fm_work_cached(struct fm_server *server, const char *key, struct fm_answer *answer);
/* Answers from the cache, or makes the request wait for the task that makes the document already. */
enum fm_work_state { FM_WORK_NEW, FM_WORK_ANSWERED, FM_WORK_WAITS };
enum fm_work_state fm_work_join(struct fm_server *server, const char *key, struct fm_http_request *request);
struct fm_answer fm_work_still_reading(const struct fm_task *task); /* for those who have no patience */
/* Makes the request wait for the task, which is new. Returns true if the request has its answer already: there is no
 * memory (task is NULL), or the server ends. */
bool fm_work_begin(struct fm_server *server, struct fm_task *task, struct fm_http_request *request);
/* The answer of a task: the document, which is also put into the cache, or why there is none. */
void fm_work_finish(struct fm_server *server, struct fm_task *task, enum fm_status status, struct fm_blob *blob,
                    const struct fm_error *error);

#endif
