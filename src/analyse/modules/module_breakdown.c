/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/modules/module_breakdown.h"

#include <string.h>

#include "analyse/calls/thread_runtimes.h"
#include "base/sort.h"
#include "generated/routines.h"
#include "model/order.h"

/* Everything below a frame that waits is waiting, and everything below a frame of MPI is in MPI; what a thread run-time
 * does ends where it calls the program. Flags in the mark of a context, together with the index of the module's node. */
enum {
    WAITS = 1u << 31,
    IN_MPI = 1u << 30,
    THREAD_WAITS = 1u << 29,
    THREAD_WORKS = 1u << 28,
    NODE = THREAD_WORKS - 1,
    ANY_WAIT = WAITS | THREAD_WAITS
};

struct breakdown_builder {
    const struct fm_module_map *map;
    struct fm_arena *arena;
    struct fm_module_breakdown *modules;
    struct fm_intern names; /* number: index of the item + 1 */
    bool *fits;             /* by rule of the map: it is used */
    size_t nodes_capacity, items_capacity;
    const struct fm_calltree *calls;
    bool failed;
};

/* ---- nodes ---- */

static const char *group_of(const struct fm_module_map *map, const char *module)
{
    for (size_t g = 0; g < map->n_groups; g++)
        for (size_t m = 0; m < map->groups[g].n; m++)
            if (strcmp(map->groups[g].modules[m], module) == 0)
                return map->groups[g].name;
    return NULL;
}

static uint32_t item_of(struct breakdown_builder *builder, const char *name)
{
    struct fm_module_breakdown *modules = builder->modules;
    struct fm_intern_slot *slot = fm_intern_put(&builder->names, builder->arena, name, false);
    if (slot && slot->number)
        return slot->number - 1;
    struct fm_module_item *grown = fm_arena_grow(builder->arena, modules->items, &builder->items_capacity,
                                                 modules->n_items + 1, sizeof *grown);
    if (!slot || !grown) {
        builder->failed = true;
        return 0;
    }
    modules->items = grown;
    modules->items[modules->n_items] = (struct fm_module_item){.name = name, .group = group_of(builder->map, name)};
    slot->number = (uint32_t)++modules->n_items;
    return slot->number - 1;
}

static uint32_t add_node(struct breakdown_builder *builder, struct fm_module_node node)
{
    struct fm_module_breakdown *modules = builder->modules;
    struct fm_module_node *grown = fm_arena_grow(builder->arena, modules->nodes, &builder->nodes_capacity,
                                                 modules->n + 1, sizeof *grown);
    if (!grown) {
        builder->failed = true;
        return 0;
    }
    modules->nodes = grown;
    modules->nodes[modules->n] = node;
    return (uint32_t)modules->n++;
}

/* The node of a module that is called from another: a child of that node, or the node itself if it is the same
 * module. */
static uint32_t enter(struct breakdown_builder *builder, uint32_t from, const char *name)
{
    struct fm_module_node *nodes = builder->modules->nodes;
    uint32_t module = item_of(builder, name), last = 0;
    if (from && nodes[from].module == module)
        return from;
    for (uint32_t child = nodes[from].first; child; child = nodes[child].next) {
        if (nodes[child].module == module)
            return child;
        last = child;
    }
    uint32_t made = add_node(builder, (struct fm_module_node){.name = name, .module = module, .parent = from});
    nodes = builder->modules->nodes;
    if (made)
        *(last ? &nodes[last].next : &nodes[from].first) = made;
    return made;
}

/* ---- costs ---- */

void fm_module_cost_add(struct fm_module_cost *to, const struct fm_module_cost *cost)
{
    to->work_ns += cost->work_ns;
    to->transfer_ns += cost->transfer_ns;
    to->waiting_ns += cost->waiting_ns;
    to->estimated_ns += cost->estimated_ns;
    to->mpi_ns += cost->mpi_ns;
}

static bool is_collective(const char *routine)
{
    for (unsigned i = 0; i < FM_ROUTINE_COUNT; i++)
        if (strcmp(fm_routine_name(i), routine) == 0)
            return fm_routine_classes[i] == FM_CLASS_COLLECTIVE;
    return false;
}

/* The sum over all ranks of the time beyond that of the fastest rank; ranks without samples there have 0. */
static uint64_t above_fastest(const struct fm_path_cost *cost, uint32_t ranks)
{
    uint64_t least = cost->ranks >= ranks ? cost->min_ns * ranks : 0;
    return least < cost->sum_ns ? cost->sum_ns - least : 0;
}

static bool is_mpi(const struct fm_module_node *node)
{
    return strcmp(node->name, "mpi") == 0;
}

static bool in_mpi(const struct fm_module_breakdown *modules, const struct fm_context *leaf)
{
    return leaf->mark & IN_MPI || is_mpi(&modules->nodes[leaf->mark & NODE]);
}

