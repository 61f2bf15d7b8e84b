/* SPDX-License-Identifier: BSD-3-Clause */
/* Source files: those that the profile names, in its call paths and at its call sites, that its owner could read, and
 * that are in directories which the user allows. A page asks for them by number, never by name. */
#include <stdlib.h>
#include <string.h>

#include "analyse/balance/group.h"
#include "pages/line_costs.h"
#include "pages/slice_kinds.h"
#include "report/json_parts.h"
#include "report/report_json.h"

struct fm_slice_files {
    const char **paths; /* sorted */
    size_t n;
    const struct fm_columns *calls; /* NULL: not sampled */
    struct fm_line_costs costs;     /* of all lines, not only of these files */
};

/* ---- which files ---- */

struct path_set {
    struct fm_intern seen;
    struct fm_arena *arena;
    bool failed;
};

static void add_path(struct path_set *set, const char *path)
{
    set->failed |= path[0] && !fm_intern_put(&set->seen, set->arena, path, true);
}

static void add_call_paths(struct path_set *set, const struct fm_columns *calls)
{
    for (size_t i = 0; i < calls->n; i++) {
        const struct fm_column_node *node = &calls->nodes[i];
        if (node->path != FM_NO_STRING)
            add_path(set, calls->strings[node->path]);
        if (node->defined != FM_NO_STRING)
            add_path(set, calls->strings[node->defined]);
    }
}

