/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/watched.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/process.h"
#include "format/encode.h"
#include "report/live.h"
#include "report/profile_files.h"

/* ---- reading ---- */

/* The ranks of the job that the profile does not have: those of hosts that are not seen. */
static const char *unseen_ranks(const struct fm_profile *profile, struct fm_arena *arena)
{
    enum { MAX_CHARS = 60 };
    struct fm_rankset set = {0};
    uint32_t next = 0;
    for (size_t i = 0; i < profile->n_processes; i++) { /* by rank */
        uint32_t rank = profile->processes[i].rank;
        if (rank > next)
            fm_rankset_add(&set, arena, next, rank - 1);
        next = rank >= next ? rank + 1 : next;
    }
    if (next < profile->job.ranks)
        fm_rankset_add(&set, arena, next, profile->job.ranks - 1);
    const char *text = set.n ? fm_rankset_text(&set, arena, MAX_CHARS) : NULL;
    return text ? text : "";
}

static void write_sampling(const struct fm_watched *watched, const struct fm_reading_options *options, FILE *out)
{
    struct fm_json json = {.out = out};
    char said[sizeof watched->note] = "";
    if (options->sampling)
        fm_sampling_said(options->sampling, said, sizeof said);
    if (!options->sampling && !watched->not_measured && !*watched->note) {
        fputs("null", out);
        return;
    }
    fm_json_object(&json, NULL, FM_JSON_INLINE);
    fm_json_bool(&json, "runs", options->sampling);
    fm_json_number(&json, "seconds", options->sampling ? (double)fm_sampling_age_ns(options->sampling) / 1e9 : 0);
    fm_json_whole(&json, "limit_seconds", FM_SAMPLING_MOST_NS / 1000000000u);
    fm_json_text(&json, "note", options->sampling ? said : watched->note);
    fm_json_end(&json);
}

static void write_unseen(const struct fm_watched *watched, struct fm_arena *arena, FILE *out)
{
    struct fm_json json = {.out = out};
    const char *ranks = watched->source.is_open ? unseen_ranks(watched->source.profile, arena) : "";
    if (!*ranks) {
        fputs("null", out);
        return;
    }
    fm_json_object(&json, NULL, FM_JSON_INLINE);
    fm_json_text(&json, "ranks", ranks);
    fm_json_text(&json, "hosts", watched->hosts);
    fm_json_end(&json);
}

/* The shares of modules; returns false if there are no samples. */
static bool find_shares(struct fm_watched *watched, const struct fm_attach_result *result,
                        const struct fm_module_map *map, struct fm_arena *arena, struct fm_module_shares *shares)
{
    const struct fm_profile *profile = watched->source.profile;
    bool batches = result && result->batches[0];
    if (!watched->source.is_open || !profile->paths.samples ||
        fm_module_shares_find(shares, profile, batches ? result->batches : NULL, map, watched->source.symbols, arena,
                              NULL) != FM_OK)
        return false;
    if (!batches && !(result && result->counts.sampled))
        fm_looks_add(&watched->looks, shares, profile->paths.samples, profile->n_processes);
    return true;
}

/* One line of JSON, for an event of a stream. result: that of a sampling, without its whole; or NULL. */
static char *make_event(struct fm_watched *watched, const struct fm_reading_options *options,
                        const struct fm_attach_result *result)
{
    struct fm_arena arena = {0};
    struct fm_module_shares shares = {0};
    char *text = NULL;
    size_t bytes = 0;
    uint64_t now = fm_clock_ns(CLOCK_REALTIME), from = watched->since_ns;
    double seconds = now > from ? (double)(now - from) / 1e9 : 0;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    fprintf(out, "{\"fathom\":1,\"version\":%llu,\"seconds\":%.3f,\"live\":", (unsigned long long)options->version,
            seconds);
    if (find_shares(watched, result, options->map, &arena, &shares)) {
        struct fm_live live = {.shares = &shares,
                               .seconds = seconds,
                               .samples = watched->source.profile->paths.samples,
                               .ranks = watched->source.profile->n_processes,
                               .reached = true};
        if (result) {
            live.moments = result->counts.moments;
            live.stops = result->counts.sampled;
            live.stopped = result->counts.stopped;
            live.held_median_ns = result->counts.held_median_ns;
            live.held_most_ns = result->counts.held_most_ns;
        }
        fm_live_json(&live, out);
    } else {
        fputs("null", out);
    }
    fputs(",\"sampling\":", out);
    write_sampling(watched, options, out);
    fputs(",\"unseen\":", out);
    write_unseen(watched, &arena, out);
    fputs("}", out);
    fclose(out);
    fm_arena_destroy(&arena);
    for (char *c = text; c && *c; c++)
        *c = *c == '\n' ? ' ' : *c;
    return text;
}

/* Sums of a sampling, and of segments, have nothing to do with each other. */
static void set_sampled(struct fm_watched *watched, bool sampled)
{
    if (watched->sampled != sampled)
        fm_looks_close(&watched->looks);
    watched->sampled = sampled;
}