static struct fm_module_cost cost_of(const struct fm_module_breakdown *modules, const struct fm_module_map *map,
                                     const struct fm_calltree *calls, const struct fm_context *leaf)
{
    const struct fm_path_cost *own = &leaf->own.of;
    struct fm_module_cost cost = {0};
    bool waits = leaf->mark & ANY_WAIT;
    if (!waits && leaf->id.kind == FM_CONTEXT_ROUTINE) {
        waits = fm_module_map_waits(map, &leaf->id);
        uint32_t ranks = !waits && is_collective(leaf->id.name) ? fm_context_ranks(calls, leaf) : 0;
        if (ranks > 1)
            cost.waiting_ns = cost.estimated_ns = above_fastest(own, ranks);
    }
    if (waits)
        cost.waiting_ns = own->sum_ns;
    if (in_mpi(modules, leaf)) {
        cost.transfer_ns = own->sum_ns - cost.waiting_ns;
        cost.mpi_ns = own->sum_ns;
    } else {
        cost.work_ns = own->sum_ns - cost.waiting_ns;
    }
    return cost;
}

static uint32_t without_mpi(const struct fm_module_node *nodes, uint32_t node)
{
    while (nodes[node].parent && is_mpi(&nodes[node]))
        node = nodes[node].parent;
    return node;
}

/* The module that called what waits; if that is MPI itself, the module that called MPI. If there is no other module
 * above, as in threads of MPI and in idle workers: the outermost one. */
static uint32_t cause_of(const struct fm_module_breakdown *modules, const struct fm_context *leaf)
{
    const struct fm_module_node *nodes = modules->nodes;
    const struct fm_context *waits = leaf;
    while (waits->parent->mark & ANY_WAIT)
        waits = waits->parent;
    uint32_t caller = waits->parent->mark & NODE;
    return without_mpi(nodes, caller ? caller : waits->mark & NODE);
}

/* The node of a frame or routine that is called from another. An inlined function that only the line of its library
 * matches, such as one of the C++ library, stays with the function that contains it. */
static uint32_t enter_context(struct breakdown_builder *builder, uint32_t from, const struct fm_context *at)
{
    const struct fm_module_map *map = builder->map;
    const struct fm_module_rule *rule = fm_module_map_rule(map, at);
    if (rule)
        builder->fits[rule - map->rules] = true;
    if (from && map->path && at->id.inlined && (!rule || rule->kind == FM_RULE_LIBRARY))
        return from;
    return enter(builder, from, rule ? rule->module : fm_module_map_name(map, at));
}

static uint32_t thread_flags(uint32_t above, const struct fm_context *frame)
{
    static const uint32_t flags[] = {[FM_THREAD_WORKS] = THREAD_WORKS, [FM_THREAD_WAITS] = THREAD_WAITS};
    enum fm_thread_state state = above & THREAD_WAITS   ? FM_THREAD_WAITS
                                 : above & THREAD_WORKS ? FM_THREAD_WORKS
                                                        : FM_THREAD_PROGRAM;
    return flags[fm_thread_state_in(state, frame)];
}

static void add_context(struct breakdown_builder *builder, struct fm_context *at)
{
    uint32_t from = at->parent->mark & NODE, state = at->parent->mark & ~NODE;
    switch (at->id.kind) {
    case FM_CONTEXT_FRAME:
        from = enter_context(builder, from, at);
        state |= fm_module_map_waits(builder->map, &at->id) ? WAITS : 0;
        state = (state & ~(THREAD_WAITS | THREAD_WORKS)) | thread_flags(state, at);
        break;
    case FM_CONTEXT_ROUTINE:
        from = enter_context(builder, from, at);
        break;
    default:
        break;
    }
    at->mark = from | state | (fm_context_in_mpi(at) ? IN_MPI : 0);
    if (at->id.kind == FM_CONTEXT_ROUTINE || at->id.kind == FM_CONTEXT_STATEMENT ||
        at->id.kind == FM_CONTEXT_CALL_SITE) {
        struct fm_module_cost cost = cost_of(builder->modules, builder->map, builder->calls, at);
        fm_module_cost_add(&builder->modules->nodes[from].own, &cost);
        if (cost.transfer_ns)
            builder->modules->items[builder->modules->nodes[without_mpi(builder->modules->nodes, from)].module]
                .transfers_ns += cost.transfer_ns;
        if (cost.waiting_ns)
            builder->modules->items[builder->modules->nodes[cause_of(builder->modules, at)].module].causes_ns +=
                cost.waiting_ns;
    }
}

/* ---- sums ---- */

static bool is_above(const struct fm_module_node *nodes, uint32_t node, uint32_t module)
{
    for (uint32_t at = nodes[node].parent; at; at = nodes[at].parent)
        if (nodes[at].module == module)
            return true;
    return false;
}

static void sum_up(struct fm_module_breakdown *modules)
{
    struct fm_module_node *nodes = modules->nodes;
    for (size_t i = modules->n; i-- > 0;) {
        fm_module_cost_add(&nodes[i].all, &nodes[i].own);
        if (i)
            fm_module_cost_add(&nodes[nodes[i].parent].all, &nodes[i].all);
    }
    modules->whole = nodes[0].all;
    for (uint32_t i = 1; i < modules->n; i++) {
        fm_module_cost_add(&modules->items[nodes[i].module].own, &nodes[i].own);
        if (!is_above(nodes, i, nodes[i].module))
            fm_module_cost_add(&modules->items[nodes[i].module].all, &nodes[i].all);
    }
}

