/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree of contexts from the tree of addresses. A call's address lies in the caller: it tells the caller's frame,
 * the functions inlined there, and the line at which what hangs below it is called. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/calls/calltree.h"
#include "analyse/calls/path_tree.h"
#include "base/path.h"
#include "generated/routines.h"
#include "mpi/libraries.h"

/* Where the children of an address hang, and the line that calls them. */
struct joint {
    struct fm_context *frame;
    const char *path;
    uint32_t line;
    /* what is below is ours, and what it calls: */
    bool closed;         /* a call of libc that we stand in front of, which is the frame */
    const char *routine; /* of MPI; NULL: none */
};

struct maker {
    const struct fm_path_tree *paths;
    struct fm_symbols *symbols;
    struct fm_calltree *tree;
    struct joint *joints;         /* by node */
    struct fm_context **outer;    /* by node: the outermost frame that it adds; NULL: none */
    struct fm_context **passed;   /* contexts that the children of one node lead through, each with its mark here; */
    struct fm_context_cost *sums; /* what these children have; their number is in `active` */
    size_t n_passed;
    struct fm_cost_parts *own, *all; /* by node: its costs */
    const char *libc;                /* path of the load module */
};

static enum fm_address address_kind(const struct fm_path *path)
{
    return path->kind == FM_PATH_LEAF ? FM_SAMPLED_ADDRESS : FM_RETURN_ADDRESS;
}

static bool has_address(const struct fm_path *path)
{
    return path->kind == FM_PATH_CALL || path->kind == FM_PATH_LEAF;
}

static void resolve(const struct fm_paths *paths, struct fm_symbols *symbols)
{
    for (size_t i = 0; i < paths->n; i++)
        if (has_address(&paths->nodes[i]))
            fm_symbols_want(symbols, &paths->nodes[i].site, address_kind(&paths->nodes[i]));
    fm_symbols_resolve(symbols);
}

/* One name for all that is not known of a load module. */
static const char *nameless(struct fm_calltree *tree, const char *module)
{
    char *name = NULL;
    if (!module[0] || asprintf(&name, "[%s]", fm_last_part(module)) < 0)
        return "(unknown)";
    const char *text = fm_calltree_text(tree, name);
    free(name);
    return text;
}

static const struct fm_symbol *frames_of(struct maker *maker, const struct fm_path *path, struct fm_symbol *unknown,
                                         size_t *n)
{
    struct fm_frames frames = {0};
    if (maker->symbols && has_address(path))
        frames = fm_symbols_find(maker->symbols, &path->site, address_kind(path));
    *n = frames.known ? frames.n : 1;
    if (frames.known)
        return frames.items;
    *unknown = (struct fm_symbol){
        .function = nameless(maker->tree, path->site.module), .path = "", .file = "", .defined = ""};
    return unknown;
}

static struct fm_context_cost own_cost(const struct maker *maker, size_t i)
{
    return (struct fm_context_cost){.of = *maker->own[i].cost, .parts = &maker->own[i]};
}

static struct fm_context_cost whole_cost(const struct maker *maker, size_t i)
{
    return (struct fm_context_cost){.of = *maker->all[i].cost, .parts = &maker->all[i]};
}

static void add_cost(const struct maker *maker, struct fm_context_cost *to, const struct fm_context_cost *cost)
{
    fm_context_cost_add(to, cost, maker->tree->ranks, maker->tree->arena);
}

/* A context with costs of its own. */
static void add_leaf(struct maker *maker, size_t i, const struct joint *joint, enum fm_context_kind kind,
                     const char *name)
{
    struct fm_calltree *tree = maker->tree;
    struct fm_context_id id = {
        .kind = kind,
        .name = name,
        .module = kind == FM_CONTEXT_ROUTINE ? "" : joint->frame->id.module,
        .path = joint->path,
        .line = joint->line,
        .defined = kind == FM_CONTEXT_ROUTINE ? "" : joint->frame->id.defined,
    };
    struct fm_context *leaf = fm_context_below(tree, joint->frame, &id);
    const struct fm_context_cost own = own_cost(maker, i);
    add_cost(maker, &leaf->own, &own);
    leaf->all = leaf->own;
    tree->of_nodes[i] = leaf;
    if (kind != FM_CONTEXT_ROUTINE)
        add_cost(maker, &joint->frame->own, &own);
}

static bool is_library(const char *module, const char *beginning)
{
    return strncmp(fm_last_part(module), beginning, strlen(beginning)) == 0;
}

/* "nanosleep" for the function of ours that is called instead (runtime/libc); NULL: it is none. */
static const char *wrapped_call(const char *function)
{
    static const char prefix[] = "fm_wrapped_";
    return strncmp(function, prefix, sizeof prefix - 1) == 0 ? function + sizeof prefix - 1 : NULL;
}

