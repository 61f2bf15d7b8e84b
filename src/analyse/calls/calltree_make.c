/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the tree of contexts from the tree of addresses. The address of a call belongs to the caller: it gives the
 * caller's frame, the functions inlined there, and the line that calls whatever is below. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/calls/address_tree.h"
#include "analyse/calls/calltree.h"
#include "analyse/calls/routine_sites.h"
#include "analyse/calls/thread_runtimes.h"
#include "base/basename.h"
#include "base/names.h"
#include "generated/routines.h"
#include "mpi/libraries.h"

/* Where the children of an address are attached, and the line that calls them. */
struct joint {
    struct fm_context *frame;
    const char *path;
    uint32_t line;
    bool approximate;    /* the line */
    const char *routine; /* in the wrapper of an MPI routine: all below is part of it; NULL if none */
    bool fathom; /* in Fathom's own code, or in the wrapper of a libc call, which is the frame: more of that, and
                          * libc below it, is not shown; other code is, such as an interrupting signal handler */
};

struct tree_builder {
    const struct fm_address_tree *paths;
    struct fm_symbols *symbols;
    struct fm_calltree *tree;
    struct joint *joints;         /* by node */
    struct fm_context **outer;    /* by node: the outermost frame that it adds; NULL if none */
    struct fm_context **passed;   /* contexts that the children of one node pass through; context->mark is the index */
    struct fm_context_cost *sums; /* cost of these children; context->active is their number */
    size_t n_passed;
    struct fm_cost_parts *own, *all; /* costs by node */
    const char *libc;                /* path of the load module */
};

static enum fm_address address_kind(const struct fm_path_node *path)
{
    return path->kind == FM_PATH_LEAF ? FM_SAMPLED_ADDRESS : FM_RETURN_ADDRESS;
}

static bool has_address(const struct fm_path_node *path)
{
    return path->kind == FM_PATH_CALL || path->kind == FM_PATH_LEAF;
}

static bool may_follow_tail_call(const struct fm_path_node *path, const struct fm_path_node *parent)
{
    return parent->kind == FM_PATH_CALL && (has_address(path) || path->kind == FM_PATH_ROUTINE);
}

/* What was called, to be compared with what the call should call. */
static struct fm_below below_of(const struct fm_path_node *path, const struct fm_path_node *parent,
                                char names[FM_MPI_FUNCTION_NAMES])
{
    if (path->kind == FM_PATH_ROUTINE)
        return fm_below_routine(names, path->routine);
    return (struct fm_below){
        .site = &path->site, .kind = address_kind(path), .from_runtime = fm_is_thread_runtime(parent->site.module)};
}

static void resolve(const struct fm_call_paths *paths, struct fm_symbols *symbols)
{
    for (size_t i = 0; i < paths->n; i++)
        if (has_address(&paths->nodes[i]))
            fm_symbols_want(symbols, &paths->nodes[i].site, address_kind(&paths->nodes[i]));
    fm_symbols_resolve(symbols);
    for (size_t i = 0; i < paths->n; i++) {
        char names[FM_MPI_FUNCTION_NAMES];
        const struct fm_path_node *node = &paths->nodes[i], *parent = &paths->nodes[node->parent];
        if (may_follow_tail_call(node, parent))
            fm_symbols_want_between(symbols, &parent->site, below_of(node, parent, names));
    }
    fm_symbols_resolve(symbols);
}

/* One name for all unknown functions of a load module. */
static const char *unknown_name(struct fm_calltree *tree, const char *module)
{
    char *name = NULL;
    if (!module[0] || asprintf(&name, "[%s]", fm_basename(module)) < 0)
        return "(unknown)";
    const char *text = fm_calltree_text(tree, name);
    free(name);
    return text;
}

static const struct fm_symbol *frames_of(struct tree_builder *builder, const struct fm_path_node *path,
                                         struct fm_symbol *unknown, size_t *n)
{
    struct fm_frames frames = {0};
    if (builder->symbols && has_address(path))
        frames = fm_symbols_find(builder->symbols, &path->site, address_kind(path));
    *n = frames.known ? frames.n : 1;
    if (frames.known)
        return frames.items;
    *unknown = (struct fm_symbol){
        .function = unknown_name(builder->tree, path->site.module), .path = "", .file = "", .defined = ""};
    return unknown;
}

static struct fm_context_cost exclusive_cost(const struct tree_builder *builder, size_t i)
{
    return (struct fm_context_cost){.of = *builder->own[i].cost, .parts = &builder->own[i]};
}

static struct fm_context_cost inclusive_cost(const struct tree_builder *builder, size_t i)
{
    return (struct fm_context_cost){.of = *builder->all[i].cost, .parts = &builder->all[i]};
}

