/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/scaling/scale_measured.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/balance/group.h"
#include "analyse/balance/regions.h"
#include "analyse/calls/routine_sites.h"
#include "base/saturate.h"
#include "model/timer_tree.h"

static struct fm_path_cost cost_of_spread(const struct fm_spread *spread)
{
    return (struct fm_path_cost){
        .sum_ns = spread->sum,
        .max_ns = spread->max,
        .min_ns = spread->min,
        .max_rank = spread->max_rank,
        .min_rank = spread->min_rank,
        .ranks = spread->ranks,
    };
}

/* Starts a tree; the root has the wall time of all processes. */
static bool start(const struct fm_profile *profile, struct fm_arena *arena, struct fm_calltree *tree)
{
    struct fm_spread wall = {0};
    if (!fm_calltree_start(tree, arena, profile->job.ranks))
        return false;
    for (size_t i = 0; i < profile->n_processes; i++)
        if (profile->processes[i].end != FM_END_MISSING)
            fm_spread_add(&wall, profile->processes[i].wall_ns, profile->processes[i].rank);
    tree->root->all.of = cost_of_spread(&wall);
    return true;
}

static struct fm_context *frame_below(struct fm_calltree *tree, struct fm_context *parent, const char *name)
{
    struct fm_context_id id = {
        .kind = FM_CONTEXT_FRAME, .name = fm_calltree_text(tree, name), .module = "", .path = "", .defined = ""};
    return fm_context_below(tree, parent, &id);
}

/* ---- MPI ---- */

/* The regions of a profile, nested as in the view of regions (analyse/balance/regions.h), and their contexts. */
struct region_contexts {
    struct fm_region_totals regions;
    struct fm_context **contexts; /* in the same order; the first is the root */
};

static enum fm_status make_regions(const struct fm_profile *profile, struct fm_calltree *tree,
                                   struct region_contexts *made, struct fm_error *error)
{
    enum fm_status status = fm_regions_find(profile, tree->arena, &made->regions, error);
    if (status)
        return status;
    const struct fm_region_total *items = made->regions.items;
    struct fm_context **contexts = fm_arena_alloc(tree->arena, made->regions.n * sizeof(struct fm_context *));
    if (!contexts)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for %zu regions", made->regions.n);
    contexts[0] = tree->root;
    for (size_t i = 1; i < made->regions.n; i++) {
        contexts[i] = frame_below(tree, contexts[items[i].parent], items[i].name);
        if (items[i].region)
            contexts[i]->all.of = cost_of_spread(&items[i].region->wall_per_rank);
    }
    made->contexts = contexts;
    return FM_OK;
}

/* One name for all unknown functions of a load module. */
static const char *unknown_name(struct fm_calltree *tree, const char *module)
{
    const char *slash = strrchr(module, '/');
    char *name = NULL;
    if (asprintf(&name, "[%s]", slash ? slash + 1 : module) < 0)
        return "[]";
    const char *text = fm_calltree_text(tree, name);
    free(name);
    return text;
}

/* A function around a call and the line in it that calls. */
struct call_place {
    struct fm_context *function;
    const char *path;
    uint32_t line;
};

static void add_functions(struct fm_calltree *tree, struct fm_frames frames, const char *module, bool inferred,
                          struct call_place *place)
{
    for (size_t i = 0; i < frames.n; i++) {
        const struct fm_symbol *frame = &frames.items[i];
        struct fm_context_id id = {
            .kind = FM_CONTEXT_FRAME,
            .name = fm_calltree_text(tree, frame->function),
            .module = fm_calltree_text(tree, module),
            .path = place->path,
            .line = place->line,
            .defined = fm_calltree_text(tree, frame->defined),
            .inlined = i > 0,
        };
        const struct fm_context_facts facts = {.defined_line = frame->defined_line, .inferred = inferred};
        place->function = fm_context_below(tree, place->function, &id);
        fm_context_learn(place->function, &facts);
        place->path = fm_calltree_text(tree, frame->path);
        place->line = frame->line;
    }
}

/* The functions around a call, below a region, outermost first. */
static struct call_place functions_of(struct fm_calltree *tree, struct fm_context *region, struct fm_symbols *symbols,
                                      const struct fm_event_key *key)
{
    struct fm_frames frames = {0};
    struct fm_tail_frames between = {0};
    struct call_place place = {.function = region, .path = ""};
    char names[FM_MPI_FUNCTION_NAMES];
    const struct fm_site *site = &key->site;
    if (!site->module[0]) /* merged event without call site */
        return place;
    struct fm_symbol unknown = {.function = unknown_name(tree, site->module), .path = "", .defined = ""};
    if (symbols) {
        frames = fm_symbols_find(symbols, site, FM_RETURN_ADDRESS);
        between = fm_symbols_between(symbols, site, fm_below_routine(names, key->routine));
    }
    if (!frames.known)
        frames = (struct fm_frames){.items = &unknown, .n = 1};
    add_functions(tree, frames, site->module, false, &place);
    for (size_t i = 0; i < between.n; i++)
        add_functions(tree, between.items[i], between.module, true, &place);
    return place;
}

