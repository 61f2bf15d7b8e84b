/* SPDX-License-Identifier: BSD-3-Clause */
/* Sampling on request: when it begins and ends. */
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/process.h"
#include "http/work.h"

enum { END_MS = 1500, STEP_MS = 20 };

static void answer_key(struct fm_http_request *request, const char *key)
{
    request->answer = (struct fm_answer){.code = 200, .kind = FM_ANSWER_JSON};
    snprintf(request->answer.text, sizeof request->answer.text, "{\"fathom\":1,\"key\":\"%s\"}\n", key);
}

static size_t count_samplings(const struct fm_server *server)
{
    size_t n = 0;
    for (const struct fm_watched *watched = server->watched; watched; watched = watched->next)
        n += watched->sampling != NULL;
    return n;
}

/* By its launcher all ranks are found, on all hosts. */
static enum fm_status begin(struct fm_watched *watched, const struct fm_host_job *job, struct fm_error *error)
{
    pid_t pids[FM_SAMPLING_PIDS];
    size_t n = 0;
    if (job->has_launcher)
        pids[n++] = job->first.pid;
    for (size_t i = 0; !job->has_launcher && i < job->here && n < FM_SAMPLING_PIDS; i++)
        pids[n++] = job->ranks[i].pid;
    return fm_sampling_begin(&watched->sampling, pids, n, error);
}

void fm_work_sample(struct fm_server *server, struct fm_http_request *request)
{
    const char *key = request->route.id;
    struct fm_error error = {0};
    const struct fm_host_job *job = fm_running_job(&server->running, key);
    if (!job || !fm_process_alive(job->first.pid, job->first.start_time)) {
        request->answer = fm_answer_error(404, "there is no such MPI job on this host; look at the list again");
        return;
    }
    struct fm_watched *watched = fm_watched_add(&server->watched, key);
    if (!watched) {
        request->answer = fm_answer_error(503, "not enough memory");
        return;
    }
    watched->used_ns = fm_clock_ns(CLOCK_MONOTONIC);
    if (strncmp(key, FM_PID_KEY, strlen(FM_PID_KEY)) == 0 && !watched->not_measured) {
        watched->not_measured = true;
        watched->process = job->first;
        watched->since_ns = job->since_ns;
    }
    if (!watched->sampling && count_samplings(server) >= FM_SAMPLINGS_MOST)
        request->answer = fm_answer_error(503, "too many jobs are being sampled; stop another one first");
    else if (!watched->sampling && begin(watched, job, &error))
        request->answer = fm_answer_error(503, error.text);
    else {
        watched->again = fm_sampling_ends(watched->sampling);
        answer_key(request, key);
    }
}

void fm_work_stop_sampling(struct fm_server *server, struct fm_http_request *request)
{
    struct fm_watched *watched = fm_watched_find(server->watched, request->route.id);
    if (!watched || !watched->sampling) {
        request->answer = fm_answer_error(404, "this job is not being sampled");
        return;
    }
    watched->again = false;
    fm_sampling_stop(watched->sampling);
    answer_key(request, request->route.id);
}

static void begin_again(struct fm_server *server, struct fm_watched *watched)
{
    struct fm_error error = {0};
    const struct fm_host_job *job = fm_running_job(&server->running, watched->key);
    watched->again = false;
    if (job && fm_process_alive(job->first.pid, job->first.start_time) && begin(watched, job, &error))
        snprintf(watched->note, sizeof watched->note, "%s", error.text);
}

void fm_work_sampling_tick(struct fm_server *server, struct fm_watched *watched, uint64_t now_ns)
{
    struct fm_job_sampling *sampling = watched->sampling;
    if (!sampling)
        return;
    bool left = !watched->streams && now_ns > watched->used_ns + FM_SAMPLING_LEFT_NS;
    if (left || fm_sampling_age_ns(sampling) > FM_SAMPLING_MOST_NS)
        fm_sampling_stop(sampling);
    /* its last result is taken first, unless nobody wants it */
    if (watched->tasks || !fm_sampling_is_over(sampling) || (fm_sampling_has_news(sampling) && watched->streams))
        return;
    fm_sampling_said(sampling, watched->note, sizeof watched->note);
    fm_sampling_close(sampling);
    watched->sampling = NULL;
    watched->stopped = true;
    watched->next_ns = 0;
    if (watched->again)
        begin_again(server, watched);
}

void fm_work_samplings_end(struct fm_server *server)
{
    for (struct fm_watched *watched = server->watched; watched; watched = watched->next) {
        watched->again = false;
        if (watched->sampling)
            fm_sampling_stop(watched->sampling);
    }
    int waited = 0;
    for (struct fm_watched *watched = server->watched; watched; watched = watched->next) {
        /* one that takes longer ends by itself: its input has ended */
        for (; watched->sampling && !fm_sampling_is_over(watched->sampling) && waited < END_MS; waited += STEP_MS)
            poll(NULL, 0, STEP_MS);
        if (watched->sampling && fm_sampling_is_over(watched->sampling)) {
            fm_sampling_close(watched->sampling);
            watched->sampling = NULL;
        }
    }
}