static void add_cost(const struct tree_builder *builder, struct fm_context_cost *to, const struct fm_context_cost *cost)
{
    fm_context_cost_add(to, cost, builder->tree->ranks, builder->tree->arena);
}

/* Adds a context with exclusive cost. */
static void add_leaf(struct tree_builder *builder, size_t i, const struct joint *joint, enum fm_context_kind kind,
                     const char *name)
{
    struct fm_calltree *tree = builder->tree;
    struct fm_context_id id = {
        .kind = kind,
        .name = name,
        .module = kind == FM_CONTEXT_ROUTINE ? "" : joint->frame->id.module,
        .path = joint->path,
        .line = joint->line,
        .defined = kind == FM_CONTEXT_ROUTINE ? "" : joint->frame->id.defined,
    };
    const struct fm_context_facts facts = {.approximate = joint->approximate};
    struct fm_context *leaf = fm_context_below(tree, joint->frame, &id);
    fm_context_learn(leaf, &facts);
    const struct fm_context_cost own = exclusive_cost(builder, i);
    add_cost(builder, &leaf->own, &own);
    leaf->all = leaf->own;
    tree->of_nodes[i] = leaf;
    if (kind != FM_CONTEXT_ROUTINE)
        add_cost(builder, &joint->frame->own, &own);
}

static bool is_library(const char *module, const char *beginning)
{
    return strncmp(fm_basename(module), beginning, strlen(beginning)) == 0;
}

/* "write" for the wrapper fm_wrapped_write and its part fm_wrapped_slow_write (runtime/libc); NULL if it is not a wrapper. */
static const char *wrapped_call(const char *function)
{
    static const char prefix[] = "fm_wrapped_", part[] = "slow_";
    if (!fm_begins_with(function, prefix))
        return NULL;
    const char *name = function + sizeof prefix - 1;
    return fm_begins_with(name, part) ? name + sizeof part - 1 : name;
}

/* "MPI_Recv" for MPI_Recv, PMPI_Recv, mpi_recv and the functions that implement their wrappers; NULL if it is none. */
static const char *wrapped_routine(const char *function)
{
    const char *prefix = strcasestr(function, "mpi_");
    for (unsigned i = 0; prefix && i < FM_ROUTINE_COUNT; i++)
        if (strcasecmp(fm_routine_name(i), prefix) == 0)
            return fm_routine_name(i);
    return NULL;
}

/* The kernel's part of it included, and code without a load module, which cannot be shown. */
static bool is_libc(const struct tree_builder *builder, const char *module)
{
    return !module[0] || strcmp(module, builder->libc) == 0 || is_library(module, "ld-linux") ||
           is_library(module, "linux-vdso") || is_library(module, "[vdso]");
}

/* The function of the program that called the thread run-time above a body; NULL if it is not known. */
static const struct fm_context *region_owner(const struct fm_context *at, const char *module)
{
    while (fm_context_in_thread_runtime(at))
        at = at->parent;
    return at->id.kind == FM_CONTEXT_FRAME && strcmp(at->id.module, module) == 0 ? at : NULL;
}

/* The name of a function; that of a body whose function is one of several is the caller's. */
static const char *name_of(const struct joint *to, const struct fm_symbol *frame, const char *module)
{
    bool nameless = frame->body && strcmp(frame->function, frame->body) == 0;
    const struct fm_context *owner = nameless ? region_owner(to->frame, module) : NULL;
    return owner ? owner->id.name : frame->function;
}

/* Adds a frame below a joint, called from its line; its own line becomes that of the joint. */
static void add_frame(struct tree_builder *builder, size_t i, struct joint *to, const struct fm_symbol *frame,
                      const char *module, bool inferred)
{
    struct fm_calltree *tree = builder->tree;
    struct fm_context_id id = {
        .kind = FM_CONTEXT_FRAME,
        .name = fm_calltree_text(tree, name_of(to, frame, module)),
        .module = fm_calltree_text(tree, module),
        .path = to->path,
        .line = to->line,
        .defined = fm_calltree_text(tree, frame->defined),
        .body = frame->body ? fm_calltree_text(tree, frame->body) : NULL,
        .inlined = frame->inlined,
    };
    const struct fm_context_facts facts = {
        .defined_line = frame->defined_line, .approximate = to->approximate, .inferred = inferred};
    to->frame = fm_context_below(tree, to->frame, &id);
    fm_context_learn(to->frame, &facts);
    to->path = fm_calltree_text(tree, frame->path);
    to->line = frame->line;
    to->approximate = frame->approximate;
    if (!builder->outer[i])
        builder->outer[i] = to->frame;
}

/* Time in Fathom's own functions, and in libc functions called by them, counts for the caller. */
static bool is_own_code(const struct tree_builder *builder, const struct joint *from, const char *module)
{
    return from->frame != builder->tree->root &&
           (is_library(module, "libfathom.so.") || (from->fathom && is_libc(builder, module)));
}

