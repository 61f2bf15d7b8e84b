/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/scaling/scale_callers.h"

#include <stdlib.h>
#include <string.h>

#include "model/order.h"

/* Fraction of the time of a function: with at least this much in what it calls, it does nearly nothing else. */
#define NEARLY_ALL 0.75
/* Fractions of a run and of an excess: too little to tell what a function does, and to count as a caller. */
#define TOO_LITTLE 0.01
#define MIN_CALLER 0.01

struct fm_callers_function {
    uint64_t base_ns, other_ns; /* inclusive */
    uint32_t caller, line;      /* the first place that it is called from */
    bool several_places, several_callers;
    /* for the verdict at hand */
    uint64_t base_there_ns, other_there_ns; /* in the function that the verdict is about */
    uint32_t last;                          /* the last loss that was added, from 1 */
    uint32_t joint_line;                    /* the line that calls; if `several_lines`, there are others */
    bool several_lines;
};

/* From a calling function to the one that the verdict is about. */
struct fm_callers_route {
    uint32_t caller, through; /* functions; through: 0 if the caller calls directly */
    uint32_t caller_node, through_node;
    double excess, most; /* most: of a single context */
};

uint32_t fm_scale_caller(const struct fm_scale *scale, uint32_t node, uint32_t *callee)
{
    uint32_t own = scale->nodes[node].function;
    *callee = node;
    for (uint32_t at = scale->nodes[node].parent; at; at = scale->nodes[at].parent) {
        const struct fm_scale_node *caller = &scale->nodes[at];
        if (caller->function && caller->function != own && !fm_context_in_mpi(caller->context))
            return at;
        *callee = at;
    }
    return 0;
}

/* ---- functions ---- */

static bool is_outermost(const struct fm_scale *scale, uint32_t node)
{
    uint32_t function = scale->nodes[node].function;
    for (uint32_t at = scale->nodes[node].parent; at; at = scale->nodes[at].parent)
        if (scale->nodes[at].function == function)
            return false;
    return true;
}

static void add_context(struct fm_scale_callers *search, uint32_t node)
{
    const struct fm_scale *scale = search->scale;
    struct fm_callers_function *function = &search->functions[scale->nodes[node].function];
    if (!is_outermost(scale, node))
        return;
    uint32_t callee, caller = scale->nodes[fm_scale_caller(scale, node, &callee)].function;
    uint32_t line = scale->nodes[callee].context->id.line;
    bool first = !function->base_ns && !function->other_ns;
    function->several_callers |= !first && function->caller != caller;
    function->several_places |= !first && (function->caller != caller || function->line != line);
    function->caller = caller;
    function->line = line;
    function->base_ns += fm_scale_cost(scale, node, search->base)->all_ns;
    function->other_ns += fm_scale_cost(scale, node, search->other)->all_ns;
}

bool fm_scale_callers_start(struct fm_scale_callers *search, const struct fm_scale *scale, size_t base, size_t other,
                            struct fm_arena *arena)
{
    *search = (struct fm_scale_callers){.scale = scale, .base = base, .other = other};
    search->functions = fm_arena_alloc(arena, (scale->n_functions + 1) * sizeof *search->functions);
    search->routes = fm_arena_alloc(arena, scale->n * sizeof *search->routes);
    if (!search->functions || !search->routes)
        return false;
    for (uint32_t at = 1; at < scale->n; at++)
        if (scale->nodes[at].function)
            add_context(search, at);
    return true;
}

/* ---- wrappers ---- */

static void add_flow(struct fm_scale_callers *search, const struct fm_scale_loss *losses, size_t n)
{
    const struct fm_scale *scale = search->scale;
    for (size_t i = 0; i <= scale->n_functions; i++) {
        struct fm_callers_function *function = &search->functions[i];
        function->base_there_ns = function->other_there_ns = 0;
        function->last = 0;
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t at = scale->nodes[losses[i].node].parent; at; at = scale->nodes[at].parent) {
            struct fm_callers_function *function = &search->functions[scale->nodes[at].function];
            if (function->last == i + 1)
                continue;
            function->last = i + 1;
            function->base_there_ns += fm_scale_cost(scale, losses[i].node, search->base)->own_ns;
            function->other_there_ns += fm_scale_cost(scale, losses[i].node, search->other)->own_ns;
        }
}

static bool is_nearly_all(uint64_t part_ns, uint64_t whole_ns)
{
    return (double)part_ns >= NEARLY_ALL * (double)whole_ns;
}

/* Whether a function does little else than call the one that the verdict is about. */
static bool is_thin(const struct fm_scale_callers *search, const struct fm_callers_function *function)
{
    bool before = is_nearly_all(function->base_there_ns, function->base_ns);
    bool now = is_nearly_all(function->other_there_ns, function->other_ns);
    if (!function->other_ns || !function->base_ns)
        return before && now;
    double little = TOO_LITTLE * (double)fm_scale_cost(search->scale, 0, search->base)->all_ns;
    return now && (before || function->several_callers || (double)function->base_ns < little);
}

static bool is_wrapper(const struct fm_verdict *verdict, uint32_t function)
{
    for (size_t i = 0; i < verdict->n_wrappers; i++)
        if (verdict->wrappers[i] == function)
            return true;
    return false;
}

uint32_t fm_verdict_call(const struct fm_scale *scale, const struct fm_verdict *verdict, uint32_t node)
{
    for (uint32_t callee, caller = fm_scale_caller(scale, node, &callee);
         caller && is_wrapper(verdict, scale->nodes[caller].function); caller = fm_scale_caller(scale, node, &callee))
        node = caller;
    return node;
}

