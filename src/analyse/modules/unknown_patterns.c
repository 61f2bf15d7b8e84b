/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/modules/unknown_patterns.h"

#include <fnmatch.h>

#include "analyse/modules/library_families.h"

struct unknown_rules {
    const struct fm_module_rule **rules;
    size_t n;
};

static bool wants(void *context, const char *path)
{
    const struct unknown_rules *unknown = context;
    return unknown->n && !fm_library_family(path);
}

static void visit(void *context, const char *function, const char *file)
{
    struct unknown_rules *unknown = context;
    size_t kept = 0;
    for (size_t i = 0; i < unknown->n; i++) {
        const struct fm_module_rule *rule = unknown->rules[i];
        bool fits = rule->kind == FM_RULE_FILE ? fm_path_fits(rule->pattern, file)
                                               : fnmatch(rule->pattern, function, 0) == 0;
        if (!fits)
            unknown->rules[kept++] = rule;
    }
    unknown->n = kept;
}

size_t fm_unknown_patterns(const struct fm_module_rule **rules, size_t n, struct fm_symbols *symbols)
{
    struct unknown_rules unknown = {rules, n};
    if (symbols && n)
        fm_symbols_functions(symbols, &(struct fm_function_visitor){wants, visit, &unknown});
    return unknown.n;
}
