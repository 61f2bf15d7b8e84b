/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/running.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "collect/node_files.h"
#include "model/job_name.h"

enum { TEXT_BYTES = 32 << 10, MAX_ARGUMENTS = 16 };

struct running_search {
    struct fm_running *running;
    struct fm_node_here here;
    bool no_memory;
};

static struct fm_running_job *job_of(struct running_search *search, const char *key)
{
    struct fm_running *running = search->running;
    for (size_t i = 0; i < running->n; i++)
        if (strcmp(running->items[i].key, key) == 0)
            return &running->items[i];
    if (running->n == running->capacity) {
        size_t capacity = running->capacity ? 2 * running->capacity : 8;
        struct fm_running_job *grown = realloc(running->items, capacity * sizeof *grown);
        search->no_memory = !grown;
        if (!grown)
            return NULL;
        running->items = grown;
        running->capacity = capacity;
    }
    struct fm_running_job *job = &running->items[running->n++];
    *job = (struct fm_running_job){.since_ns = UINT64_MAX};
    snprintf(job->key, sizeof job->key, "%s", key);
    return job;
}

/* The program as reports call it. The text belongs to a process that may be hostile: it ends with a NUL here. */
static void find_program(const struct fm_node_file *file, char *program, size_t size)
{
    char text[TEXT_BYTES + 2] = "";
    const char *arguments[MAX_ARGUMENTS];
    const struct fm_segment_section *section = &file->header.sections[FM_SECTION_TEXT];
    size_t wanted = file->header.n_text < TEXT_BYTES ? file->header.n_text : TEXT_BYTES;
    ssize_t n = pread(file->fd, text, wanted, (off_t)section->offset);
    if (n <= 0)
        return;
    text[n] = text[n + 1] = 0;
    struct fm_job job = {.exe = file->header.text_exe < (size_t)n ? text + file->header.text_exe : "",
                         .argv = arguments};
    for (size_t at = file->header.text_argv; at && at < (size_t)n && text[at] && job.n_argv < MAX_ARGUMENTS;
         at += strlen(text + at) + 1)
        arguments[job.n_argv++] = text + at;
    snprintf(program, size, "%s", fm_job_name(&job));
}

static bool add_segment(void *context, const struct fm_node_file *file)
{
    struct running_search *search = context;
    if (!file->readable || file->header.state == FM_STATE_MERGED)
        return true;
    struct fm_running_job *job = job_of(search, file->name.job_key);
    if (!job)
        return false;
    if (!*job->program) {
        snprintf(job->directory, sizeof job->directory, "%s", file->directory);
        find_program(file, job->program, sizeof job->program);
    }
    job->here++;
    job->alive |= fm_node_alive(&search->here, &file->header);
    bool ranked = file->header.world_size > 0;
    if (!job->process.pid || (ranked && !job->ranked)) {
        job->process = (struct fm_host_rank){file->header.pid, file->header.start_time};
        job->ranked = ranked;
    }
    if (file->header.world_size > 0 && (uint32_t)file->header.world_size > job->ranks)
        job->ranks = (uint32_t)file->header.world_size;
    if (file->header.started_real_ns < job->since_ns)
        job->since_ns = file->header.started_real_ns;
    return true;
}

static int oldest_first(const void *a, const void *b)
{
    const struct fm_running_job *left = a, *right = b;
    if (left->since_ns != right->since_ns)
        return left->since_ns < right->since_ns ? -1 : 1;
    return strcmp(left->key, right->key);
}

bool fm_running_find(struct fm_running *running, const char *key)
{
    char directories[FM_NODE_DIRECTORIES][FM_FILE_PATH_BYTES];
    size_t n = fm_node_directories(directories);
    struct running_search search = {.running = running};
    *running = (struct fm_running){0};
    fm_node_here(&search.here);
    for (size_t i = 0; i < n && !search.no_memory; i++)
        if (!key || !running->n) /* of one job, also the other directory has been searched */
            fm_node_visit(directories[i], key, add_segment, &search, NULL);
    for (size_t i = 0; i < running->n; i++)
        if (running->items[i].ranks < running->items[i].here)
            running->items[i].ranks = running->items[i].here;
    if (running->n)
        qsort(running->items, running->n, sizeof *running->items, oldest_first);
    return !search.no_memory;
}

