/* "step._omp_fn.0" is the body of a region of step. Trees of calls written down as rows, for several runs at once: depth, kind, function, line and the time of its own in
 * each run, in ms over all processes. A frame with such a time gets a statement with it, one line below where it begins. */
#ifndef FM_TESTS_MADE_TREE_H
#define FM_TESTS_MADE_TREE_H

#include <stdio.h>
#include <string.h>

#include "analyse/calls/calltree.h"

enum { MADE_RUNS = 6, MADE_DEPTH = 16 };

struct made_row {
    unsigned depth; /* 1: below the root */
    enum fm_context_kind kind;
    const char *name;
    uint32_t line;
    uint64_t own_ms[MADE_RUNS];
    const char *module; /* NULL: the program */
    const char *path;   /* NULL: main.c */
};

#define FRAME FM_CONTEXT_FRAME
#define ROUTINE FM_CONTEXT_ROUTINE
#define STATEMENT FM_CONTEXT_STATEMENT
#define ROWS(rows) rows, sizeof(rows) / sizeof *(rows)

static const char MADE_PROGRAM[] = "/opt/bin/program";

__attribute__((unused)) static void made_spend(struct fm_calltree *tree, struct fm_context *at, uint64_t ms)
{
    struct fm_context_cost cost = {.of = fm_path_cost_of(ms * 1000000, 0)};
    bool line = at->id.kind == FM_CONTEXT_STATEMENT || at->id.kind == FM_CONTEXT_CALL_SITE;
    fm_context_cost_add(&at->own, &cost, tree->ranks, tree->arena);
    if (line)
        fm_context_cost_add(&at->parent->own, &cost, tree->ranks, tree->arena);
    for (; at; at = at->parent)
        fm_context_cost_add(&at->all, &cost, tree->ranks, tree->arena);
}

__attribute__((unused)) static struct fm_context *made_below(struct fm_calltree *tree, struct fm_context *parent,
                                                             enum fm_context_kind kind, const char *name,
                                                             const char *module, const char *path, uint32_t line)
{
    char function[64];
    const char *body = strstr(name, "._omp_fn.") ? fm_calltree_text(tree, name) : NULL;
    snprintf(function, sizeof function, "%.*s", body ? (int)strcspn(name, ".") : 63, name);
    struct fm_context_id id = {.kind = kind,
                               .name = fm_calltree_text(tree, function),
                               .body = body,
                               .module = fm_calltree_text(tree, kind == FM_CONTEXT_ROUTINE ? "" : module),
                               .path = fm_calltree_text(tree, path),
                               .defined = fm_calltree_text(tree, ""),
                               .line = line};
    return fm_context_below(tree, parent, &id);
}

/* The tree of one run: what has no time there is not there. */
__attribute__((unused)) static void made_tree(const struct made_row *rows, size_t n, size_t run, struct fm_arena *arena,
                                              struct fm_calltree *tree)
{
    struct fm_context *at[MADE_DEPTH];
    fm_calltree_start(tree, arena, 1);
    at[0] = tree->root;
    for (size_t i = 0; i < n; i++) {
        const struct made_row *row = &rows[i];
        const char *module = row->module ? row->module : MADE_PROGRAM, *path = row->path ? row->path : "/s/main.c";
        bool used = row->own_ms[run];
        for (size_t j = i + 1; j < n && rows[j].depth > row->depth && !used; j++)
            used = rows[j].own_ms[run];
        if (!used)
            continue;
        struct fm_context *node = made_below(tree, at[row->depth - 1], row->kind, row->name, module,
                                             row->line ? path : "", row->line);
        at[row->depth] = node;
        if (!row->own_ms[run])
            continue;
        if (row->kind == FM_CONTEXT_FRAME)
            node = made_below(tree, node, FM_CONTEXT_STATEMENT, row->name, module, path, 1001);
        made_spend(tree, node, row->own_ms[run]);
    }
}

#endif
