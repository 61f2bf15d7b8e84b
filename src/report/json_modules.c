/* SPDX-License-Identifier: BSD-3-Clause */
/* The modules of a model in JSON: doc/JSON.md. */
#include "report/json_parts.h"
#include "report/report_modules.h"
#include "report/sequence_style.h"

void fm_json_module_cost(struct fm_json *json, const struct fm_module_cost *cost)
{
    fm_json_seconds(json, "work_s", cost->work_ns);
    fm_json_seconds(json, "transfer_s", cost->transfer_ns);
    fm_json_seconds(json, "waiting_s", cost->waiting_ns);
    fm_json_seconds(json, "waiting_estimated_s", cost->estimated_ns);
    fm_json_seconds(json, "mpi_s", cost->mpi_ns);
}

static void write_list(struct fm_json *json, const struct fm_module_breakdown *modules, const unsigned *colours)
{
    fm_json_array(json, "list", FM_JSON_LINES);
    for (size_t i = 0; i < modules->n_items; i++) {
        const struct fm_module_item *item = &modules->items[i];
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_text(json, "name", item->name);
        fm_json_text_or_null(json, "group", item->group ? item->group : "");
        fm_json_whole(json, "colour", colours[i]);
        fm_json_module_cost(json, &item->own);
        fm_json_seconds(json, "causes_waiting_s", item->causes_ns);
        fm_json_object(json, "inclusive", FM_JSON_INLINE);
        fm_json_module_cost(json, &item->all);
        fm_json_end(json);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void write_idle(struct fm_json *json, const struct fm_module_breakdown *modules)
{
    fm_json_array(json, "idle_patterns", FM_JSON_LINES);
    for (size_t i = 0; i < modules->n_idle; i++) {
        const struct fm_module_rule *rule = modules->idle[i];
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_whole(json, "line", rule->line);
        fm_json_text(json, "module", rule->module);
        fm_json_text(json, "kind", rule->kind == FM_RULE_FILE ? "file" : "function");
        fm_json_text(json, "pattern", rule->pattern);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void open_node(struct fm_json *json, const char *key, const struct fm_module_node *node)
{
    fm_json_object(json, key, FM_JSON_LINES);
    fm_json_text(json, "name", node->parent || node->name[0] ? node->name : "all");
    fm_json_module_cost(json, &node->all);
    fm_json_array(json, "children", FM_JSON_LINES);
}

/* Not recursive, and with a limit: modules that call each other nest as deep as calls do. */
static void write_tree(struct fm_json *json, const struct fm_module_breakdown *modules)
{
    enum { DEPTH = 120 };
    const struct fm_module_node *nodes = modules->nodes;
    uint32_t at = 0;
    size_t depth = 0;
    open_node(json, "tree", nodes);
    for (;;) {
        uint32_t next = depth < DEPTH ? nodes[at].first : 0;
        if (next) {
            depth++;
        } else {
            fm_json_end(json);
            fm_json_end(json);
            for (; at && !nodes[at].next; depth--) {
                at = nodes[at].parent;
                fm_json_end(json);
                fm_json_end(json);
            }
            if (!at)
                return;
            next = nodes[at].next;
        }
        at = next;
        open_node(json, NULL, &nodes[at]);
    }
}

enum fm_status fm_json_modules(struct fm_report *report, struct fm_json *json, struct fm_error *error)
{
    struct fm_calltree calls;
    struct fm_module_breakdown modules;
    if (!fm_report_sampled(report)) {
        fm_json_null(json, "modules");
        return FM_OK;
    }
    enum fm_status status = fm_report_modules(report, &calls, &modules, error);
    if (status)
        return status;
    unsigned *colours = fm_arena_alloc(&report->arena, (modules.n_items + 1) * sizeof *colours);
    if (!colours)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the colours of modules");
    status = fm_breakdown_colours(report, &modules, colours, error);
    if (status)
        return status;
    fm_json_object(json, "modules", FM_JSON_LINES);
    fm_json_seconds(json, "left_out_s", report->helpers_ns);
    write_list(json, &modules, colours);
    write_idle(json, &modules);
    write_tree(json, &modules);
    fm_json_end(json);
    return FM_OK;
}
