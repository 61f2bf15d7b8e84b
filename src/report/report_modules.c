/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report_modules.h"

enum fm_status fm_report_module_map(struct fm_report *report, struct fm_module_map *map, struct fm_error *error)
{
    const char *file = report->options.modules;
    return file ? fm_module_map_read(map, file, &report->arena, error)
                : fm_module_map_usual(map, &report->arena, error);
}

static enum fm_status make_modules(struct fm_report *report, struct fm_calltree *calls, struct fm_module_map *map,
                                   struct fm_module_breakdown *modules, struct fm_error *error)
{
    enum fm_status status = fm_report_module_map(report, map, error);
    if (!status)
        status = fm_report_calltree(report, FM_CALLTREE_PROGRAM, calls, error);
    return status ? status : fm_module_breakdown_make(calls, map, &report->arena, modules, error);
}

enum fm_status fm_report_modules(struct fm_report *report, struct fm_calltree *calls,
                                 struct fm_module_breakdown *modules, struct fm_error *error)
{
    struct fm_module_map map;
    return make_modules(report, calls, &map, modules, error);
}

/* Uses the unfolded tree: nodes of the profile can be found only there. */
enum fm_status fm_report_sequence(struct fm_report *report, struct fm_module_sequence *sequence, struct fm_error *error)
{
    const struct fm_report_options options = report->options;
    struct fm_calltree calls;
    struct fm_module_map map;
    struct fm_module_breakdown modules;
    *sequence = (struct fm_module_sequence){0};
    if (!fm_report_sampled(report) || !report->profile->paths.sequence.n)
        return FM_OK;
    report->options.fold_mpi = report->options.fold_recursion = false;
    report->options.focus = NULL;
    enum fm_status status = make_modules(report, &calls, &map, &modules, error);
    report->options = options;
    return status ? status
                  : fm_module_sequence_make(report->profile, &calls, &modules, &map, &report->arena, sequence, error);
}

enum fm_status fm_module_contexts(struct fm_report *report, const struct fm_module_breakdown *modules,
                                  struct fm_calltree *tree, struct fm_error *error)
{
    struct fm_context **made = fm_arena_alloc(&report->arena, modules->n * sizeof *made);
    if (!fm_calltree_start(tree, &report->arena, 1) || !made)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the modules");
    made[0] = tree->root;
    for (uint32_t i = 0; i < modules->n; i++) {
        const struct fm_module_node *node = &modules->nodes[i];
        const struct fm_context_id id = {
            .kind = FM_CONTEXT_FRAME, .name = node->name, .module = "", .path = "", .defined = ""};
        if (i)
            made[i] = fm_context_below(tree, made[node->parent], &id);
        made[i]->mark = i;
        made[i]->own.of.sum_ns = fm_module_total(&node->own);
        made[i]->all.of.sum_ns = fm_module_total(&node->all);
    }
    return fm_calltree_sort(tree, FM_BY_INCLUSIVE, error);
}
