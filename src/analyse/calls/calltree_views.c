/* SPDX-License-Identifier: BSD-3-Clause */
/* The flat tree and the tree of callers. Both walk over the call tree in the order of execution and count how often a
 * node of theirs is on the stack: it gets the inclusive cost of a frame only if it was not on the stack yet. */
#include <string.h>

#include "analyse/calls/calltree.h"

static bool is_line(const struct fm_context *context)
{
    return context->id.kind == FM_CONTEXT_CALL_SITE || context->id.kind == FM_CONTEXT_STATEMENT;
}

static bool is_function(const struct fm_context *context)
{
    return context->id.kind == FM_CONTEXT_FRAME || context->id.kind == FM_CONTEXT_ROUTINE;
}

struct view_builder {
    struct fm_calltree *to;
    size_t depth; /* maximum number of callers */
};

/* Passes the nodes of the other tree that correspond to a context on the stack to `visit`. */
typedef void visitor(struct view_builder *builder, const struct fm_context *context, struct fm_context *node);
typedef void finder(struct view_builder *builder, const struct fm_context *context, visitor *visit);

static void enter(struct view_builder *builder, const struct fm_context *context, struct fm_context *node)
{
    if (!node->active++)
        fm_context_cost_add(&node->all, &context->all, builder->to->ranks, builder->to->arena);
}

static void leave(struct view_builder *builder, const struct fm_context *context, struct fm_context *node)
{
    (void)builder;
    (void)context;
    node->active--;
}

static void walk(struct view_builder *builder, const struct fm_calltree *calls, finder *find)
{
    const struct fm_context *at = calls->root->first;
    while (at && !builder->to->failed) {
        find(builder, at, enter);
        if (at->first) {
            at = at->first;
            continue;
        }
        find(builder, at, leave);
        while (!at->next && at->parent != calls->root) {
            at = at->parent;
            find(builder, at, leave);
        }
        at = at->next;
    }
}

/* ---- flat ---- */

static const struct fm_context_id empty_id = {.name = "", .module = "", .path = "", .defined = ""};

static struct fm_context *module_of(struct fm_calltree *flat, const struct fm_context *context)
{
    static const char mpi[] = "(MPI)", unknown[] = "(unknown)";
    struct fm_context_id id = empty_id;
    id.kind = FM_CONTEXT_MODULE;
    id.module = context->id.module;
    id.name = context->id.kind == FM_CONTEXT_ROUTINE ? mpi : id.module[0] ? id.module : unknown;
    return fm_context_below(flat, flat->root, &id);
}

static struct fm_context *file_of(struct fm_calltree *flat, const struct fm_context *context)
{
    static const char unknown[] = "(unknown source)";
    struct fm_context *module = module_of(flat, context);
    if (context->id.kind == FM_CONTEXT_ROUTINE)
        return module;
    struct fm_context_id id = empty_id;
    id.kind = FM_CONTEXT_FILE;
    id.module = context->id.module;
    id.path = id.defined = context->id.defined;
    id.name = id.path[0] ? id.path : unknown;
    return fm_context_below(flat, module, &id);
}

/* The id of a function, independent of its call sites. */
static struct fm_context_id function_id(const struct fm_context *context)
{
    struct fm_context_id id = context->id;
    id.path = "";
    id.body = NULL;
    id.line = 0;
    id.inlined = false;
    return id;
}

static struct fm_context *function_of(struct fm_calltree *flat, const struct fm_context *context)
{
    struct fm_context_id id = function_id(context);
    struct fm_context *function = fm_context_below(flat, file_of(flat, context), &id);
    fm_context_learn(function, &context->facts);
    return function;
}

/* The line of the caller that calls or contains a context; NULL if unknown. */
static struct fm_context *line_of(struct fm_calltree *flat, const struct fm_context *context)
{
    if (!context->id.line || context->parent->id.kind != FM_CONTEXT_FRAME)
        return NULL;
    struct fm_context_id id = context->parent->id;
    id.kind = FM_CONTEXT_STATEMENT;
    id.path = context->id.path;
    id.body = NULL;
    id.line = context->id.line;
    id.inlined = false;
    const struct fm_context_facts facts = {.approximate = context->facts.approximate};
    struct fm_context *line = fm_context_below(flat, function_of(flat, context->parent), &id);
    fm_context_learn(line, &facts);
    return line;
}

