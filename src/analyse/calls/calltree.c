/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/calls/calltree.h"

#include <string.h>

#include "base/sort.h"
#include "model/order.h"

/* ---- construction ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * 0x9e3779b97f4a7c15u;
}

static uint64_t hash_id(const struct fm_context *parent, const struct fm_context_id *id)
{
    uint64_t hash = mix((uintptr_t)parent, (uint64_t)id->line << 8 | (unsigned)id->kind << 1 | id->inlined);
    hash = mix(hash >> 29 ^ hash, (uintptr_t)id->name);
    hash = mix(hash >> 29 ^ hash, (uintptr_t)id->module);
    hash = mix(hash >> 29 ^ hash, (uintptr_t)id->path);
    hash = mix(hash >> 29 ^ hash, (uintptr_t)id->body);
    return mix(hash >> 29 ^ hash, (uintptr_t)id->defined) >> 20;
}

static bool same_id(const struct fm_context_id *a, const struct fm_context_id *b)
{
    return a->kind == b->kind && a->name == b->name && a->module == b->module && a->path == b->path &&
           a->defined == b->defined && a->body == b->body && a->line == b->line && a->inlined == b->inlined;
}

static struct fm_context **probe(struct fm_context **slots, size_t capacity, const struct fm_context *parent,
                                 const struct fm_context_id *id)
{
    for (size_t at = hash_id(parent, id) & (capacity - 1);; at = (at + 1) & (capacity - 1))
        if (!slots[at] || (slots[at]->parent == parent && same_id(&slots[at]->id, id)))
            return &slots[at];
}

static bool enlarge(struct fm_calltree *tree)
{
    size_t capacity = tree->capacity ? tree->capacity * 4 : 256;
    struct fm_context **slots = fm_arena_alloc(tree->arena, capacity * sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < tree->capacity; i++)
        if (tree->slots[i])
            *probe(slots, capacity, tree->slots[i]->parent, &tree->slots[i]->id) = tree->slots[i];
    tree->slots = slots;
    tree->capacity = capacity;
    return true;
}

static const struct fm_context_id root_id = {
    .kind = FM_CONTEXT_ROOT, .name = "", .module = "", .path = "", .defined = ""};

bool fm_calltree_start(struct fm_calltree *tree, struct fm_arena *arena, uint32_t ranks)
{
    *tree = (struct fm_calltree){.arena = arena, .ranks = ranks};
    tree->root = fm_arena_alloc(arena, sizeof *tree->root);
    tree->failed = !tree->root || !enlarge(tree);
    if (!tree->failed)
        tree->root->id = root_id;
    return !tree->failed;
}

/* No rank can have more of a part than of the whole. */
static void clamp_part(struct fm_path_cost *part, const struct fm_path_cost *whole, uint32_t ranks)
{
    if (part->max_ns > whole->max_ns) {
        part->max_ns = whole->max_ns;
        part->max_rank = whole->max_rank;
    }
    if (part->min_ns > part->max_ns)
        part->min_ns = part->max_ns;
    if (whole->ranks >= ranks && part->min_ns > whole->min_ns)
        part->min_ns = whole->min_ns;
    if (part->ranks > whole->ranks)
        part->ranks = whole->ranks;
    fm_context_cost_fit(part, ranks);
}

static enum fm_status memory_status(const struct fm_calltree *tree, struct fm_error *error)
{
    return tree->failed ? fm_fail(error, FM_ERR_MEMORY, "not enough memory for the call paths") : FM_OK;
}

enum fm_status fm_calltree_end(struct fm_calltree *tree, struct fm_error *error)
{
    for (struct fm_context *at = tree->failed ? NULL : tree->root->first; at; at = fm_context_after(tree->root, at)) {
        if (at->all.estimated)
            clamp_part(&at->all.of, &at->parent->all.of, tree->ranks);
        if (at->own.estimated)
            clamp_part(&at->own.of, &at->all.of, tree->ranks);
    }
    return memory_status(tree, error);
}

const char *fm_calltree_text(struct fm_calltree *tree, const char *text)
{
    struct fm_intern_slot *slot = fm_intern_put(&tree->texts, tree->arena, text, true);
    tree->failed |= !slot;
    return slot ? slot->text : "";
}

