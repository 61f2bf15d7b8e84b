/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduced call trees: without repeated recursion, and without the inside of MPI. */
#include "analyse/calls/calltree.h"
#include "base/basename.h"
#include "mpi/libraries.h"

/* ---- cycles ---- */

/* If a path that continues with `function` goes through the same functions twice in succession: the context at which
 * the first pass ends. NULL if not. The path so far, from `parent` outwards, contains no such repetition. */
static struct fm_context *cycle_end(struct fm_context *parent, const struct fm_context *function)
{
    for (struct fm_context *end = parent; end->id.kind == FM_CONTEXT_FRAME; end = end->parent) {
        if (!fm_context_same_function(end, function))
            continue;
        const struct fm_context *second = parent, *once = end->parent;
        while (second != end && fm_context_same_function(second, once)) {
            second = second->parent;
            once = once->parent;
        }
        if (second == end)
            return end;
    }
    return NULL;
}

static void enter(struct fm_calltree *folded, struct fm_context *at)
{
    struct fm_context *parent = at->parent->twin;
    at->twin = at->id.kind == FM_CONTEXT_FRAME ? cycle_end(parent, at) : NULL;
    if (!at->twin)
        at->twin = fm_context_below(folded, parent, &at->id);
    fm_context_learn(at->twin, &at->facts);
    fm_context_cost_add(&at->twin->own, &at->own, folded->ranks, folded->arena);
    if (!at->twin->active++)
        fm_context_cost_add(&at->twin->all, &at->all, folded->ranks, folded->arena);
}

static bool start(struct fm_calltree *folded, struct fm_arena *arena, const struct fm_calltree *calls)
{
    if (!fm_calltree_start(folded, arena, calls->ranks))
        return false;
    folded->root->own = calls->root->own;
    folded->root->all = calls->root->all;
    calls->root->twin = folded->root;
    return true;
}

enum fm_status fm_calltree_fold_cycles(const struct fm_calltree *calls, struct fm_arena *arena,
                                       struct fm_calltree *folded, struct fm_error *error)
{
    struct fm_context *at = start(folded, arena, calls) ? calls->root->first : NULL;
    while (at && !folded->failed) {
        enter(folded, at);
        if (at->first) {
            at = at->first;
            continue;
        }
        at->twin->active--;
        while (!at->next && at->parent != calls->root) {
            at = at->parent;
            at->twin->active--;
        }
        at = at->next;
    }
    return fm_calltree_end(folded, error);
}

/* ---- MPI ---- */

bool fm_context_in_mpi(const struct fm_context *context)
{
    return context->id.kind == FM_CONTEXT_ROUTINE || fm_mpi_is_named(fm_basename(context->id.module));
}

/* The context of the folded tree into which everything below another one is merged; NULL if that is kept. */
static struct fm_context *entry_of(struct fm_context *context)
{
    return fm_context_in_mpi(context->twin) ? context->twin : NULL;
}

static bool is_leaf(const struct fm_context *context)
{
    return context->id.kind == FM_CONTEXT_CALL_SITE || context->id.kind == FM_CONTEXT_STATEMENT;
}

static void copy_context(struct fm_calltree *folded, struct fm_context *parent, struct fm_context *at)
{
    at->twin = fm_context_below(folded, parent, &at->id);
    fm_context_learn(at->twin, &at->facts);
    fm_context_cost_add(&at->twin->all, &at->all, folded->ranks, folded->arena);
    bool whole = at->id.kind == FM_CONTEXT_ROUTINE; /* including everything below it */
    if (whole || !fm_context_in_mpi(at))
        fm_context_cost_add(&at->twin->own, whole ? &at->all : &at->own, folded->ranks, folded->arena);
}

/* Merges a line somewhere below the function through which MPI was entered into one call site. */
static void merge_line(struct fm_calltree *folded, struct fm_context *entry, const struct fm_context *line)
{
    struct fm_context_id id = entry->id;
    id.kind = FM_CONTEXT_CALL_SITE;
    id.path = "";
    id.line = 0;
    id.inlined = false;
    struct fm_context *site = fm_context_below(folded, entry, &id);
    fm_context_cost_add(&site->own, &line->own, folded->ranks, folded->arena);
    site->all = site->own;
    entry->own = site->own;
}

enum fm_status fm_calltree_fold_mpi(const struct fm_calltree *calls, struct fm_arena *arena, struct fm_calltree *folded,
                                    struct fm_error *error)
{
    struct fm_context *at = start(folded, arena, calls) ? calls->root->first : NULL;
    for (; at && !folded->failed; at = fm_context_after(calls->root, at)) {
        struct fm_context *entry = entry_of(at->parent);
        if (!entry) {
            copy_context(folded, at->parent->twin, at);
        } else if (entry->id.kind != FM_CONTEXT_ROUTINE && at->id.kind == FM_CONTEXT_ROUTINE) {
            copy_context(folded, entry, at);
        } else {
            at->twin = entry;
            if (entry->id.kind != FM_CONTEXT_ROUTINE && is_leaf(at))
                merge_line(folded, entry, at);
        }
    }
    return fm_calltree_end(folded, error);
}