static enum fm_status add_call_sites(struct path_set *set, struct fm_report *report, struct fm_error *error)
{
    struct fm_groups groups;
    enum fm_status status = fm_group_events(report->profile, FM_BY_ROUTINE | FM_BY_SITE, set->arena, &groups, error);
    if (status)
        return status;
    fm_report_resolve(report);
    for (size_t i = 0; i < groups.n; i++) {
        struct fm_frames frames = fm_site_frames(report, &groups.items[i].key.site, groups.items[i].key.routine).frames;
        for (size_t k = 0; frames.known && k < frames.n; k++) {
            add_path(set, frames.items[k].path);
            add_path(set, frames.items[k].defined);
        }
    }
    return FM_OK;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Keeps the paths of files that may be shown and are text. */
static bool keep_allowed(struct fm_slices *slices, const struct path_set *set, struct fm_slice_files *files)
{
    struct fm_arena *arena = &slices->report->arena;
    files->paths = fm_arena_alloc(arena, set->seen.n * sizeof *files->paths);
    for (size_t i = 0; i < set->seen.capacity && files->paths; i++) {
        const char *path = set->seen.slots[i].text;
        struct fm_arena scratch = {0};
        if (path && fm_symbols_source_file(slices->report->symbols, path, slices->sources, &scratch)) {
            const char *kept = fm_arena_strndup(arena, path, strlen(path));
            if (kept)
                files->paths[files->n++] = kept;
        }
        fm_arena_destroy(&scratch);
    }
    if (files->paths)
        qsort(files->paths, files->n, sizeof *files->paths, compare_paths);
    return files->paths != NULL;
}

static enum fm_status make_files(struct fm_slices *slices, struct fm_slice_files *files, struct fm_arena *scratch,
                                 struct fm_error *error)
{
    struct fm_report *report = slices->report;
    struct path_set set = {.arena = scratch};
    struct fm_columns *calls = NULL;
    enum fm_status status = add_call_sites(&set, report, error);
    if (!status && fm_report_sampled(report))
        status = fm_slice_columns(slices, FM_CALLTREE_CALLS, &calls, error);
    if (status)
        return status;
    if (calls) {
        add_call_paths(&set, calls);
        set.failed |= !fm_line_costs_find(calls, &report->arena, &files->costs);
        files->calls = calls;
    }
    if (set.failed || !keep_allowed(slices, &set, files))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the source files");
    return FM_OK;
}

static enum fm_status find_files(struct fm_slices *slices, struct fm_error *error)
{
    struct fm_arena scratch = {0};
    if (slices->files)
        return FM_OK;
    struct fm_slice_files *files = fm_arena_alloc(&slices->report->arena, sizeof *files);
    if (!files)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the source files");
    bool any = slices->sources && slices->sources[0] && slices->report->symbols;
    enum fm_status status = any ? make_files(slices, files, &scratch, error) : FM_OK;
    fm_arena_destroy(&scratch);
    if (!status)
        slices->files = files;
    return status;
}

/* ---- slices ---- */

static void write_list(const struct fm_slice_files *files, FILE *out)
{
    struct fm_json json = {.out = out};
    fm_json_object(&json, NULL, FM_JSON_INLINE);
    fm_json_whole(&json, "fathom", FM_JSON_VERSION);
    fm_json_array(&json, "files", FM_JSON_INLINE);
    for (size_t i = 0; i < files->n; i++) {
        fm_json_object(&json, NULL, FM_JSON_INLINE);
        fm_json_whole(&json, "n", i);
        fm_json_text(&json, "path", files->paths[i]);
        fm_json_end(&json);
    }
    fm_json_end(&json);
    fm_json_end(&json);
}

static void write_costs(const struct fm_slice_files *files, const char *path, struct fm_json *json)
{
    if (!files->calls) {
        fm_json_null(json, "costs");
        return;
    }
    int32_t number = fm_columns_string(files->calls, path);
    struct fm_line_costs costs = {0};
    if (number != FM_NO_STRING)
        costs = fm_line_costs_of(&files->costs, number);
    fm_json_object(json, "costs", FM_JSON_INLINE);
    fm_json_array(json, "lines", FM_JSON_INLINE);
    for (size_t i = 0; i < costs.n; i++)
        fm_json_whole(json, NULL, costs.items[i].line);
    fm_json_end(json);
    fm_json_array(json, "inclusive_ns", FM_JSON_INLINE);
    for (size_t i = 0; i < costs.n; i++)
        fm_json_whole(json, NULL, costs.items[i].all_ns);
    fm_json_end(json);
    fm_json_array(json, "exclusive_ns", FM_JSON_INLINE);
    for (size_t i = 0; i < costs.n; i++)
        fm_json_whole(json, NULL, costs.items[i].own_ns);
    fm_json_end(json);
    fm_json_end(json);
}

/* Read anew each time: a file that is gone, or must no longer be shown, is no slice any more. */
static enum fm_status write_file(struct fm_slices *slices, const char *path, FILE *out, struct fm_error *error)
{
    struct fm_arena scratch = {0};
    struct fm_json json = {.out = out};
    const char *text = fm_symbols_source_file(slices->report->symbols, path, slices->sources, &scratch);
    if (text) {
        fm_json_object(&json, NULL, FM_JSON_INLINE);
        fm_json_whole(&json, "fathom", FM_JSON_VERSION);
        fm_json_text(&json, "path", path);
        fm_json_text(&json, "text", text);
        write_costs(slices->files, path, &json);
        fm_json_end(&json);
    }
    fm_arena_destroy(&scratch);
    return text ? FM_OK : fm_no_slice(error);
}

enum fm_status fm_slice_sources(struct fm_slices *slices, const char *rest, FILE *out, struct fm_error *error)
{
    uint32_t number = 0;
    if (*rest && !fm_slice_numbers(rest, &number, 1))
        return fm_no_slice(error);
    enum fm_status status = find_files(slices, error);
    if (status)
        return status;
    if (*rest)
        return number < slices->files->n ? write_file(slices, slices->files->paths[number], out, error)
                                         : fm_no_slice(error);
    write_list(slices->files, out);
    return FM_OK;
}

enum fm_status fm_slice_sources_visit(struct fm_slices *slices, fm_slice_visit visit, void *context,
                                      struct fm_error *error)
{
    enum fm_status status = find_files(slices, error);
    if (!status)
        status = visit(context, "sources", error);
    for (size_t i = 0; !status && i < slices->files->n; i++) {
        char name[64];
        snprintf(name, sizeof name, "sources/%zu", i);
        status = visit(context, name, error);
    }
    return status;
}