static void add_wrapped_call(struct tree_builder *builder, size_t i, const char *name, struct joint *at)
{
    const struct fm_symbol call = {.function = name, .path = "", .defined = ""};
    add_frame(builder, i, at, &call, builder->libc, false);
    at->fathom = true;
}

/* Adds the functions that tail calls removed from the stack above a node. Returns whether some are missing. */
static bool add_replaced(struct tree_builder *builder, size_t i, struct joint *to)
{
    const struct fm_path_node *path = builder->paths->nodes[i].path;
    const struct fm_path_node *parent = builder->paths->nodes[path->parent].path;
    char names[FM_MPI_FUNCTION_NAMES];
    if (!builder->symbols || !may_follow_tail_call(path, parent) || to->routine || to->fathom)
        return false;
    struct fm_tail_frames between = fm_symbols_between(builder->symbols, &parent->site, below_of(path, parent, names));
    for (size_t k = 0; k < between.n; k++)
        for (size_t f = 0; f < between.items[k].n; f++)
            add_frame(builder, i, to, &between.items[k].items[f], between.module, true);
    return between.unknown;
}

static void add_frames(struct tree_builder *builder, size_t i, const struct joint *parent, struct joint *to)
{
    const struct fm_path_node *path = builder->paths->nodes[i].path;
    struct joint from = *parent;
    struct fm_symbol unknown;
    size_t n;
    bool missing = add_replaced(builder, i, &from);
    const struct fm_symbol *frames = frames_of(builder, path, &unknown, &n);
    bool ours = is_library(path->site.module, "libfathom.so.") && !from.fathom && !from.routine;
    bool by_program = !fm_mpi_is_named(fm_basename(from.frame->id.module)) && /* and not by a language binding */
                      !is_library(from.frame->id.module, "libfathom.so.");
    const char *call = ours ? wrapped_call(frames[0].function) : NULL;
    *to = from;
    if (call) {
        add_wrapped_call(builder, i, call, to);
        return;
    }
    if (ours && by_program)
        to->routine = wrapped_routine(frames[0].function);
    to->fathom = !to->routine && is_own_code(builder, &from, path->site.module);
    for (size_t f = 0; f < n && !to->routine && !to->fathom; f++) {
        add_frame(builder, i, to, &frames[f], path->site.module, false);
        to->frame->facts.callers_missing |= missing && f == 0;
    }
}

static void add_node(struct tree_builder *builder, size_t i)
{
    const struct fm_path_node *path = builder->paths->nodes[i].path;
    static const struct fm_context_id gap = {
        .kind = FM_CONTEXT_GAP, .name = "(outer frames unknown)", .module = "", .path = "", .defined = ""};
    const struct joint from = builder->joints[path->parent];
    struct joint *joint = &builder->joints[i];
    bool missing;
    switch (path->kind) {
    case FM_PATH_CALL:
    case FM_PATH_LEAF:
        add_frames(builder, i, &from, joint);
        if (joint->routine && path->own.ranks)
            add_leaf(builder, i, joint, FM_CONTEXT_ROUTINE, fm_calltree_text(builder->tree, joint->routine));
        else if (path->own.ranks)
            add_leaf(builder, i, joint, path->kind == FM_PATH_LEAF ? FM_CONTEXT_STATEMENT : FM_CONTEXT_CALL_SITE,
                     joint->frame->id.name);
        return;
    case FM_PATH_ROUTINE:
        *joint = from;
        missing = add_replaced(builder, i, joint);
        joint->routine = path->routine;
        add_leaf(builder, i, joint, FM_CONTEXT_ROUTINE, fm_calltree_text(builder->tree, path->routine));
        builder->tree->of_nodes[i]->facts.callers_missing |= missing;
        return;
    case FM_PATH_GAP:
        joint->frame = builder->outer[i] = fm_context_below(builder->tree, builder->tree->root, &gap);
        joint->path = "";
        break;
    default:
        *joint = (struct joint){.frame = builder->tree->root, .path = ""};
    }
    if (path->own.ranks) { /* no room for the rest of the path: an unknown frame */
        struct joint lost;
        add_frames(builder, i, joint, &lost);
        builder->outer[i] = NULL;
        add_leaf(builder, i, &lost, FM_CONTEXT_CALL_SITE, lost.frame->id.name);
        const struct fm_context_cost own = exclusive_cost(builder, i);
        add_cost(builder, &lost.frame->all, &own);
    }
}

