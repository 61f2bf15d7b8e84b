/* SPDX-License-Identifier: BSD-3-Clause */
/* Input for Hatchet's GraphFrame.from_literal: nested dictionaries, valid both as JSON and as a Python literal (no
 * null, true or false). Times in seconds. */
#include "base/basename.h"
#include "export/export.h"
#include "render/json.h"

enum { MAX_DEPTH = (FM_JSON_DEPTH - 2) / 2 };

/* At the deepest level that can be written, a function includes the time of its callees. */
static void open_node(struct fm_json *json, const struct fm_context *context, bool deepest)
{
    const struct fm_context_id *id = &context->id;
    fm_json_object(json, NULL, FM_JSON_LINES);
    fm_json_object(json, "frame", FM_JSON_INLINE);
    fm_json_text(json, "name", id->name);
    fm_json_text(json, "type", "function");
    fm_json_text(json, "file", id->defined);
    fm_json_whole(json, "line", context->facts.defined_line);
    fm_json_text(json, "module", fm_basename(id->module));
    fm_json_end(json);
    fm_json_object(json, "metrics", FM_JSON_INLINE);
    fm_json_seconds(json, "time", deepest ? context->all.of.sum_ns : context->own.of.sum_ns);
    fm_json_seconds(json, "time (inc)", context->all.of.sum_ns);
    fm_json_end(json);
    fm_json_array(json, "children", FM_JSON_LINES);
}

static void close_node(struct fm_json *json)
{
    fm_json_end(json);
    fm_json_end(json);
}

enum fm_status fm_export_hatchet(struct fm_report *report, FILE *out, struct fm_error *error)
{
    struct fm_calltree functions;
    struct fm_json json = {.out = out};
    enum fm_status status = fm_report_functions(report, &functions, error);
    if (status)
        return status;
    fm_json_array(&json, NULL, FM_JSON_LINES);
    const struct fm_context *at = functions.root->first;
    size_t depth = 0;
    while (at) {
        open_node(&json, at, depth + 1 == MAX_DEPTH);
        if (at->first && depth + 1 < MAX_DEPTH) {
            at = at->first;
            depth++;
            continue;
        }
        close_node(&json);
        for (; !at->next && depth; depth--) {
            at = at->parent;
            close_node(&json);
        }
        at = at->next;
    }
    fm_json_end(&json);
    return FM_OK;
}