static void add_event(struct fm_calltree *tree, struct fm_symbols *symbols, const struct region_contexts *regions,
                      const struct fm_event *event)
{
    struct fm_context *region = regions->contexts[fm_regions_index(&regions->regions, event->key.region)];
    struct call_place place = functions_of(tree, region, symbols, &event->key);
    struct fm_context_id id = {
        .kind = FM_CONTEXT_ROUTINE,
        .name = fm_calltree_text(tree, event->key.routine),
        .module = "",
        .path = place.path,
        .line = place.line,
        .defined = "",
    };
    struct fm_context *routine = fm_context_below(tree, place.function, &id);
    routine->own.of.sum_ns = fm_sum(routine->own.of.sum_ns, event->stats.total_ns);
    routine->own.estimated = true; /* the ranks are unknown */
    routine->all = routine->own;
}

/* All contexts, parents before their children. */
static struct fm_context **list_contexts(const struct fm_calltree *tree, size_t *n)
{
    struct fm_context **order = fm_arena_alloc(tree->arena, (tree->n + 1) * sizeof *order);
    *n = 0;
    for (struct fm_context *at = tree->root; order && at; at = fm_context_after(tree->root, at))
        order[(*n)++] = at;
    return order;
}

/* Computes the exclusive time of a context: what exceeds its children, unless it is a function that calls MPI. With
 * threads, the children of a region can have more time than the region. */
static void add_up(struct fm_calltree *tree)
{
    size_t n;
    struct fm_context **order = list_contexts(tree, &n);
    tree->failed |= !order;
    while (order && n--) {
        struct fm_context *at = order[n];
        if (at->id.kind == FM_CONTEXT_ROUTINE)
            continue;
        uint64_t below = 0;
        for (const struct fm_context *child = at->first; child; child = child->next)
            below = fm_sum(below, child->all.of.sum_ns);
        if (at->all.of.sum_ns > below) {
            at->own.of.sum_ns = at->all.of.sum_ns - below;
            at->own.estimated = true;
        } else if (at->all.of.sum_ns < below) {
            at->all.of.sum_ns = below;
            at->all.estimated = true;
        }
    }
}

enum fm_status fm_measured_mpi(const struct fm_profile *profile, struct fm_symbols *symbols, struct fm_arena *arena,
                               struct fm_calltree *tree, struct fm_error *error)
{
    struct fm_groups events;
    struct region_contexts regions;
    enum fm_status status = fm_group_events(profile, FM_BY_ROUTINE | FM_BY_REGION | FM_BY_SITE, arena, &events, error);
    if (status)
        return status;
    if (!start(profile, arena, tree))
        return fm_calltree_end(tree, error);
    status = make_regions(profile, tree, &regions, error);
    if (status)
        return status;
    if (symbols)
        fm_routine_sites_resolve(symbols, events.items, events.n);
    for (size_t i = 0; i < events.n && !tree->failed; i++)
        add_event(tree, symbols, &regions, &events.items[i]);
    add_up(tree);
    return fm_calltree_end(tree, error);
}

/* ---- timers ---- */

enum fm_status fm_measured_timers(const struct fm_profile *profile, struct fm_arena *arena, struct fm_calltree *tree,
                                  struct fm_error *error)
{
    struct fm_timer_node *nodes;
    if (!start(profile, arena, tree) || !fm_timer_tree(profile->timers, profile->n_timers, arena, &nodes)) {
        tree->failed = true;
        return fm_calltree_end(tree, error);
    }
    struct fm_context **contexts = fm_arena_alloc(arena, (profile->n_timers + 1) * sizeof *contexts);
    uint64_t timed = 0;
    tree->failed |= !contexts;
    for (size_t i = 0; i < profile->n_timers && !tree->failed; i++) {
        const struct fm_timer *timer = nodes[i].timer;
        contexts[i] = frame_below(tree, nodes[i].outer ? contexts[nodes[i].outer - 1] : tree->root, timer->name);
        contexts[i]->all.of = cost_of_spread(&timer->total_ns);
        contexts[i]->own.of.sum_ns = fm_timer_exclusive(timer);
        contexts[i]->own.estimated = true;
        if (!timer->parent[0])
            timed = fm_sum(timed, timer->total_ns.sum);
    }
    uint64_t wall = tree->root->all.of.sum_ns;
    tree->root->own.of.sum_ns = wall > timed ? wall - timed : 0;
    return fm_calltree_end(tree, error);
}
