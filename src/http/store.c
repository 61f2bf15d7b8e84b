/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/crc.h"
#include "format/encode.h"

void fm_file_identity(const struct stat *st, char id[FM_ID_CHARS + 1])
{
    const uint64_t parts[] = {(uint64_t)st->st_dev, (uint64_t)st->st_ino, (uint64_t)st->st_size,
                              (uint64_t)st->st_mtim.tv_sec, (uint64_t)st->st_mtim.tv_nsec};
    snprintf(id, FM_ID_CHARS + 1, "%016llx", (unsigned long long)fm_crc64(parts, sizeof parts));
}

/* ---- entries ---- */

struct fm_stored *fm_profile_store_find(struct fm_profile_store *store, const char *id)
{
    for (struct fm_stored *entry = store->entries; entry; entry = entry->next)
        if (!entry->gone && strcmp(entry->id, id) == 0)
            return entry;
    return NULL;
}

struct fm_stored *fm_profile_store_add(struct fm_profile_store *store, const char *path, const struct stat *st)
{
    char id[FM_ID_CHARS + 1];
    fm_file_identity(st, id);
    struct fm_stored **last = &store->entries;
    for (; *last; last = &(*last)->next)
        if (strcmp((*last)->id, id) == 0) {
            (*last)->seen = true;
            (*last)->gone = false;
            return *last;
        }
    struct fm_stored *entry = calloc(1, sizeof *entry);
    if (entry && !(entry->path = strdup(path))) {
        free(entry);
        return NULL;
    }
    if (entry) {
        strcpy(entry->id, id);
        entry->seen = true;
        *last = entry;
    }
    return entry;
}

static void destroy(struct fm_stored *entry)
{
    fm_source_close(&entry->source);
    fm_line_close(&entry->line);
    free(entry->path);
    free(entry);
}

void fm_profile_store_look_begin(struct fm_profile_store *store)
{
    for (struct fm_stored *entry = store->entries; entry; entry = entry->next)
        entry->seen = false;
}

void fm_profile_store_look_end(struct fm_profile_store *store)
{
    for (struct fm_stored *entry = store->entries; entry; entry = entry->next)
        entry->gone = !entry->seen && !entry->kept;
    store->looked_ns = fm_clock_ns(CLOCK_MONOTONIC);
    fm_profile_store_forget_gone(store);
}

void fm_profile_store_forget_gone(struct fm_profile_store *store)
{
    for (struct fm_stored **at = &store->entries; *at;) {
        struct fm_stored *entry = *at;
        if (entry->gone && !entry->tasks) {
            *at = entry->next;
            destroy(entry);
        } else {
            at = &entry->next;
        }
    }
}

void fm_profile_store_trim(struct fm_profile_store *store, size_t limit)
{
    for (;;) {
        struct fm_stored *oldest = NULL;
        size_t bytes = 0, n = 0;
        for (struct fm_stored *entry = store->entries; entry; entry = entry->next) {
            if (entry->busy || !entry->source.is_open)
                continue;
            bytes += fm_source_bytes(&entry->source);
            n++;
            if (!entry->tasks && (!oldest || entry->used_ns < oldest->used_ns))
                oldest = entry;
        }
        if (bytes <= limit || n < 2 || !oldest) /* the last one stays, however large: its user is still looking at it */
            return;
        fm_source_close(&oldest->source);
    }
}

void fm_profile_store_close(struct fm_profile_store *store)
{
    while (store->entries) {
        struct fm_stored *entry = store->entries;
        store->entries = entry->next;
        destroy(entry);
    }
}

/* ---- reading ---- */

enum { OPEN_PERCENT = 85 }; /* what is left is the answer */

/* The file may have been replaced since it was found; what is read must be what the identity says. */
static enum fm_status check_identity(const struct fm_stored *entry, struct fm_error *error)
{
    char id[FM_ID_CHARS + 1] = "";
    struct stat st;
    if (stat(entry->path, &st) == 0)
        fm_file_identity(&st, id);
    if (strcmp(id, entry->id) == 0)
        return FM_OK;
    return fm_fail(error, FM_ERR_SYSTEM, "%s has changed or was removed; look at the list of profiles again",
                   entry->path);
}

/* Checked before, too: a pipe in the place of a profile would keep a worker for ever. */
static enum fm_status read_stored(const struct fm_stored *entry, bool overview, struct fm_progress *progress,
                                  struct fm_profile **profile, struct fm_error *error)
{
    enum fm_status status = check_identity(entry, error);
    if (!status)
        status = overview ? fm_profile_read_overview(entry->path, profile, error)
                          : fm_profile_read_watched(entry->path, progress, profile, error);
    if (status)
        return status;
    status = check_identity(entry, error);
    if (status)
        fm_profile_destroy(*profile);
    return status;
}