/* "MPI_Recv" for MPI_Recv, PMPI_Recv and mpi_recv, and for what does the work of these; NULL: it is none. */
static const char *wrapped_routine(const char *function)
{
    const char *prefix = strcasestr(function, "mpi_");
    for (unsigned i = 0; prefix && i < FM_ROUTINE_COUNT; i++)
        if (strcasecmp(fm_routine_name(i), prefix) == 0)
            return fm_routine_name(i);
    return NULL;
}

static void add_wrapped_call(struct maker *maker, size_t i, const char *name, struct joint *at)
{
    struct fm_calltree *tree = maker->tree;
    struct fm_context_id id = {
        .kind = FM_CONTEXT_FRAME,
        .name = fm_calltree_text(tree, name),
        .module = maker->libc,
        .path = at->path,
        .line = at->line,
        .defined = "",
    };
    maker->outer[i] = fm_context_below(tree, at->frame, &id);
    *at = (struct joint){.frame = maker->outer[i], .path = "", .closed = true};
}

static void add_frames(struct maker *maker, size_t i, const struct joint *from, struct joint *to)
{
    const struct fm_path *path = maker->paths->nodes[i].path;
    struct fm_calltree *tree = maker->tree;
    struct fm_symbol unknown;
    size_t n;
    const struct fm_symbol *frames = frames_of(maker, path, &unknown, &n);
    bool ours = is_library(path->site.module, "libfathom.so.") && !from->closed && !from->routine;
    bool by_program = !fm_mpi_is_named(fm_last_part(from->frame->id.module)) && /* and not by a binding */
                      !is_library(from->frame->id.module, "libfathom.so.");
    const char *call = ours ? wrapped_call(frames[0].function) : NULL;
    *to = *from;
    if (call)
        add_wrapped_call(maker, i, call, to);
    else if (ours && by_program)
        to->routine = wrapped_routine(frames[0].function);
    for (size_t f = 0; f < n && !to->closed && !to->routine; f++) {
        struct fm_context_id id = {
            .kind = FM_CONTEXT_FRAME,
            .name = fm_calltree_text(tree, frames[f].function),
            .module = fm_calltree_text(tree, path->site.module),
            .path = to->path,
            .line = to->line,
            .defined = fm_calltree_text(tree, frames[f].defined),
            .inlined = f > 0,
        };
        to->frame = fm_context_below(tree, to->frame, &id);
        if (!to->frame->defined_line)
            to->frame->defined_line = frames[f].defined_line;
        to->path = fm_calltree_text(tree, frames[f].path);
        to->line = frames[f].line;
        if (f == 0)
            maker->outer[i] = to->frame;
    }
}

static void add_node(struct maker *maker, size_t i)
{
    const struct fm_path *path = maker->paths->nodes[i].path;
    static const struct fm_context_id gap = {
        .kind = FM_CONTEXT_GAP, .name = "(outer frames unknown)", .module = "", .path = "", .defined = ""};
    const struct joint from = maker->joints[path->parent];
    struct joint *joint = &maker->joints[i];
    switch (path->kind) {
    case FM_PATH_CALL:
    case FM_PATH_LEAF:
        add_frames(maker, i, &from, joint);
        if (joint->routine && path->own.ranks)
            add_leaf(maker, i, joint, FM_CONTEXT_ROUTINE, fm_calltree_text(maker->tree, joint->routine));
        else if (path->own.ranks)
            add_leaf(maker, i, joint, path->kind == FM_PATH_LEAF ? FM_CONTEXT_STATEMENT : FM_CONTEXT_CALL_SITE,
                     joint->frame->id.name);
        return;
    case FM_PATH_ROUTINE:
        *joint = from;
        joint->routine = path->routine;
        add_leaf(maker, i, &from, FM_CONTEXT_ROUTINE, fm_calltree_text(maker->tree, path->routine));
        return;
    case FM_PATH_GAP:
        joint->frame = maker->outer[i] = fm_context_below(maker->tree, maker->tree->root, &gap);
        joint->path = "";
        break;
    default:
        *joint = (struct joint){.frame = maker->tree->root, .path = ""};
    }
    if (path->own.ranks) { /* given up for want of room: a frame that nobody knows */
        struct joint lost;
        add_frames(maker, i, joint, &lost);
        maker->outer[i] = NULL;
        add_leaf(maker, i, &lost, FM_CONTEXT_CALL_SITE, lost.frame->id.name);
        const struct fm_context_cost own = own_cost(maker, i);
        add_cost(maker, &lost.frame->all, &own);
    }
}

