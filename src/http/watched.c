/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/watched.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "format/encode.h"
#include "report/live.h"
#include "report/profile_files.h"

/* ---- reading ---- */

/* One line of JSON, for an event of a stream. */
static char *make_event(struct fm_watched *watched, uint64_t version, const struct fm_module_map *map,
                        struct fm_error *error)
{
    const struct fm_profile *profile = watched->source.profile;
    struct fm_arena arena = {0};
    struct fm_module_shares shares = {0};
    char *text = NULL;
    size_t bytes = 0;
    uint64_t now = fm_clock_ns(CLOCK_REALTIME), from = profile->job.started_real_ns;
    struct fm_live live = {.shares = &shares,
                           .seconds = now > from ? (double)(now - from) / 1e9 : 0,
                           .samples = profile->paths.samples,
                           .ranks = profile->n_processes,
                           .reached = true};
    bool sampled = profile->paths.samples > 0;
    if (sampled && fm_module_shares_find(&shares, profile, NULL, map, watched->source.symbols, &arena, error) == FM_OK)
        fm_looks_add(&watched->looks, &shares, profile->paths.samples, profile->n_processes);
    FILE *out = open_memstream(&text, &bytes);
    if (out) {
        fprintf(out, "{\"fathom\":1,\"version\":%llu,\"seconds\":%.3f,\"live\":", (unsigned long long)version,
                live.seconds);
        if (sampled)
            fm_live_json(&live, out);
        else
            fputs("null", out);
        fputs("}", out);
        fclose(out);
    }
    fm_arena_destroy(&arena);
    for (char *c = text; c && *c; c++)
        *c = *c == '\n' ? ' ' : *c;
    return text;
}

enum fm_status fm_watched_read(struct fm_watched *watched, uint64_t version, const struct fm_source_options *options,
                               const struct fm_module_map *map, struct fm_reading *reading, struct fm_error *error)
{
    struct fm_running running;
    struct fm_profile *profile = NULL;
    uint64_t from = fm_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    *reading = (struct fm_reading){0};
    if (!fm_running_find(&running, watched->key))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the list of jobs");
    if (running.n) {
        reading->alive = running.items[0].alive;
        /* may fail because the job has just ended */
        reading->exists = fm_node_merge(running.items[0].directory, watched->key, NULL, 0, false, &profile, NULL) ==
                          FM_OK;
    }
    fm_running_close(&running);
    if (!reading->exists)
        return FM_OK;
    struct fm_symbols *symbols = fm_source_close_report(&watched->source);
    enum fm_status status = fm_source_open(&watched->source, profile, symbols, options, error);
    if (!status)
        reading->event = make_event(watched, version, map, error);
    reading->cost_ns = fm_clock_ns(CLOCK_THREAD_CPUTIME_ID) - from;
    return status;
}

void fm_watched_close(struct fm_watched *watched)
{
    fm_source_close(&watched->source);
    fm_looks_close(&watched->looks);
    free(watched->event);
    free(watched);
}

/* ---- the profile of a job that has ended ---- */

struct profile_search {
    const struct fm_profile *job;
    char *path;
};

static enum fm_status compare(void *context, const char *path, const struct stat *st)
{
    struct profile_search *search = context;
    const struct fm_job *job = &search->job->job;
    struct fm_profile *profile;
    if (*search->path || (uint64_t)st->st_mtime + 1 < job->started_real_ns / 1000000000u)
        return FM_OK;
    if (fm_profile_read_overview(path, &profile, NULL) != FM_OK)
        return FM_OK;
    if (strcmp(profile->job.key, job->key) == 0 && profile->job.started_real_ns == job->started_real_ns)
        snprintf(search->path, FM_FILE_PATH_BYTES, "%s", path);
    fm_profile_destroy(profile);
    return FM_OK;
}

void fm_watched_find_profile(const struct fm_watched *watched, char *const *places, size_t n_places, bool recursive,
                             char path[FM_FILE_PATH_BYTES])
{
    char written[FM_FILE_PATH_BYTES];
    struct stat st;
    struct profile_search search = {.job = watched->source.profile, .path = path};
    struct fm_profile_files files = {.found = compare, .context = &search};
    path[0] = 0;
    if (!watched->source.is_open)
        return;
    files.recursive = recursive;
    for (size_t i = 0; i < n_places && !*path; i++)
        fm_profile_files_walk(places[i], &files);
    fm_node_output_path(watched->source.profile, written);
    if (stat(written, &st) == 0 && S_ISREG(st.st_mode))
        compare(&search, written, &st);
    char *slash = strrchr(written, '/');
    if (!*path && slash) { /* its name may have got a number */
        slash[slash == written] = 0;
        files.recursive = false;
        fm_profile_files_walk(written, &files);
    }
}

struct fm_watched *fm_watched_find(struct fm_watched *first, const char *key)
{
    while (first && strcmp(first->key, key) != 0)
        first = first->next;
    return first;
}