enum fm_status fm_stored_read(const struct fm_stored *entry, struct fm_profile **profile, struct fm_error *error)
{
    return read_stored(entry, false, NULL, profile, error);
}

void fm_line_read(struct fm_line *line, const struct fm_stored *entry)
{
    struct fm_profile *profile;
    *line = (struct fm_line){0};
    enum fm_status status = read_stored(entry, true, NULL, &profile, &line->error);
    if (!status) {
        status = fm_listing_add(&line->listing, entry->path, profile, &line->error);
        fm_profile_destroy(profile);
    }
    line->state = status ? FM_LINE_FAILED : FM_LINE_READY;
}

bool fm_line_read_finding(struct fm_line *line, const struct fm_stored *entry, const char *debug_path)
{
    struct fm_profile *profile;
    *line = (struct fm_line){.state = FM_LINE_READY};
    enum fm_status status = fm_stored_read(entry, &profile, NULL);
    if (status)
        return false;
    struct fm_symbols *symbols = fm_symbols_for(profile, debug_path, NULL, NULL);
    status = fm_listing_add(&line->listing, entry->path, profile, NULL);
    if (!status)
        status = fm_listing_find(&line->listing, &line->listing.items[0], profile, symbols, NULL);
    fm_symbols_destroy(symbols);
    fm_profile_destroy(profile);
    if (status)
        fm_line_close(line);
    return !status;
}

void fm_line_close(struct fm_line *line)
{
    fm_listing_close(&line->listing);
    *line = (struct fm_line){0};
}

enum fm_status fm_stored_open(struct fm_stored *entry, const struct fm_source_options *options, struct fm_error *error)
{
    struct fm_profile *profile;
    entry->used_ns = fm_clock_ns(CLOCK_MONOTONIC);
    if (entry->source.is_open)
        return FM_OK;
    enum fm_status status = read_stored(entry, false, &entry->progress, &profile, error);
    if (status)
        return status;
    status = fm_source_open(&entry->source, profile, NULL, options, error);
    fm_progress_set(&entry->progress, 0, OPEN_PERCENT, 1, 1);
    return status;
}

/* ---- the list ---- */

static uint64_t started(const struct fm_stored *entry)
{
    return entry->line.state == FM_LINE_READY ? entry->line.listing.items[0].started_ns : UINT64_MAX;
}

struct fm_stored *fm_profile_store_without_finding(struct fm_profile_store *store)
{
    struct fm_stored *newest = NULL;
    for (struct fm_stored *entry = store->entries; entry; entry = entry->next)
        if (!entry->gone && entry->line.state == FM_LINE_READY && !entry->finding_begun &&
            (!newest || started(entry) > started(newest)))
            newest = entry;
    return newest;
}

static int newest_first(const void *a, const void *b)
{
    const struct fm_stored *left = *(struct fm_stored *const *)a, *right = *(struct fm_stored *const *)b;
    uint64_t l = started(left), r = started(right);
    return l != r ? (l < r) - (l > r) : strcmp(left->path, right->path);
}

static void write_entry(const struct fm_stored *entry, struct fm_json *json)
{
    static const char *const states[] = {"reading", "ready", "failed"};
    fm_json_object(json, NULL, FM_JSON_INLINE);
    fm_json_text(json, "id", entry->id);
    fm_json_text(json, "state", states[entry->line.state]);
    if (entry->line.state == FM_LINE_READY)
        fm_listed_json(json, &entry->line.listing.items[0]);
    else
        fm_json_text(json, "file", entry->path);
    if (entry->line.state == FM_LINE_FAILED)
        fm_json_text(json, "error", entry->line.error.text);
    fm_json_end(json);
}

bool fm_profile_store_json(const struct fm_profile_store *store, struct fm_json *json)
{
    size_t n = 0;
    for (const struct fm_stored *entry = store->entries; entry; entry = entry->next)
        n += !entry->gone;
    const struct fm_stored **sorted = malloc((n + 1) * sizeof *sorted);
    if (!sorted)
        return false;
    n = 0;
    for (const struct fm_stored *entry = store->entries; entry; entry = entry->next)
        if (!entry->gone)
            sorted[n++] = entry;
    qsort(sorted, n, sizeof *sorted, newest_first);
    fm_json_array(json, "profiles", FM_JSON_LINES);
    for (size_t i = 0; i < n; i++)
        write_entry(sorted[i], json);
    fm_json_end(json);
    free(sorted);
    return true;
}
