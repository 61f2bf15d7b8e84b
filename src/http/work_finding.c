/* SPDX-License-Identifier: BSD-3-Clause */
/* The first findings of the profiles in the list: looked for one after the other, newest first, while nothing else has to
 * be done for the list. */
#include <stdlib.h>
#include <string.h>

#include "http/work.h"

enum { MOST = 500 }; /* profiles: more would keep a core busy for minutes */

struct finding_task {
    struct fm_task task;
    struct fm_server *server;
};

static void find_all(struct fm_task *task)
{
    struct fm_server *server = ((struct finding_task *)task)->server;
    struct fm_tasks *tasks = &server->service.tasks;
    struct fm_stored *entry;
    pthread_mutex_lock(&tasks->lock);
    while (!tasks->stopping && server->n_findings < MOST &&
           (entry = fm_profile_store_without_finding(&server->store))) {
        struct fm_line line;
        entry->finding_begun = true;
        entry->tasks++;
        server->n_findings++;
        pthread_mutex_unlock(&tasks->lock);
        bool found = fm_line_read_finding(&line, entry, server->options->source.debug_path);
        pthread_mutex_lock(&tasks->lock);
        if (found) {
            fm_line_close(&entry->line);
            entry->line = line;
        }
        entry->tasks--;
    }
    pthread_mutex_unlock(&tasks->lock);
}

static void finish(struct fm_task *task)
{
    fm_profile_store_forget_gone(&((struct finding_task *)task)->server->store);
}

static struct fm_answer nobody_waits(const struct fm_task *task)
{
    (void)task;
    return (struct fm_answer){0};
}

void fm_work_findings(struct fm_server *server)
{
    if (server->service.tasks.stopping || server->n_findings >= MOST ||
        fm_tasks_find(&server->service.tasks, "findings") || !fm_profile_store_without_finding(&server->store))
        return;
    struct finding_task *finding = calloc(1, sizeof *finding);
    if (!finding)
        return;
    finding->server = server;
    finding->task.run = find_all;
    finding->task.finish = finish;
    finding->task.meanwhile = nobody_waits;
    strcpy(finding->task.key, "findings");
    fm_tasks_add(&server->service.tasks, &finding->task);
}
