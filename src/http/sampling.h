/* SPDX-License-Identifier: BSD-3-Clause */
/* A job that is sampled on request: a `fathom attach` as a child process, which does what the command does, and a thread
 * that asks it for results (attach/feed.h) as often as the command would show them.
 *
 * The child ends at the end of its input: so it ends with the server, whatever ends that, and what it samples runs on.
 * Any thread may call the functions. */
#ifndef FM_HTTP_SAMPLING_H
#define FM_HTTP_SAMPLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/result.h"

#define FM_SAMPLING_MOST_NS 600000000000ull /* it then ends by itself */
#define FM_SAMPLING_LEFT_NS 10000000000ull  /* and this long after the last one who looked has gone */
enum { FM_SAMPLINGS_MOST = 4, FM_SAMPLING_PIDS = 1024 };

struct fm_job_sampling;

/* pids: what `fathom attach` is given. */
enum fm_status fm_sampling_begin(struct fm_job_sampling **sampling, const pid_t *pids, size_t n,
                                 struct fm_error *error);
/* Asks it to end, which takes a moment; more results may come until it is over. */
void fm_sampling_stop(struct fm_job_sampling *sampling);
bool fm_sampling_ends(struct fm_job_sampling *sampling); /* it was asked to, or is over */
bool fm_sampling_is_over(struct fm_job_sampling *sampling);
bool fm_sampling_has_news(struct fm_job_sampling *sampling); /* a result that was not taken */
uint64_t fm_sampling_age_ns(const struct fm_job_sampling *sampling);
/* Takes the newest result. Returns false if there is none, or it cannot be read. */
bool fm_sampling_take(struct fm_job_sampling *sampling, struct fm_attach_result *result);
/* What the command has said, without its name; "" if nothing. */
void fm_sampling_said(struct fm_job_sampling *sampling, char *text, size_t size);
/* It must be over. */
void fm_sampling_close(struct fm_job_sampling *sampling);

#endif
