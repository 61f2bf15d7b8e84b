/* SPDX-License-Identifier: BSD-3-Clause */
/* The speedscope file format: a list of functions, then each path as a list of their indices, with its weight. */
#include "export/export.h"
#include "render/json.h"

/* Sets `twin` of all contexts to their function in `table`, whose mark is its index. Returns false if out of memory. */
static bool number_functions(const struct fm_calltree *calls, struct fm_calltree *table, struct fm_arena *arena)
{
    if (!fm_calltree_start(table, arena, calls->ranks))
        return false;
    for (struct fm_context *at = calls->root->first; at; at = fm_context_after(calls->root, at)) {
        size_t before = table->n;
        at->twin = fm_context_below(table, table->root, &at->id);
        fm_context_learn(at->twin, &at->facts);
        if (table->n > before)
            at->twin->mark = (uint32_t)before;
    }
    return !table->failed;
}

/* New contexts are prepended to the list, so it must be put in the order of the indices. */
static void write_frames(struct fm_json *json, const struct fm_calltree *table, struct fm_context **by_number)
{
    for (struct fm_context *at = table->root->first; at; at = at->next)
        by_number[at->mark] = at;
    fm_json_array(json, "frames", FM_JSON_LINES);
    for (size_t i = 0; i < table->n; i++) {
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_text(json, "name", by_number[i]->id.name);
        if (by_number[i]->id.defined[0])
            fm_json_text(json, "file", by_number[i]->id.defined);
        if (by_number[i]->facts.defined_line)
            fm_json_whole(json, "line", by_number[i]->facts.defined_line);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void write_samples(struct fm_json *json, const struct fm_calltree *calls)
{
    const struct fm_context *path[FM_EXPORT_DEPTH];
    fm_json_array(json, "samples", FM_JSON_LINES);
    for (const struct fm_context *at = calls->root->first; at; at = fm_context_after(calls->root, at)) {
        if (!at->own.of.sum_ns)
            continue;
        size_t n = fm_export_call_path(at, path);
        fm_json_array(json, NULL, FM_JSON_INLINE);
        for (size_t i = 0; i < n; i++)
            fm_json_whole(json, NULL, path[i]->twin->mark);
        fm_json_end(json);
    }
    fm_json_end(json);
    fm_json_array(json, "weights", FM_JSON_INLINE);
    for (const struct fm_context *at = calls->root->first; at; at = fm_context_after(calls->root, at))
        if (at->own.of.sum_ns)
            fm_json_whole(json, NULL, at->own.of.sum_ns);
    fm_json_end(json);
}

enum fm_status fm_export_speedscope(struct fm_report *report, FILE *out, struct fm_error *error)
{
    struct fm_calltree functions, table;
    struct fm_json json = {.out = out};
    enum fm_status status = fm_report_functions(report, &functions, error);
    if (status)
        return status;
    struct fm_context **by_number = fm_arena_alloc(&report->arena, (functions.n + 1) * sizeof *by_number);
    if (!by_number || !number_functions(&functions, &table, &report->arena))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the call paths");
    fm_json_object(&json, NULL, FM_JSON_LINES);
    fm_json_text(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
    fm_json_text(&json, "exporter", "fathom " FM_VERSION);
    fm_json_text(&json, "name", report->summary.name);
    fm_json_whole(&json, "activeProfileIndex", 0);
    fm_json_object(&json, "shared", FM_JSON_LINES);
    write_frames(&json, &table, by_number);
    fm_json_end(&json);
    fm_json_array(&json, "profiles", FM_JSON_LINES);
    fm_json_object(&json, NULL, FM_JSON_LINES);
    fm_json_text(&json, "type", "sampled");
    fm_json_text(&json, "name", fm_format(&report->arena, "%s, %u ranks", report->summary.name, functions.ranks));
    fm_json_text(&json, "unit", "nanoseconds");
    fm_json_whole(&json, "startValue", 0);
    fm_json_whole(&json, "endValue", functions.root->all.of.sum_ns);
    write_samples(&json, &functions);
    fm_json_end(&json);
    fm_json_end(&json);
    fm_json_end(&json);
    return FM_OK;
}