/* Adds what a child has to the contexts that it leads through, innermost to outermost. */
static void pass(struct maker *maker, size_t child)
{
    struct fm_context *outer = maker->outer[child];
    if (!outer)
        return;
    const struct fm_context_cost cost = whole_cost(maker, child);
    for (struct fm_context *at = maker->joints[child].frame;; at = at->parent) {
        if (!at->active++) {
            at->mark = (uint32_t)maker->n_passed++;
            maker->passed[at->mark] = at;
            maker->sums[at->mark] = (struct fm_context_cost){0};
        }
        add_cost(maker, &maker->sums[at->mark], &cost);
        if (at == outer)
            return;
    }
}

/* What all children of an address lead through has what the address has, and that is exact. */
static void add_inclusive(struct maker *maker, size_t i)
{
    const struct fm_path_node *node = &maker->paths->nodes[i];
    maker->n_passed = 0;
    for (size_t c = 0; c < node->n_children; c++)
        pass(maker, node->children[c]);
    for (size_t p = 0; p < maker->n_passed; p++) {
        struct fm_context *context = maker->passed[p];
        const struct fm_context_cost whole = whole_cost(maker, i);
        bool all_of_it = context->active == node->n_children && !node->path->own.ranks;
        add_cost(maker, &context->all, all_of_it ? &whole : &maker->sums[p]);
        context->active = context->mark = 0;
    }
}

static void find_libc(struct maker *maker)
{
    maker->libc = "libc.so.6";
    for (size_t i = 0; i < maker->paths->n; i++) {
        const char *module = maker->paths->nodes[i].path->site.module;
        if (strcmp(fm_last_part(module), "libc.so.6") == 0)
            maker->libc = module;
    }
    maker->libc = fm_calltree_text(maker->tree, maker->libc);
}

/* The costs of the nodes, as parts of sums. Where a node has nothing below it, what it has in all is its own. */
static bool list_costs(struct maker *maker, struct fm_arena *arena)
{
    size_t n = maker->paths->n;
    maker->own = fm_arena_alloc(arena, n * sizeof *maker->own);
    maker->all = fm_arena_alloc(arena, n * sizeof *maker->all);
    for (size_t i = 0; maker->own && maker->all && i < n; i++) {
        const struct fm_path *path = maker->paths->nodes[i].path;
        maker->all[i] = (struct fm_cost_parts){
            .cost = &path->all, .paths = maker->paths, .node = (uint32_t)i, .has_vector = true};
        maker->own[i] = maker->all[i];
        maker->own[i].cost = &path->own;
        maker->own[i].has_vector = path->own.sum_ns == path->all.sum_ns;
    }
    return maker->own && maker->all;
}

static void make(struct maker *maker)
{
    const struct fm_path_tree *paths = maker->paths;
    struct fm_calltree *tree = maker->tree;
    find_libc(maker);
    for (size_t i = 0; i < paths->n && !tree->failed; i++) {
        add_node(maker, i);
        if (!tree->of_nodes[i])
            tree->of_nodes[i] = maker->joints[i].frame;
    }
    maker->passed = fm_arena_alloc(tree->arena, (tree->n + 1) * sizeof *maker->passed);
    maker->sums = fm_arena_alloc(tree->arena, (tree->n + 1) * sizeof *maker->sums);
    tree->failed |= !maker->passed || !maker->sums;
    for (size_t i = 0; i < paths->n && !tree->failed; i++)
        add_inclusive(maker, i);
}

enum fm_status fm_calltree_make(const struct fm_profile *profile, struct fm_symbols *symbols, struct fm_arena *arena,
                                struct fm_calltree *calls, struct fm_error *error)
{
    struct fm_path_tree *paths = fm_arena_alloc(arena, sizeof *paths);
    if (!paths)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the call paths");
    enum fm_status status = fm_path_tree_make(profile, arena, paths, error);
    if (status)
        return status;
    struct maker maker = {.paths = paths, .symbols = symbols, .tree = calls};
    maker.joints = fm_arena_alloc(arena, paths->n * sizeof *maker.joints);
    maker.outer = fm_arena_alloc(arena, paths->n * sizeof *maker.outer);
    bool started = fm_calltree_start(calls, arena, paths->ranks) && list_costs(&maker, arena);
    calls->of_nodes = fm_arena_alloc(arena, paths->n * sizeof *calls->of_nodes);
    if (started && calls->of_nodes && maker.joints && maker.outer) {
        if (symbols)
            resolve(&profile->paths, symbols);
        if (paths->n)
            calls->root->all = whole_cost(&maker, 0);
        make(&maker);
    } else {
        calls->failed = true;
    }
    return fm_calltree_end(calls, error);
}
