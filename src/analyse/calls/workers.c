/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/calls/workers.h"

#include "analyse/calls/thread_runtimes.h"

enum { MAX_BODIES = 1000 }; /* that are looked for; others stay with the workers */

/* Marks of the contexts of the original tree. */
enum worker_mark {
    OF_PROGRAM, /* what functions of the program do */
    OF_WORKER,  /* the start of a worker thread and what it calls in the run-time; or outer frames are unknown */
    OF_BODY,    /* the body of a parallel region, called by that */
};

/* A body in the stacks of workers, and where it belongs. */
struct worker_body {
    struct fm_context *context;
    struct fm_context *same;  /* the same body on a call path of the program; or */
    struct fm_context *owner; /* the function that it was made from */
    bool moved;
};

/* What is left of an OF_WORKER context without the bodies below it; in `active`. */
enum worker_rest { WHOLE, NOTHING, SOMETHING };

struct worker_joiner {
    struct fm_calltree *calls, joined;
    struct worker_body *bodies;
    size_t n, capacity;
    bool has_workers;
};

/* ---- finding ---- */

static enum worker_mark mark_of(const struct fm_context *at)
{
    bool outermost = at->parent->id.kind == FM_CONTEXT_ROOT;
    if (!outermost && at->parent->mark != OF_WORKER)
        return OF_PROGRAM;
    if ((outermost && at->id.kind == FM_CONTEXT_GAP) || fm_context_in_thread_runtime(at))
        return OF_WORKER;
    return !outermost && at->id.body ? OF_BODY : OF_PROGRAM;
}

static void find_bodies(struct worker_joiner *joiner)
{
    struct fm_context *root = joiner->calls->root;
    for (struct fm_context *at = root->first; at; at = fm_context_after(root, at)) {
        at->mark = mark_of(at);
        at->twin = NULL;
        joiner->has_workers |= at->mark == OF_WORKER && at->id.kind == FM_CONTEXT_FRAME;
        if (at->mark != OF_BODY || joiner->n == MAX_BODIES)
            continue;
        struct worker_body *grown = fm_arena_grow(joiner->calls->arena, joiner->bodies, &joiner->capacity,
                                                  joiner->n + 1, sizeof *grown);
        joiner->calls->failed |= !grown;
        if (!grown)
            return;
        joiner->bodies = grown;
        joiner->bodies[joiner->n++] = (struct worker_body){.context = at};
    }
}

static bool is_owner(const struct fm_context *context, const struct fm_context *body)
{
    return context->id.kind == FM_CONTEXT_FRAME && context->id.module == body->id.module &&
           context->id.name == body->id.name && context->id.defined == body->id.defined && !context->id.body;
}

/* The names of bodies differ if only the callers of one of them are known. */
static bool is_same_body(const struct fm_context *context, const struct fm_context *body)
{
    return context->id.kind == FM_CONTEXT_FRAME && context->id.body == body->id.body &&
           context->id.module == body->id.module && context->id.defined == body->id.defined &&
           (context->id.name == body->id.name || body->id.name == body->id.body) &&
           fm_context_in_thread_runtime(context->parent);
}

/* Several call paths are as good as none: which of them a worker belongs to is unknown. */
static void find_place(const struct worker_joiner *joiner, struct worker_body *body)
{
    struct fm_context *root = joiner->calls->root;
    size_t same = 0, owners = 0;
    for (struct fm_context *at = root->first; at; at = fm_context_after(root, at)) {
        if (at->mark != OF_PROGRAM)
            continue;
        if (is_same_body(at, body->context)) {
            body->same = at;
            same++;
        } else if (is_owner(at, body->context)) {
            body->owner = at;
            owners++;
        }
    }
    if (same != 1)
        body->same = NULL;
    if (same != 0 || owners != 1)
        body->owner = NULL;
}

/* ---- copying ---- */

static void add_cost(const struct worker_joiner *joiner, struct fm_context_cost *to, const struct fm_context_cost *cost)
{
    fm_context_cost_add(to, cost, joiner->joined.ranks, joiner->joined.arena);
}

static void add_costs(const struct worker_joiner *joiner, const struct fm_context *at)
{
    add_cost(joiner, &at->twin->own, &at->own);
    add_cost(joiner, &at->twin->all, &at->all);
    fm_context_learn(at->twin, &at->facts);
}

/* Adds the cost of what has come below a context to that context and those above it. */
static void add_above(const struct worker_joiner *joiner, struct fm_context *context, const struct fm_context_cost *all)
{
    for (; context != joiner->joined.root; context = context->parent)
        add_cost(joiner, &context->all, all);
}