/* Adds the cost of a child to the contexts that it passes through, innermost to outermost. */
static void add_passed(struct tree_builder *builder, size_t child)
{
    struct fm_context *outer = builder->outer[child];
    if (!outer)
        return;
    const struct fm_context_cost cost = inclusive_cost(builder, child);
    for (struct fm_context *at = builder->joints[child].frame;; at = at->parent) {
        if (!at->active++) {
            at->mark = (uint32_t)builder->n_passed++;
            builder->passed[at->mark] = at;
            builder->sums[at->mark] = (struct fm_context_cost){0};
        }
        add_cost(builder, &builder->sums[at->mark], &cost);
        if (at == outer)
            return;
    }
}

/* A context that all children of an address pass through has exactly the cost of the address. */
static void add_inclusive(struct tree_builder *builder, size_t i)
{
    const struct fm_address_node *node = &builder->paths->nodes[i];
    builder->n_passed = 0;
    for (size_t c = 0; c < node->n_children; c++)
        add_passed(builder, node->children[c]);
    for (size_t p = 0; p < builder->n_passed; p++) {
        struct fm_context *context = builder->passed[p];
        const struct fm_context_cost whole = inclusive_cost(builder, i);
        bool all_of_it = context->active == node->n_children && !node->path->own.ranks;
        add_cost(builder, &context->all, all_of_it ? &whole : &builder->sums[p]);
        context->active = context->mark = 0;
    }
}

static void find_libc(struct tree_builder *builder)
{
    builder->libc = "libc.so.6";
    for (size_t i = 0; i < builder->paths->n; i++) {
        const char *module = builder->paths->nodes[i].path->site.module;
        if (strcmp(fm_basename(module), "libc.so.6") == 0)
            builder->libc = module;
    }
    builder->libc = fm_calltree_text(builder->tree, builder->libc);
}

/* Lists the costs of the nodes, as parts of sums. If nothing is below a node, its inclusive cost is its exclusive
 * cost. */
static bool list_costs(struct tree_builder *builder, struct fm_arena *arena)
{
    size_t n = builder->paths->n;
    builder->own = fm_arena_alloc(arena, n * sizeof *builder->own);
    builder->all = fm_arena_alloc(arena, n * sizeof *builder->all);
    for (size_t i = 0; builder->own && builder->all && i < n; i++) {
        const struct fm_path_node *path = builder->paths->nodes[i].path;
        builder->all[i] = (struct fm_cost_parts){
            .cost = &path->all, .paths = builder->paths, .node = (uint32_t)i, .has_vector = true};
        builder->own[i] = builder->all[i];
        builder->own[i].cost = &path->own;
        builder->own[i].has_vector = path->own.sum_ns == path->all.sum_ns;
    }
    return builder->own && builder->all;
}

static void make(struct tree_builder *builder)
{
    const struct fm_address_tree *paths = builder->paths;
    struct fm_calltree *tree = builder->tree;
    find_libc(builder);
    for (size_t i = 0; i < paths->n && !tree->failed; i++) {
        add_node(builder, i);
        if (!tree->of_nodes[i])
            tree->of_nodes[i] = builder->joints[i].frame;
    }
    builder->passed = fm_arena_alloc(tree->arena, (tree->n + 1) * sizeof *builder->passed);
    builder->sums = fm_arena_alloc(tree->arena, (tree->n + 1) * sizeof *builder->sums);
    tree->failed |= !builder->passed || !builder->sums;
    for (size_t i = 0; i < paths->n && !tree->failed; i++)
        add_inclusive(builder, i);
}

enum fm_status fm_calltree_make(const struct fm_profile *profile, struct fm_symbols *symbols, struct fm_arena *arena,
                                struct fm_calltree *calls, struct fm_error *error)
{
    struct fm_address_tree *paths = fm_arena_alloc(arena, sizeof *paths);
    if (!paths)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the call paths");
    enum fm_status status = fm_address_tree_make(profile, arena, paths, error);
    if (status)
        return status;
    struct tree_builder builder = {.paths = paths, .symbols = symbols, .tree = calls};
    builder.joints = fm_arena_alloc(arena, paths->n * sizeof *builder.joints);
    builder.outer = fm_arena_alloc(arena, paths->n * sizeof *builder.outer);
    bool started = fm_calltree_start(calls, arena, paths->ranks) && list_costs(&builder, arena);
    calls->of_nodes = fm_arena_alloc(arena, paths->n * sizeof *calls->of_nodes);
    calls->n_of_nodes = calls->of_nodes ? paths->n : 0;
    calls->programs = profile->programs;
    calls->n_programs = profile->n_programs > 1 ? profile->n_programs : 0;
    if (started && calls->of_nodes && builder.joints && builder.outer) {
        if (symbols)
            resolve(&profile->paths, symbols);
        if (paths->n)
            calls->root->all = inclusive_cost(&builder, 0);
        make(&builder);
    } else {
        calls->failed = true;
    }
    return fm_calltree_end(calls, error);
}