static void find_flat(struct view_builder *builder, const struct fm_context *context, visitor *visit)
{
    struct fm_context *line = line_of(builder->to, context);
    if (line)
        visit(builder, context, line);
    if (!is_function(context))
        return;
    for (struct fm_context *at = function_of(builder->to, context); at != builder->to->root; at = at->parent)
        visit(builder, context, at);
}

static void add_own(struct fm_calltree *flat, const struct fm_context *leaf)
{
    bool line = is_line(leaf);
    struct fm_context *at = line ? line_of(flat, leaf) : NULL;
    if (!at)
        at = function_of(flat, line ? leaf->parent : leaf);
    for (; at != flat->root; at = at->parent)
        fm_context_cost_add(&at->own, &leaf->own, flat->ranks, flat->arena);
}

enum fm_status fm_calltree_flat(const struct fm_calltree *calls, struct fm_arena *arena, struct fm_calltree *flat,
                                struct fm_error *error)
{
    struct view_builder builder = {.to = flat};
    if (!fm_calltree_start(flat, arena, calls->ranks))
        return fm_calltree_end(flat, error);
    flat->root->all = calls->root->all;
    walk(&builder, calls, find_flat);
    for (const struct fm_context *at = calls->root->first; at && !flat->failed; at = fm_context_after(calls->root, at))
        if (is_line(at) || at->id.kind == FM_CONTEXT_ROUTINE)
            add_own(flat, at);
    for (struct fm_context *at = flat->root->first; at; at = fm_context_after(flat->root, at))
        if (at->id.kind == FM_CONTEXT_STATEMENT && !at->own.of.sum_ns)
            at->id.kind = FM_CONTEXT_CALL_SITE;
    return fm_calltree_end(flat, error);
}

/* ---- callers ---- */

/* The function itself, then the lines that call it, outwards. */
static void find_callers(struct view_builder *builder, const struct fm_context *context, visitor *visit)
{
    if (!is_function(context))
        return;
    struct fm_context_id id = function_id(context);
    struct fm_context *node = fm_context_below(builder->to, builder->to->root, &id);
    fm_context_learn(node, &context->facts);
    visit(builder, context, node);
    const struct fm_context *called = context;
    for (size_t depth = 0; depth < builder->depth && called->parent->id.kind != FM_CONTEXT_ROOT; depth++) {
        const struct fm_context *caller = called->parent;
        id = caller->id;
        if (caller->id.kind == FM_CONTEXT_FRAME) {
            id.kind = FM_CONTEXT_CALL_SITE;
            id.path = called->id.path;
            id.line = called->id.line;
        }
        node = fm_context_below(builder->to, node, &id);
        const struct fm_context_facts facts = {.approximate = called->facts.approximate,
                                               .inferred = caller->facts.inferred,
                                               .callers_missing = caller->facts.callers_missing};
        fm_context_learn(node, &facts);
        visit(builder, context, node);
        called = caller;
    }
}

static void add_exclusive(struct view_builder *builder, const struct fm_context *context, struct fm_context *node)
{
    fm_context_cost_add(&node->own, &context->own, builder->to->ranks, builder->to->arena);
}

enum fm_status fm_calltree_callers(const struct fm_calltree *calls, size_t depth, struct fm_arena *arena,
                                   struct fm_calltree *callers, struct fm_error *error)
{
    struct view_builder builder = {.to = callers, .depth = depth};
    if (!fm_calltree_start(callers, arena, calls->ranks))
        return fm_calltree_end(callers, error);
    callers->of_callers = true;
    callers->root->all = calls->root->all;
    walk(&builder, calls, find_callers);
    for (const struct fm_context *at = calls->root->first; at && !callers->failed;
         at = fm_context_after(calls->root, at))
        find_callers(&builder, at, add_exclusive);
    return fm_calltree_end(callers, error);
}
