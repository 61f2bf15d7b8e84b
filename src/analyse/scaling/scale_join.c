/* SPDX-License-Identifier: BSD-3-Clause */
/* Joins the trees of several runs breadth first. The joined nodes serve as the queue; the contexts of the runs that
 * each represents are in a parallel array, in the same order. */
#include <string.h>

#include "analyse/scaling/scale_match.h"
#include "analyse/scaling/scale_names.h"

struct joiner {
    struct fm_scale *scale;
    struct fm_arena scratch;
    struct fm_scale_names names;
    const struct fm_context **members; /* of all joined nodes in order, by run */
    size_t n_members;
    struct fm_scale_item *items; /* the children of one node */
    struct fm_scale_group *groups;
    size_t capacity, groups_capacity;
    uint32_t build[FM_SCALE_RUNS]; /* by run: bit mask of the runs with the same build of the program */
    uint32_t each[FM_SCALE_RUNS];  /* by run: bit mask of the run itself */
};

/* Sorts runs by number of processes. Insertion sort: stable, and there are few. Versions keep the given order. */
static void order_runs(enum fm_scale_mode mode, struct fm_scale_run *runs, size_t n)
{
    for (size_t i = 1; i < n && mode != FM_SCALE_SAME; i++) {
        struct fm_scale_run run = runs[i];
        size_t at = i;
        for (; at > 0 && runs[at - 1].processes > run.processes; at--)
            runs[at] = runs[at - 1];
        runs[at] = run;
    }
}

static void compare_builds(struct joiner *joiner)
{
    const struct fm_scale *scale = joiner->scale;
    for (size_t i = 0; i < scale->n_runs; i++) {
        joiner->each[i] = joiner->build[i] = 1u << i;
        const char *build = scale->runs[i].build;
        for (size_t j = 0; j < scale->n_runs && build && build[0]; j++)
            if (scale->runs[j].build && strcmp(scale->runs[j].build, build) == 0)
                joiner->build[i] |= 1u << j;
    }
}

static bool start(struct joiner *joiner, const struct fm_scale_run *runs, struct fm_arena *arena)
{
    struct fm_scale *scale = joiner->scale;
    size_t max_nodes = 0;
    for (size_t i = 0; i < scale->n_runs; i++)
        max_nodes += runs[i].tree->n + 1;
    struct fm_scale_run *ordered = fm_arena_alloc(arena, scale->n_runs * sizeof *ordered);
    scale->nodes = fm_arena_alloc(arena, max_nodes * sizeof *scale->nodes); /* untouched pages cost nothing */
    joiner->members = fm_arena_alloc(&joiner->scratch, max_nodes * sizeof *joiner->members);
    if (!ordered || !scale->nodes || !joiner->members || max_nodes > UINT32_MAX)
        return false;
    memcpy(ordered, runs, scale->n_runs * sizeof *ordered);
    order_runs(scale->mode, ordered, scale->n_runs);
    scale->runs = ordered;
    joiner->names = (struct fm_scale_names){.arena = &joiner->scratch, .runs = ordered};
    compare_builds(joiner);
    for (size_t i = 0; i < scale->n_runs; i++)
        joiner->members[joiner->n_members++] = ordered[i].tree->root;
    scale->nodes[0] = (struct fm_scale_node){.context = ordered[scale->n_runs - 1].tree->root,
                                             .runs = (uint32_t)((1ull << scale->n_runs) - 1)};
    scale->n = 1;
    return true;
}

static bool reserve(struct joiner *joiner, size_t needed)
{
    if (needed <= joiner->capacity)
        return true;
    joiner->items = fm_arena_grow(&joiner->scratch, joiner->items, &joiner->capacity, needed, sizeof *joiner->items);
    joiner->groups = fm_arena_grow(&joiner->scratch, joiner->groups, &joiner->groups_capacity, needed,
                                   sizeof *joiner->groups);
    return joiner->items && joiner->groups;
}