void fm_running_find_all(struct fm_running *running)
{
    running->looked = fm_host_jobs_find(&running->all);
    if (!running->looked)
        fm_host_jobs_close(&running->all);
}

void fm_running_key(const struct fm_host_job *job, char key[FM_JOB_KEY_BYTES])
{
    snprintf(key, FM_JOB_KEY_BYTES, FM_PID_KEY "%d-%llu", (int)job->first.pid,
             (unsigned long long)job->first.start_time);
}

const struct fm_host_job *fm_running_job(const struct fm_running *running, const char *key)
{
    char of_job[FM_JOB_KEY_BYTES];
    for (size_t i = 0; i < running->all.n; i++) {
        fm_running_key(&running->all.items[i], of_job);
        if (strcmp(of_job, key) == 0)
            return &running->all.items[i];
    }
    for (size_t i = 0; i < running->n; i++)
        if (strcmp(running->items[i].key, key) == 0)
            return fm_host_job_of(&running->all, running->items[i].process.pid, running->items[i].process.start_time);
    return NULL;
}

struct key_search {
    struct fm_host_rank process;
    char *key;
};

static bool compare_process(void *context, const struct fm_node_file *file)
{
    const struct key_search *search = context;
    if (!file->readable || file->header.pid != search->process.pid ||
        file->header.start_time != search->process.start_time || file->name.replaced)
        return true;
    snprintf(search->key, FM_JOB_KEY_BYTES, "%s", file->name.job_key);
    return false;
}

bool fm_running_key_of(struct fm_host_rank process, char key[FM_JOB_KEY_BYTES])
{
    char directories[FM_NODE_DIRECTORIES][FM_FILE_PATH_BYTES];
    size_t n = fm_node_directories(directories);
    struct key_search search = {process, key};
    key[0] = 0;
    for (size_t i = 0; i < n && !*key; i++)
        fm_node_visit(directories[i], NULL, compare_process, &search, NULL);
    return *key;
}

void fm_running_close(struct fm_running *running)
{
    fm_host_jobs_close(&running->all);
    free(running->items);
    *running = (struct fm_running){0};
}

static void write_since(struct fm_json *json, uint64_t since_ns)
{
    uint64_t now = fm_clock_ns(CLOCK_REALTIME);
    char date[FM_UNIT_CHARS];
    fm_json_text(json, "since", fm_date_iso(date, since_ns));
    fm_json_seconds(json, "seconds", now > since_ns ? now - since_ns : 0);
}

static bool has_segments(const struct fm_running *running, const struct fm_host_job *job)
{
    for (size_t i = 0; i < running->n; i++)
        if (fm_host_job_of(&running->all, running->items[i].process.pid, running->items[i].process.start_time) == job)
            return true;
    return false;
}

static void write_not_measured(const struct fm_running *running, struct fm_json *json)
{
    char key[FM_JOB_KEY_BYTES];
    fm_json_array(json, "not_measured", FM_JSON_LINES);
    for (size_t i = 0; i < running->all.n; i++) {
        const struct fm_host_job *job = &running->all.items[i];
        if (has_segments(running, job))
            continue;
        fm_running_key(job, key);
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_text(json, "key", key);
        fm_json_text(json, "program", job->program);
        fm_json_whole(json, "pid", (uint64_t)job->first.pid);
        if (job->world)
            fm_json_whole(json, "ranks", job->world);
        else
            fm_json_null(json, "ranks");
        fm_json_whole(json, "processes_here", job->here);
        fm_json_text(json, "other_hosts", job->hosts);
        fm_json_bool(json, "under_fathom", job->measured > 0);
        write_since(json, job->since_ns);
        fm_json_end(json);
    }
    fm_json_end(json);
}

void fm_running_json(const struct fm_running *running, struct fm_json *json)
{
    fm_json_array(json, "jobs", FM_JSON_LINES);
    for (size_t i = 0; i < running->n; i++) {
        const struct fm_running_job *job = &running->items[i];
        if (!job->alive)
            continue;
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_text(json, "key", job->key);
        fm_json_text(json, "program", job->program);
        fm_json_whole(json, "ranks", job->ranks);
        fm_json_whole(json, "processes_here", job->here);
        write_since(json, job->since_ns);
        fm_json_end(json);
    }
    fm_json_end(json);
    write_not_measured(running, json);
}