static void note_lines(struct fm_scale_callers *search, const struct fm_scale_loss *losses, size_t n)
{
    const struct fm_scale_node *nodes = search->scale->nodes;
    for (size_t i = 0; i <= search->scale->n_functions; i++) {
        search->functions[i].joint_line = UINT32_MAX;
        search->functions[i].several_lines = false;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t callee, caller = fm_scale_caller(search->scale, losses[i].joint, &callee);
        struct fm_callers_function *function = &search->functions[nodes[caller].function];
        uint32_t line = nodes[callee].context->id.line;
        function->several_lines |= function->joint_line != UINT32_MAX && function->joint_line != line;
        function->joint_line = line;
    }
}

/* One step outwards: the thin functions that call the joints of the losses. Returns whether there were any. */
static bool add_wrappers(struct fm_scale_callers *search, struct fm_scale_loss *losses, size_t n,
                         struct fm_verdict *verdict)
{
    const struct fm_scale *scale = search->scale;
    bool any = false;
    note_lines(search, losses, n);
    for (size_t i = 0; i < n && verdict->n_wrappers < FM_VERDICT_WRAPPERS; i++) {
        uint32_t callee, caller = fm_scale_caller(scale, losses[i].joint, &callee);
        uint32_t number = scale->nodes[caller].function;
        const struct fm_callers_function *function = &search->functions[number];
        if (!caller || !fm_scale_caller(scale, caller, &callee) || function->several_lines ||
            is_wrapper(verdict, number) || !is_thin(search, function))
            continue;
        verdict->wrappers[verdict->n_wrappers++] = number;
        any = true;
    }
    for (size_t i = 0; i < n; i++)
        losses[i].joint = fm_verdict_call(scale, verdict, losses[i].node);
    return any;
}

/* A function that is called from one place says as much as its caller: it is no wrapper, unless that is one. */
static void remove_unique(const struct fm_scale_callers *search, struct fm_verdict *verdict)
{
    for (size_t i = 0; i < verdict->n_wrappers;) {
        const struct fm_callers_function *function = &search->functions[verdict->wrappers[i]];
        if (function->several_places || is_wrapper(verdict, function->caller)) {
            i++;
            continue;
        }
        verdict->wrappers[i] = verdict->wrappers[--verdict->n_wrappers];
        i = 0; /* others may have been called by this one only */
    }
}

/* ---- callers ---- */

static int by_functions(const void *a, const void *b)
{
    const struct fm_callers_route *x = a, *y = b;
    int order = fm_compare_number(x->caller, y->caller);
    order = order ? order : fm_compare_number(x->through, y->through);
    return order ? order : fm_compare_number(x->caller_node, y->caller_node);
}

static int by_excess(const void *a, const void *b, void *scale)
{
    const struct fm_scale_node *nodes = ((const struct fm_scale *)scale)->nodes;
    const struct fm_callers_route *x = a, *y = b;
    if (x->excess != y->excess)
        return x->excess > y->excess ? -1 : 1;
    int order = fm_compare_text(nodes[x->caller_node].context->id.name, nodes[y->caller_node].context->id.name);
    return order ? order : by_functions(a, b);
}

/* Routes between the same functions become one. */
static size_t merge_routes(struct fm_callers_route *routes, size_t n)
{
    size_t merged = 0;
    qsort(routes, n, sizeof *routes, by_functions);
    for (size_t i = 0; i < n; i++) {
        struct fm_callers_route *last = merged ? &routes[merged - 1] : NULL;
        if (!last || last->caller != routes[i].caller || last->through != routes[i].through) {
            routes[merged++] = routes[i];
            continue;
        }
        last->excess += routes[i].excess;
        if (routes[i].most > last->most) {
            last->most = routes[i].most;
            last->caller_node = routes[i].caller_node;
            last->through_node = routes[i].through_node;
        }
    }
    return merged;
}

static size_t list_routes(struct fm_scale_callers *search, const struct fm_scale_loss *losses, size_t n)
{
    const struct fm_scale *scale = search->scale;
    size_t routes = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t callee, caller = fm_scale_caller(scale, losses[i].joint, &callee);
        uint32_t through = losses[i].joint == losses[i].node ? 0 : losses[i].joint;
        if (caller)
            search->routes[routes++] = (struct fm_callers_route){
                .caller = scale->nodes[caller].function,
                .through = through ? scale->nodes[through].function : 0,
                .caller_node = caller,
                .through_node = through,
                .excess = losses[i].excess,
                .most = losses[i].excess,
            };
    }
    routes = merge_routes(search->routes, routes);
    qsort_r(search->routes, routes, sizeof *search->routes, by_excess, (void *)scale);
    return routes;
}

void fm_scale_callers_find(struct fm_scale_callers *search, struct fm_scale_loss *losses, size_t n,
                           struct fm_verdict *verdict)
{
    verdict->n_wrappers = 0;
    add_flow(search, losses, n);
    while (add_wrappers(search, losses, n, verdict))
        continue;
    remove_unique(search, verdict);
    double whole = 0;
    for (size_t i = 0; i < n; i++) {
        losses[i].joint = fm_verdict_call(search->scale, verdict, losses[i].node);
        whole += losses[i].excess;
    }
    size_t routes = list_routes(search, losses, n);
    bool alike = true;
    for (size_t i = 0; i < routes && search->routes[i].excess >= MIN_CALLER * whole; i++) {
        const struct fm_callers_route *route = &search->routes[i];
        alike &= route->through == search->routes[0].through;
        if (i < FM_VERDICT_CALLERS)
            verdict->callers[i] = (struct fm_verdict_caller){
                .node = route->caller_node, .excess = route->excess, .through = route->through_node};
        verdict->n_callers = i + 1;
    }
    verdict->through = alike && verdict->n_callers ? search->routes[0].through_node : 0;
}