static void copy(struct worker_joiner *joiner, struct fm_context *at)
{
    at->twin = fm_context_below(&joiner->joined, at->parent->twin, &at->id);
    add_costs(joiner, at);
}

static void copy_below(struct worker_joiner *joiner, const struct fm_context *top)
{
    for (struct fm_context *at = fm_context_after(top, top); at; at = fm_context_after(top, at))
        copy(joiner, at);
}

static bool move(struct worker_joiner *joiner, struct worker_body *body)
{
    struct fm_context *at = body->context;
    if (body->same && body->same->twin) {
        at->twin = body->same->twin;
    } else if (body->owner && body->owner->twin) {
        struct fm_context_id id = at->id;
        id.path = "";
        id.line = 0;
        at->twin = fm_context_below(&joiner->joined, body->owner->twin, &id);
    } else {
        return false;
    }
    add_costs(joiner, at);
    copy_below(joiner, at);
    add_above(joiner, at->twin->parent, &at->all);
    for (struct fm_context *above = at->parent; above->id.kind != FM_CONTEXT_ROOT; above = above->parent)
        above->active = NOTHING;
    return body->moved = true;
}

/* The place of a body can be below another one that is still to be moved: nested regions. */
static void move_bodies(struct worker_joiner *joiner)
{
    for (bool more = true; more && !joiner->joined.failed;) {
        more = false;
        for (size_t i = 0; i < joiner->n; i++)
            more |= !joiner->bodies[i].moved && move(joiner, &joiner->bodies[i]);
    }
}

static bool is_left(const struct fm_context *at)
{
    return at->active == WHOLE && !at->twin && at->parent->active != WHOLE;
}

static void copy_rest_of(struct worker_joiner *joiner, struct fm_context *worker)
{
    if (worker->id.kind == FM_CONTEXT_FRAME) {
        worker->id.name = fm_calltree_text(&joiner->joined, FM_WORKERS);
        worker->id.defined = "";
    }
    for (struct fm_context *at = worker; at; at = fm_context_after(worker, at))
        for (struct fm_context *above = at->parent; is_left(at) && above->active == NOTHING; above = above->parent)
            above->active = SOMETHING;
    for (struct fm_context *at = worker; at; at = fm_context_after(worker, at)) {
        if (at->twin || at->active == NOTHING) /* moved, or everything below it is */
            continue;
        bool left = is_left(at);
        at->twin = fm_context_below(&joiner->joined, at->parent->twin, &at->id);
        fm_context_learn(at->twin, &at->facts);
        add_cost(joiner, &at->twin->own, &at->own);
        if (at->active == WHOLE)
            add_cost(joiner, &at->twin->all, &at->all);
        if (left)
            add_above(joiner, at->twin->parent, &at->all);
    }
}

static void find_nodes(struct worker_joiner *joiner)
{
    for (size_t i = 0; i < joiner->calls->n_of_nodes; i++) {
        const struct fm_context *of_node = joiner->calls->of_nodes[i];
        while (!of_node->twin)
            of_node = of_node->parent;
        joiner->joined.of_nodes[i] = of_node->twin;
    }
}

enum fm_status fm_calltree_join_workers(struct fm_calltree *calls, struct fm_error *error)
{
    struct worker_joiner joiner = {.calls = calls};
    struct fm_calltree *joined = &joiner.joined;
    find_bodies(&joiner);
    if (!joiner.has_workers && !calls->failed)
        return FM_OK;
    for (size_t i = 0; i < joiner.n; i++)
        find_place(&joiner, &joiner.bodies[i]);
    if (calls->failed || !fm_calltree_start(joined, calls->arena, calls->ranks))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the call paths");
    joined->texts = calls->texts;
    joined->programs = calls->programs;
    joined->n_programs = calls->n_programs;
    joined->of_nodes = calls->of_nodes;
    joined->n_of_nodes = calls->n_of_nodes;
    joined->root->own = calls->root->own;
    joined->root->all = calls->root->all;
    calls->root->twin = joined->root;
    for (struct fm_context *top = calls->root->first; top && !joined->failed; top = top->next) {
        if (top->mark != OF_PROGRAM)
            continue;
        copy(&joiner, top);
        copy_below(&joiner, top);
    }
    move_bodies(&joiner);
    for (struct fm_context *top = calls->root->first; top && !joined->failed; top = top->next)
        if (top->mark == OF_WORKER)
            copy_rest_of(&joiner, top);
    if (!joined->failed)
        find_nodes(&joiner);
    *calls = *joined;
    return fm_calltree_end(calls, error);
}
