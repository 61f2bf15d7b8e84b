#include "present/export.h"

#include <string.h>

const struct fm_export fm_exports[] = {
    {"collapsed", "a line for each path, for flamegraph.pl, inferno and others", fm_export_collapsed},
    {"speedscope", "JSON for speedscope.app", fm_export_speedscope},
    {"pprof", "for go tool pprof and all that reads its format", fm_export_pprof},
    {"hatchet", "for GraphFrame.from_literal of Hatchet, in Python", fm_export_hatchet},
    {0},
};

const struct fm_export *fm_export_find(const char *name)
{
    for (const struct fm_export *format = fm_exports; format->name; format++)
        if (strcmp(format->name, name) == 0)
            return format;
    return NULL;
}

enum fm_status fm_export_write(const struct fm_export *format, struct fm_report *report, FILE *out,
                               struct fm_error *error)
{
    if (!fm_report_sampled(report))
        return fm_fail(error, FM_ERR_INPUT, "the profile has no call paths: fathom run --sample 1000 takes them");
    return format->write(report, out, error);
}

enum fm_status fm_export_functions(struct fm_report *report, struct fm_calltree *functions, struct fm_error *error)
{
    struct fm_calltree calls;
    enum fm_status status = fm_report_tree(report, FM_TREE_CALLS, &calls, error);
    if (!status)
        status = fm_calltree_functions(&calls, &report->arena, functions, error);
    return status ? status : fm_calltree_sort(functions, FM_BY_INCLUSIVE, error);
}

size_t fm_export_way(const struct fm_context *context, const struct fm_context **way)
{
    size_t n = 0;
    for (const struct fm_context *at = context; at->parent && n < FM_EXPORT_DEPTH; at = at->parent)
        way[n++] = at;
    for (size_t i = 0; i < n / 2; i++) {
        const struct fm_context *other = way[i];
        way[i] = way[n - 1 - i];
        way[n - 1 - i] = other;
    }
    return n;
}
