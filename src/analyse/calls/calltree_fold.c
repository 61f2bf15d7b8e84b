/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduced call trees: without repeated recursion, without the inside of MPI, and without lines of calls. */
#include "analyse/calls/calltree.h"
#include "base/basename.h"
#include "base/sort.h"
#include "model/order.h"
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

bool fm_context_starts_mpi(const struct fm_context *context)
{
    static const char *const names[] = {"MPI_Init", "MPI_Init_thread", "MPI_Session_init", "MPI_Finalize",
                                        "MPI_Session_finalize"};
    const char *name = context->id.name + (context->id.name[0] == 'P');
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return fm_context_in_mpi(context);
    return false;
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

/* ---- lines of calls ---- */

static bool is_called(const struct fm_context *context)
{
    return context->id.kind == FM_CONTEXT_FRAME || context->id.kind == FM_CONTEXT_ROUTINE;
}

static void remember_line(struct fm_calltree *folded, struct fm_context *twin, const struct fm_context *at)
{
    struct fm_call_line *line = fm_arena_alloc(folded->arena, sizeof *line);
    folded->failed |= !line;
    if (!line)
        return;
    *line = (struct fm_call_line){.path = at->id.path,
                                  .line = at->id.line,
                                  .approximate = at->facts.approximate,
                                  .inlined = at->id.inlined,
                                  .sum_ns = at->all.of.sum_ns,
                                  .next = twin->lines};
    twin->lines = line;
}

static int compare_lines(const void *a, const void *b)
{
    const struct fm_call_line *p = *(struct fm_call_line *const *)a, *q = *(struct fm_call_line *const *)b;
    int order = fm_compare_number(!p->line, !q->line);
    if (!order)
        order = fm_compare_text(p->path, q->path);
    return order ? order : fm_compare_number(p->line, q->line);
}

/* Sorts the lines of a context and merges equal ones. */
static bool sort_lines(struct fm_context *context, struct fm_arena *scratch)
{
    size_t n = 0, capacity = 0;
    struct fm_call_line **lines = NULL, *last = NULL;
    for (struct fm_call_line *at = context->lines; at; at = at->next) {
        struct fm_call_line **grown = fm_arena_grow(scratch, lines, &capacity, n + 1, sizeof *grown);
        if (!grown)
            return false;
        lines = grown;
        lines[n++] = at;
    }
    if (!fm_sort(lines, n, sizeof *lines, compare_lines, scratch))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (last && compare_lines(&last, &lines[i]) == 0) {
            last->approximate |= lines[i]->approximate;
            last->inlined &= lines[i]->inlined;
            last->sum_ns += lines[i]->sum_ns;
            continue;
        }
        *(last ? &last->next : &context->lines) = lines[i];
        last = lines[i];
        last->next = NULL;
    }
    return true;
}

/* A context with a single line has it as its own. */
static void settle_lines(struct fm_context *context)
{
    context->id.inlined = true;
    for (const struct fm_call_line *at = context->lines; at; at = at->next)
        context->id.inlined &= at->inlined;
    const struct fm_call_line *only = context->lines;
    if (!only || only->next)
        return;
    context->id.path = only->path;
    context->id.line = only->line;
    context->lines = NULL;
}

enum fm_status fm_calltree_fold_lines(const struct fm_calltree *calls, struct fm_arena *arena,
                                      struct fm_calltree *folded, struct fm_error *error)
{
    struct fm_arena scratch = {0};
    struct fm_context *at = start(folded, arena, calls) ? calls->root->first : NULL;
    for (; at && !folded->failed; at = fm_context_after(calls->root, at)) {
        struct fm_context_id id = at->id;
        if (is_called(at)) {
            id.path = "";
            id.line = 0;
            id.inlined = false;
        }
        at->twin = fm_context_below(folded, at->parent->twin, &id);
        fm_context_learn(at->twin, &at->facts);
        fm_context_cost_add(&at->twin->own, &at->own, folded->ranks, folded->arena);
        fm_context_cost_add(&at->twin->all, &at->all, folded->ranks, folded->arena);
        if (is_called(at))
            remember_line(folded, at->twin, at);
    }
    at = folded->failed ? NULL : folded->root->first;
    for (; at && !folded->failed; at = fm_context_after(folded->root, at))
        if (at->lines) {
            folded->failed |= !sort_lines(at, &scratch);
            settle_lines(at);
        }
    fm_arena_destroy(&scratch);
    return fm_calltree_end(folded, error);
}
