/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/crc.h"
#include "http/handler.h"
#include "http/lifetime.h"
#include "http/page.h"

#define CACHE_LIMIT (128ull << 20)
enum { TICK_MS = 100 };

/* ---- running ---- */

enum fm_status fm_service_init(struct fm_service *service, const struct fm_service_functions *functions,
                               struct fm_error *error)
{
    *service = (struct fm_service){.functions = functions, .cache.limit = CACHE_LIMIT};
    fm_tasks_init(&service->tasks);
    if (getrandom(&service->salt, sizeof service->salt, 0) != (ssize_t)sizeof service->salt)
        return fm_fail(error, FM_ERR_SYSTEM, "the system gives no random numbers");
    return FM_OK;
}

/* While nobody asks, this is all that the server does. */
static void wait_for_the_end(struct fm_service *service, const struct fm_lifetime *lifetime)
{
    while (fm_lifetime_goes_on(lifetime, TICK_MS)) {
        uint64_t now = fm_clock_ns(CLOCK_MONOTONIC);
        fm_clients_tick(&service->clients, now);
        pthread_mutex_lock(&service->tasks.lock);
        fm_tasks_tick(&service->tasks, now);
        service->functions->tick(service, now);
        pthread_mutex_unlock(&service->tasks.lock);
    }
}

enum fm_status fm_service_run(struct fm_service *service, const struct fm_listener *listener, struct fm_error *error)
{
    struct fm_lifetime lifetime;
    enum fm_status status = fm_lifetime_begin(&lifetime, service->ends_with_session, error);
    if (status)
        return status;
    struct MHD_Daemon *daemon = NULL;
    service->port = listener->port;
    fm_clients_init(&service->clients, listener->path);
    if (!fm_tasks_start(&service->tasks))
        status = fm_fail(error, FM_ERR_SYSTEM, "cannot start a thread");
    else if (!(daemon = fm_handler_start(service, listener, error)))
        status = FM_ERR_SYSTEM;
    if (!status) {
        service->functions->announce(service, listener);
        wait_for_the_end(service, &lifetime);
    }
    fm_handler_quiesce(daemon);
    bool ended = fm_tasks_stop(&service->tasks);
    pthread_mutex_lock(&service->tasks.lock);
    service->functions->end(service);
    pthread_mutex_unlock(&service->tasks.lock);
    fm_handler_stop(daemon);
    if (ended)
        service->functions->close(service);
    fm_cache_clear(&service->cache);
    fm_lifetime_close(&lifetime);
    return status;
}

/* ---- documents ---- */

void fm_service_tag(const struct fm_service *service, const char *key, char tag[80])
{
    snprintf(tag, 80, "%016llx-%08x", (unsigned long long)fm_crc64(key, strlen(key)), (unsigned)service->salt);
}

bool fm_service_cached(struct fm_service *service, const char *key, struct fm_answer *answer)
{
    struct fm_blob *blob = fm_cache_find(&service->cache, key);
    if (!blob)
        return false;
    *answer = (struct fm_answer){.code = 200, .kind = FM_ANSWER_JSON, .blob = blob};
    fm_service_tag(service, key, answer->tag);
    return true;
}

struct fm_answer fm_service_page(struct fm_service *service, enum fm_answer_kind what)
{
    const char *key = what == FM_ANSWER_SCRIPT ? "app.js" : "app.css";
    struct fm_answer answer;
    if (what == FM_ANSWER_PAGE)
        return fm_page(FM_ANSWER_PAGE, service->source);
    if (!fm_service_cached(service, key, &answer)) {
        answer = fm_page(what, service->source);
        if (answer.blob) {
            fm_service_tag(service, key, answer.tag);
            fm_cache_put(&service->cache, key, answer.blob);
        }
    }
    if (answer.blob)
        answer.kind = what;
    return answer;
}

bool fm_service_begin(struct fm_service *service, struct fm_task *task, struct fm_http_request *request)
{
    if (!task) {
        request->answer = fm_answer_error(503, "not enough memory");
        return true;
    }
    if (*task->owner && fm_tasks_of(&service->tasks, task->owner) >= FM_TASKS_OF_ONE) {
        free(task);
        request->answer = fm_answer_error(429, "too many questions of yours are not answered yet; ask again later");
        return true;
    }
    fm_tasks_add(&service->tasks, task);
    fm_task_await(task, request);
    return false;
}

void fm_service_finish(struct fm_service *service, struct fm_task *task, enum fm_status status, struct fm_blob *blob,
                       const struct fm_error *error)
{
    if (status || !blob) {
        task->answer = status ? fm_answer_failure(error) : fm_answer_error(503, "the server ends");
        return;
    }
    task->answer = (struct fm_answer){.code = 200, .kind = FM_ANSWER_JSON, .blob = blob};
    fm_service_tag(service, task->key, task->answer.tag);
    fm_cache_put(&service->cache, task->key, blob);
}

enum fm_service_state fm_service_join(struct fm_service *service, const char *key, struct fm_http_request *request)
{
    if (fm_service_cached(service, key, &request->answer))
        return FM_SERVICE_ANSWERED;
    struct fm_task *begun = fm_tasks_find(&service->tasks, key);
    if (begun)
        fm_task_await(begun, request);
    return begun ? FM_SERVICE_WAITS : FM_SERVICE_NEW;
}

struct fm_answer fm_service_still_reading(const struct fm_task *task)
{
    return fm_answer_wait((double)(fm_clock_ns(CLOCK_MONOTONIC) - task->since_ns) / 1e9,
                          task->progress ? fm_progress_fraction(task->progress) : -1);
}
