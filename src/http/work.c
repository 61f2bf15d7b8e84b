/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/work.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/crc.h"

void fm_work_tag(const struct fm_server *server, const char *key, char tag[80])
{
    snprintf(tag, 80, "%016llx-%08x", (unsigned long long)fm_crc64(key, strlen(key)), (unsigned)server->salt);
}

bool fm_work_cached(struct fm_server *server, const char *key, struct fm_answer *answer)
{
    struct fm_blob *blob = fm_cache_find(&server->cache, key);
    if (!blob)
        return false;
    *answer = (struct fm_answer){.code = 200, .kind = FM_ANSWER_JSON, .blob = blob};
    fm_work_tag(server, key, answer->tag);
    return true;
}

bool fm_work_begin(struct fm_server *server, struct fm_task *task, struct fm_http_request *request)
{
    if (!task) {
        request->answer = fm_answer_error(503, "not enough memory");
        return true;
    }
    fm_tasks_add(&server->tasks, task);
    fm_task_await(task, request);
    return false;
}

void fm_work_finish(struct fm_server *server, struct fm_task *task, enum fm_status status, struct fm_blob *blob,
                    const struct fm_error *error)
{
    if (status || !blob) {
        task->answer = status ? fm_answer_failure(error) : fm_answer_error(503, "the server ends");
        return;
    }
    task->answer = (struct fm_answer){.code = 200, .kind = FM_ANSWER_JSON, .blob = blob};
    fm_work_tag(server, task->key, task->answer.tag);
    fm_cache_put(&server->cache, task->key, blob);
}

enum fm_work_state fm_work_join(struct fm_server *server, const char *key, struct fm_http_request *request)
{
    if (fm_work_cached(server, key, &request->answer))
        return FM_WORK_ANSWERED;
    struct fm_task *begun = fm_tasks_find(&server->tasks, key);
    if (begun)
        fm_task_await(begun, request);
    return begun ? FM_WORK_WAITS : FM_WORK_NEW;
}

struct fm_answer fm_work_still_reading(const struct fm_task *task)
{
    return fm_answer_wait((double)(fm_clock_ns(CLOCK_MONOTONIC) - task->since_ns) / 1e9);
}