static enum fm_status open_source(struct fm_watched *watched, struct fm_profile *profile,
                                  const struct fm_reading_options *options, struct fm_error *error)
{
    struct fm_symbols *symbols = fm_source_close_report(&watched->source);
    return fm_source_open(&watched->source, profile, symbols, options->source, error);
}

/* Finds the segments of the job, also if its key has changed. */
static enum fm_status find_segments(struct fm_watched *watched, struct fm_running *running, struct fm_error *error)
{
    char key[FM_JOB_KEY_BYTES];
    if (!*watched->segments_key)
        memcpy(watched->segments_key, watched->key, sizeof watched->segments_key);
    bool found = fm_running_find(running, watched->segments_key);
    if (found && !running->n && watched->process.pid && fm_running_key_of(watched->process, key)) {
        memcpy(watched->segments_key, key, sizeof key);
        found = fm_running_find(running, key);
    }
    return found ? FM_OK : fm_fail(error, FM_ERR_MEMORY, "not enough memory for the list of jobs");
}

static enum fm_status read_segments(struct fm_watched *watched, const struct fm_reading_options *options,
                                    struct fm_reading *reading, struct fm_error *error)
{
    struct fm_running running;
    struct fm_profile *profile = NULL;
    enum fm_status status = find_segments(watched, &running, error);
    if (status)
        return status;
    if (running.n) {
        reading->alive = running.items[0].alive;
        watched->process = running.items[0].process;
        watched->since_ns = running.items[0].since_ns;
        /* may fail because the job has just ended */
        reading->exists = fm_node_merge(running.items[0].directory, watched->segments_key, NULL, 0, false, &profile,
                                        NULL) == FM_OK;
    }
    fm_running_close(&running);
    if (!reading->exists)
        return FM_OK;
    set_sampled(watched, false);
    status = open_source(watched, profile, options, error);
    if (!status)
        reading->event = make_event(watched, options, NULL);
    return status;
}

static enum fm_status read_sampling(struct fm_watched *watched, const struct fm_reading_options *options,
                                    struct fm_reading *reading, struct fm_error *error)
{
    struct fm_attach_result result = {0};
    enum fm_status status = FM_OK;
    reading->exists = reading->alive = true; /* who samples it notices its end */
    if (fm_sampling_take(options->sampling, &result)) {
        struct fm_profile *whole = result.whole;
        result.whole = NULL;
        set_sampled(watched, true);
        if (whole)
            status = open_source(watched, whole, options, error);
        if (!status)
            reading->event = make_event(watched, options, &result);
        fm_attach_result_destroy(&result);
    }
    return status;
}

enum fm_status fm_watched_read(struct fm_watched *watched, const struct fm_reading_options *options,
                               struct fm_reading *reading, struct fm_error *error)
{
    uint64_t from = fm_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    enum fm_status status = FM_OK;
    *reading = (struct fm_reading){0};
    if (options->sampling) {
        status = read_sampling(watched, options, reading, error);
    } else if (watched->not_measured) {
        reading->exists = reading->alive = fm_process_alive(watched->process.pid, watched->process.start_time);
        if (options->tell)
            reading->event = make_event(watched, options, NULL);
    } else {
        status = read_segments(watched, options, reading, error);
    }
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

/* Between the start of a job as seen on this host, and on all its hosts: their clocks may differ, too. */
#define STARTS_APART_NS 600000000000ull

struct profile_search {
    const char *key;
    uint64_t started_ns;
    char *path;
};

static enum fm_status compare(void *context, const char *path, const struct stat *st)
{
    struct profile_search *search = context;
    struct fm_profile *profile;
    if (*search->path || (uint64_t)st->st_mtime + 1 < search->started_ns / 1000000000u)
        return FM_OK;
    if (fm_profile_read_overview(path, &profile, NULL) != FM_OK)
        return FM_OK;
    uint64_t started = profile->job.started_real_ns, wanted = search->started_ns;
    if (strcmp(profile->job.key, search->key) == 0 &&
        (started > wanted ? started - wanted : wanted - started) < STARTS_APART_NS)
        snprintf(search->path, FM_FILE_PATH_BYTES, "%s", path);
    fm_profile_destroy(profile);
    return FM_OK;
}

void fm_watched_find_profile(const struct fm_watched *watched, char *const *places, size_t n_places, bool recursive,
                             char path[FM_FILE_PATH_BYTES])
{
    char written[FM_FILE_PATH_BYTES];
    struct stat st;
    struct profile_search search = {watched->segments_key, watched->since_ns, path};
    struct fm_profile_files files = {.found = compare, .context = &search};
    path[0] = 0;
    if (!watched->source.is_open || watched->not_measured)
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

struct fm_watched *fm_watched_add(struct fm_watched **first, const char *key)
{
    struct fm_watched *watched = fm_watched_find(*first, key);
    if (watched || !(watched = calloc(1, sizeof *watched)))
        return watched;
    snprintf(watched->key, sizeof watched->key, "%s", key);
    watched->next = *first;
    *first = watched;
    return watched;
}
