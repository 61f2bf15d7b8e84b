#include "present/module_trees.h"

enum fm_status fm_report_modules(struct fm_report *report, struct fm_calltree *calls, struct fm_modules *modules,
                                 struct fm_error *error)
{
    struct fm_modules_map map;
    const char *file = report->options.modules;
    enum fm_status status = file ? fm_modules_map_read(&map, file, &report->arena, error)
                                 : fm_modules_map_usual(&map, &report->arena, error);
    if (!status)
        status = fm_report_tree(report, FM_TREE_PROGRAM, calls, error);
    return status ? status : fm_modules_make(calls, &map, &report->arena, modules, error);
}

enum fm_status fm_modules_contexts(struct fm_report *report, const struct fm_modules *modules, struct fm_calltree *tree,
                                   struct fm_error *error)
{
    struct fm_context **made = fm_arena_alloc(&report->arena, modules->n * sizeof *made);
    if (!fm_calltree_start(tree, &report->arena, 1) || !made)
        return fm_fail(error, FM_ERR_MEMORY, "no memory left for the modules");
    made[0] = tree->root;
    for (uint32_t i = 0; i < modules->n; i++) {
        const struct fm_modules_node *node = &modules->nodes[i];
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