/* Lists the children of a joined node in all runs. Returns SIZE_MAX if out of memory. */
static size_t gather(struct joiner *joiner, const struct fm_scale_node *node, const struct fm_context **members)
{
    size_t n = 0;
    for (unsigned run = 0; run < joiner->scale->n_runs; run++) {
        if (!(node->runs >> run & 1))
            continue;
        const struct fm_context *parent = *members++;
        if (!reserve(joiner, n + parent->n_children))
            return SIZE_MAX;
        for (const struct fm_context *child = parent->first; child; child = child->next)
            joiner->items[n++] = (struct fm_scale_item){
                .context = child,
                .run = run,
                .name = fm_scale_name_of(&joiner->names, child, run),
                .module = fm_scale_module_of(&joiner->names, child, run),
                .path = fm_scale_path_of(&joiner->names, child, run),
            };
    }
    return n;
}

/* By run, the bit mask of the runs with the same code. The lines of children are in the code of their parent. In the
 * program the build id decides; programs of the same build that load a library from the same path have the same
 * library. */
static const uint32_t *same_code(const struct joiner *joiner, const struct fm_scale_node *parent,
                                 const struct fm_context **members)
{
    unsigned last = 31u - (unsigned)__builtin_clz(parent->runs), n = (unsigned)__builtin_popcount(parent->runs);
    if (fm_scale_in_program(&joiner->scale->runs[last], parent->context))
        return joiner->build;
    for (unsigned i = 1; i < n; i++)
        if (strcmp(members[i]->id.module, members[0]->id.module) != 0)
            return joiner->each;
    return joiner->build;
}

static void add_children(struct joiner *joiner, uint32_t parent, size_t n)
{
    struct fm_scale *scale = joiner->scale;
    uint32_t *link = &scale->nodes[parent].first;
    for (size_t i = 0; i < n;) {
        const struct fm_scale_item *item = &joiner->items[i];
        struct fm_scale_node *node = &scale->nodes[scale->n];
        *node = (struct fm_scale_node){.parent = parent, .by_name = item->by_name};
        for (uint32_t group = item->group; i < n && joiner->items[i].group == group; i++) {
            item = &joiner->items[i];
            node->context = item->context;
            node->runs |= 1u << item->run;
            joiner->members[joiner->n_members++] = item->context;
        }
        node->function = fm_scale_function_of(&joiner->names, item->context->id.kind, item->name, item->module);
        *link = (uint32_t)scale->n++;
        link = &node->next;
    }
}

static bool join(struct joiner *joiner)
{
    struct fm_scale *scale = joiner->scale;
    const struct fm_context **members = joiner->members;
    for (uint32_t at = 0; at < scale->n && !joiner->names.failed; at++) {
        struct fm_scale_node *node = &scale->nodes[at];
        size_t n = gather(joiner, node, members);
        if (n == SIZE_MAX)
            return false;
        if (n)
            fm_scale_match(joiner->items, n, same_code(joiner, node, members), joiner->groups);
        add_children(joiner, at, n);
        members += __builtin_popcount(node->runs);
    }
    scale->n_functions = joiner->names.functions.n;
    return !joiner->names.failed;
}

static bool add_costs(struct joiner *joiner, struct fm_arena *arena)
{
    struct fm_scale *scale = joiner->scale;
    const struct fm_context **member = joiner->members;
    scale->costs = fm_arena_alloc(arena, scale->n * scale->n_runs * sizeof *scale->costs);
    for (size_t at = 0; scale->costs && at < scale->n; at++)
        for (size_t run = 0; run < scale->n_runs; run++)
            if (scale->nodes[at].runs >> run & 1) {
                scale->costs[at * scale->n_runs + run] = (struct fm_scale_cost){(*member)->all.of.sum_ns,
                                                                                (*member)->own.of.sum_ns};
                member++;
            }
    return scale->costs;
}

enum fm_status fm_scale_join(enum fm_scale_mode mode, const struct fm_scale_run *runs, size_t n_runs,
                             struct fm_arena *arena, struct fm_scale *scale, struct fm_error *error)
{
    if (n_runs < 2 || n_runs > FM_SCALE_RUNS)
        return fm_fail(error, FM_ERR_USAGE, "2 to %d runs can be compared, not %zu", FM_SCALE_RUNS, n_runs);
    *scale = (struct fm_scale){.mode = mode, .n_runs = n_runs};
    struct joiner joiner = {.scale = scale};
    bool done = start(&joiner, runs, arena) && join(&joiner) && add_costs(&joiner, arena);
    fm_arena_destroy(&joiner.scratch);
    return done ? FM_OK : fm_fail(error, FM_ERR_MEMORY, "not enough memory to compare the runs");
}