/* Library rules without samples are not reported: module files list libraries that only some programs need. */
static void list_idle(struct breakdown_builder *builder)
{
    struct fm_module_breakdown *modules = builder->modules;
    modules->idle = fm_arena_alloc(builder->arena, builder->map->n_rules * sizeof *modules->idle);
    builder->failed |= !modules->idle;
    for (size_t i = 0; i < builder->map->n_rules && !builder->failed; i++) {
        const struct fm_module_rule *rule = &builder->map->rules[i];
        if (!builder->fits[i] && rule->kind != FM_RULE_LIBRARY)
            modules->idle[modules->n_idle++] = rule;
    }
}

/* ---- order ---- */

static int by_cost(uint64_t a, uint64_t b, const char *name, const char *other)
{
    return a != b ? (a > b ? -1 : 1) : fm_compare_text(name, other);
}

static int compare_items(const void *a, const void *b)
{
    const struct fm_module_item *x = a, *y = b;
    return by_cost(fm_module_total(&x->own), fm_module_total(&y->own), x->name, y->name);
}

struct numbered_node {
    const struct fm_module_node *node;
    uint32_t number;
};

static int compare_nodes(const void *a, const void *b)
{
    const struct numbered_node *x = a, *y = b;
    return by_cost(fm_module_total(&x->node->all), fm_module_total(&y->node->all), x->node->name, y->node->name);
}

static void sort_children(struct breakdown_builder *builder, uint32_t parent, struct numbered_node *items)
{
    struct fm_module_node *nodes = builder->modules->nodes;
    size_t n = 0;
    for (uint32_t child = nodes[parent].first; child; child = nodes[child].next)
        items[n++] = (struct numbered_node){&nodes[child], child};
    if (!fm_sort(items, n, sizeof *items, compare_nodes, builder->arena)) {
        builder->failed = true;
        return;
    }
    for (size_t i = 0; i < n; i++)
        nodes[items[i].number].next = i + 1 < n ? items[i + 1].number : 0;
    if (n)
        nodes[parent].first = items[0].number;
}

/* Sorting changes the indices of the items; nodes find the new ones by name. */
static void sort_all(struct breakdown_builder *builder)
{
    struct fm_module_breakdown *modules = builder->modules;
    struct numbered_node *items = fm_arena_alloc(builder->arena, modules->n * sizeof *items);
    builder->failed |= !items || !fm_sort(modules->items, modules->n_items, sizeof *modules->items, compare_items,
                                          builder->arena);
    if (builder->failed)
        return;
    for (uint32_t i = 0; i < modules->n_items; i++)
        fm_intern_find(&builder->names, modules->items[i].name)->number = i + 1;
    for (uint32_t i = 0; i < modules->n && !builder->failed; i++) {
        if (i)
            modules->nodes[i].module = fm_intern_find(&builder->names, modules->nodes[i].name)->number - 1;
        sort_children(builder, i, items);
    }
}

enum fm_status fm_module_breakdown_make(const struct fm_calltree *calls, const struct fm_module_map *map,
                                        struct fm_arena *arena, struct fm_module_breakdown *modules,
                                        struct fm_error *error)
{
    struct breakdown_builder builder = {.map = map, .arena = arena, .modules = modules, .calls = calls};
    *modules = (struct fm_module_breakdown){0};
    builder.fits = fm_arena_alloc(arena, map->n_rules * sizeof *builder.fits);
    builder.failed = !builder.fits;
    add_node(&builder, (struct fm_module_node){.name = "", .module = UINT32_MAX});
    calls->root->mark = 0;
    for (struct fm_context *at = calls->root->first; at && !builder.failed; at = fm_context_after(calls->root, at))
        add_context(&builder, at);
    if (!builder.failed) {
        sum_up(modules);
        list_idle(&builder);
        sort_all(&builder);
    }
    return builder.failed ? fm_fail(error, FM_ERR_MEMORY, "not enough memory for the modules") : FM_OK;
}

uint32_t fm_module_shown(const struct fm_module_breakdown *modules, const struct fm_module_map *map,
                         const struct fm_calltree *calls, const struct fm_context *leaf, enum fm_module_state *state)
{
    struct fm_module_cost cost = cost_of(modules, map, calls, leaf);
    bool waits = leaf->mark & ANY_WAIT || cost.waiting_ns > cost.work_ns + cost.transfer_ns;
    *state = waits ? FM_MODULE_WAITING : in_mpi(modules, leaf) ? FM_MODULE_TRANSFER : FM_MODULE_WORK;
    uint32_t node = waits ? cause_of(modules, leaf) : without_mpi(modules->nodes, leaf->mark & NODE);
    return modules->nodes[node].module;
}