struct fm_context *fm_context_below(struct fm_calltree *tree, struct fm_context *parent, const struct fm_context_id *id)
{
    if (tree->n * 2 >= tree->capacity && !enlarge(tree)) {
        tree->failed = true;
        return tree->root;
    }
    struct fm_context **slot = probe(tree->slots, tree->capacity, parent, id);
    if (*slot)
        return *slot;
    struct fm_context *made = fm_arena_alloc(tree->arena, sizeof *made);
    if (!made) {
        tree->failed = true;
        return tree->root;
    }
    *made = (struct fm_context){.id = *id, .parent = parent, .next = parent->first};
    parent->first = made;
    parent->n_children++;
    tree->n++;
    return *slot = made;
}

void fm_context_learn(struct fm_context *context, const struct fm_context_facts *facts)
{
    if (!context->facts.defined_line)
        context->facts.defined_line = facts->defined_line;
    context->facts.approximate |= facts->approximate;
    context->facts.inferred |= facts->inferred;
    context->facts.callers_missing |= facts->callers_missing;
}

/* ---- traversal ---- */

struct fm_context *fm_context_after(const struct fm_context *top, const struct fm_context *at)
{
    if (at->first)
        return at->first;
    while (at != top && !at->next)
        at = at->parent;
    return at == top ? NULL : at->next;
}

const struct fm_context *fm_context_hot(const struct fm_context *context)
{
    const struct fm_context *hot = NULL;
    for (const struct fm_context *child = context->first; child; child = child->next)
        if (child->all.of.sum_ns && child->all.of.sum_ns >= context->all.of.sum_ns - child->all.of.sum_ns &&
            (!hot || child->all.of.sum_ns > hot->all.of.sum_ns))
            hot = child;
    return hot;
}

uint32_t fm_context_ranks(const struct fm_calltree *calls, const struct fm_context *context)
{
    for (; context && calls->n_programs; context = context->parent) {
        uint64_t ranks = 0;
        for (size_t i = 0; i < calls->n_programs; i++)
            if (strcmp(calls->programs[i].exe, context->id.module) == 0)
                ranks += fm_rankset_count(&calls->programs[i].ranks);
        if (ranks)
            return ranks < calls->ranks ? (uint32_t)ranks : calls->ranks;
    }
    return calls->ranks;
}

double fm_context_imbalance(const struct fm_context *context, uint32_t ranks)
{
    const struct fm_path_cost *cost = &context->all.of;
    return ranks ? (double)cost->max_ns - (double)cost->sum_ns / ranks : 0;
}

/* ---- order ---- */

struct weighted_context {
    struct fm_context *context;
    double weight;
};

int fm_context_order(const struct fm_context *a, const struct fm_context *b)
{
    const struct fm_context_id *p = &a->id, *q = &b->id;
    int order = fm_compare_text(p->name, q->name);
    if (!order)
        order = fm_compare_text(p->path, q->path);
    if (!order)
        order = fm_compare_number(p->line, q->line);
    if (!order)
        order = fm_compare_text(p->module, q->module);
    if (!order)
        order = fm_compare_text(p->defined, q->defined);
    if (!order)
        order = fm_compare_text(p->body ? p->body : "", q->body ? q->body : "");
    return order ? order : fm_compare_number(p->kind * 2 + p->inlined, q->kind * 2 + q->inlined);
}

static int compare(const void *a, const void *b)
{
    const struct weighted_context *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return fm_context_order(x->context, y->context);
}

static double weigh(const struct fm_context *context, enum fm_context_metric metric, uint32_t ranks)
{
    switch (metric) {
    case FM_BY_INCLUSIVE:
        return (double)context->all.of.sum_ns;
    case FM_BY_EXCLUSIVE:
        return (double)context->own.of.sum_ns;
    case FM_BY_MAX:
        return (double)context->all.of.max_ns;
    case FM_BY_IMBALANCE:
        return fm_context_imbalance(context, ranks);
    default:
        return 0;
    }
}

static bool sort_children(struct fm_context *parent, enum fm_context_metric metric, uint32_t ranks,
                          struct weighted_context *items, struct fm_arena *scratch)
{
    size_t n = 0;
    for (struct fm_context *child = parent->first; child; child = child->next)
        items[n++] = (struct weighted_context){child, weigh(child, metric, ranks)};
    if (n < 2)
        return true;
    if (!fm_sort(items, n, sizeof *items, compare, scratch))
        return false;
    parent->first = items[0].context;
    for (size_t i = 0; i < n; i++)
        items[i].context->next = i + 1 < n ? items[i + 1].context : NULL;
    return true;
}

enum fm_status fm_calltree_sort(struct fm_calltree *tree, enum fm_context_metric metric, struct fm_error *error)
{
    struct fm_arena scratch = {0};
    struct weighted_context *items = fm_arena_alloc(&scratch, (tree->n + 1) * sizeof *items);
    tree->failed |= !items;
    struct fm_context *at = tree->root;
    while (!tree->failed) {
        tree->failed |= !sort_children(at, metric, tree->ranks, items, &scratch);
        at = fm_context_after(tree->root, at);
        if (!at)
            break;
    }
    fm_arena_destroy(&scratch);
    return memory_status(tree, error);
}

/* ---- subtrees ---- */

bool fm_context_same_function(const struct fm_context *a, const struct fm_context *b)
{
    return a->id.kind == b->id.kind && a->id.name == b->id.name && a->id.module == b->id.module &&
           a->id.defined == b->id.defined && a->id.body == b->id.body;
}

bool fm_context_is(const struct fm_context *context, const char *function)
{
    if (context->id.kind != FM_CONTEXT_FRAME && context->id.kind != FM_CONTEXT_ROUTINE)
        return false;
    size_t length = strlen(context->id.name), wanted = strlen(function);
    if (length < wanted || strcmp(context->id.name + length - wanted, function) != 0)
        return false;
    return length == wanted || (length > wanted + 2 && memcmp(context->id.name + length - wanted - 2, "::", 2) == 0);
}

static void copy_node(struct fm_calltree *to, struct fm_context *parent, struct fm_context *from, bool lines)
{
    struct fm_context_id id = from->id;
    if (parent == to->root || !lines) {
        id.path = "";
        id.line = 0;
        id.inlined = id.inlined && lines && parent != to->root;
    }
    from->twin = fm_context_below(to, parent, &id);
    fm_context_learn(from->twin, &from->facts);
    fm_context_cost_add(&from->twin->own, &from->own, to->ranks, to->arena);
    fm_context_cost_add(&from->twin->all, &from->all, to->ranks, to->arena);
}

/* Copies `top` and everything below it, below a parent in another tree. */
static void copy_below(struct fm_calltree *to, struct fm_context *parent, struct fm_context *top, bool lines)
{
    copy_node(to, parent, top, lines);
    for (struct fm_context *at = fm_context_after(top, top); at; at = fm_context_after(top, at)) {
        bool leaf = at->id.kind == FM_CONTEXT_CALL_SITE || at->id.kind == FM_CONTEXT_STATEMENT;
        if (lines || !leaf)
            copy_node(to, at->parent->twin, at, lines);
    }
}

enum fm_status fm_calltree_focus(const struct fm_calltree *calls, const char *function, struct fm_arena *arena,
                                 struct fm_calltree *focused, struct fm_error *error)
{
    if (!fm_calltree_start(focused, arena, calls->ranks))
        return fm_calltree_end(focused, error);
    struct fm_context *at = calls->root->first;
    while (at) {
        if (!fm_context_is(at, function)) {
            at = fm_context_after(calls->root, at);
            continue;
        }
        copy_below(focused, focused->root, at, true);
        fm_context_cost_add(&focused->root->all, &at->all, focused->ranks, focused->arena);
        while (at != calls->root && !at->next) /* skip the subtree: recursive frames in it are already counted */
            at = at->parent;
        at = at == calls->root ? NULL : at->next;
    }
    return fm_calltree_end(focused, error);
}

enum fm_status fm_calltree_functions(const struct fm_calltree *calls, struct fm_arena *arena,
                                     struct fm_calltree *functions, struct fm_error *error)
{
    if (!fm_calltree_start(functions, arena, calls->ranks))
        return fm_calltree_end(functions, error);
    functions->root->own = calls->root->own;
    functions->root->all = calls->root->all;
    for (struct fm_context *child = calls->root->first; child; child = child->next)
        copy_below(functions, functions->root, child, false);
    return fm_calltree_end(functions, error);
}
