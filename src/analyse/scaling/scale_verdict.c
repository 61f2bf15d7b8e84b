/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/scaling/scale_verdict.h"

#include <stdlib.h>
#include <string.h>

#include "model/order.h"

/* Fraction of the time of a caller: a function with at least this much is nearly all that the caller does. */
#define MOST_OF_CALLER 0.75
/* Fractions of a loss: nearly all of it, and too little to count as a caller. */
#define NEARLY_ALL 0.9
#define MIN_CALLER 0.01

/* The cost of a function in all its contexts. */
struct function_total {
    struct fm_scale_cost base, other;
    double excess, most; /* most: of a single context, `node` */
    uint32_t function, node;
    uint32_t active; /* number of its occurrences on the current stack */
    uint32_t line;   /* as a caller: the line of the call; if `several`, there are others */
    bool several;
    size_t calls;
};

/* One context of the function that a verdict is about. */
struct loss {
    uint32_t node;
    uint32_t joint; /* itself or a wrapper it is called through: the callers of this one are examined */
    double excess;
};

/* The part of a call that is spent in the function that a verdict is about. */
struct lead {
    double excess;
    uint64_t other_ns;
};

struct judge {
    const struct fm_scale *scale;
    size_t base, other;
    struct function_total *functions, *callers; /* by number of the function */
    struct function_total *ranked;
    struct loss *losses;
    size_t n_losses;
    struct lead *leads; /* by node */
    uint32_t *children;
};

static double own_excess(const struct judge *judge, uint32_t node)
{
    return fm_scale_excess(judge->scale, node, judge->base, judge->other).own;
}

/* ---- functions ---- */

static void enter(struct judge *judge, uint32_t node)
{
    const struct fm_scale *scale = judge->scale;
    struct function_total *total = &judge->functions[scale->nodes[node].function];
    const struct fm_scale_cost *base = fm_scale_cost(scale, node, judge->base);
    const struct fm_scale_cost *other = fm_scale_cost(scale, node, judge->other);
    total->base.own_ns += base->own_ns;
    total->other.own_ns += other->own_ns;
    if (!total->active++) {
        total->base.all_ns += base->all_ns;
        total->other.all_ns += other->all_ns;
    }
    double excess = own_excess(judge, node);
    if (!total->node || excess > total->most) {
        total->node = node;
        total->most = excess;
    }
}

static void sum_functions(struct judge *judge)
{
    const struct fm_scale_node *nodes = judge->scale->nodes;
    uint32_t at = nodes[0].first;
    while (at) {
        enter(judge, at);
        if (nodes[at].first) {
            at = nodes[at].first;
            continue;
        }
        judge->functions[nodes[at].function].active--;
        while (!nodes[at].next && nodes[at].parent) {
            at = nodes[at].parent;
            judge->functions[nodes[at].function].active--;
        }
        at = nodes[at].next;
    }
}

static int by_excess(const void *a, const void *b, void *scale)
{
    const struct fm_scale_node *nodes = ((const struct fm_scale *)scale)->nodes;
    const struct function_total *x = a, *y = b;
    if (x->excess != y->excess)
        return x->excess > y->excess ? -1 : 1;
    int order = fm_compare_text(nodes[x->node].context->id.name, nodes[y->node].context->id.name);
    return order ? order : fm_compare_number(x->node, y->node);
}

/* Lists the functions with at least this excess, largest first. */
static size_t rank(struct judge *judge, const struct function_total *totals, double least)
{
    size_t n = 0;
    for (size_t i = 1; i <= judge->scale->n_functions; i++)
        if (totals[i].excess >= least)
            judge->ranked[n++] = totals[i];
    qsort_r(judge->ranked, n, sizeof *judge->ranked, by_excess, (void *)judge->scale);
    return n;
}

static size_t losing_functions(struct judge *judge)
{
    for (size_t i = 1; i <= judge->scale->n_functions; i++) {
        struct function_total *total = &judge->functions[i];
        struct fm_excess x = fm_scale_excess_of(judge->scale, &total->base, &total->other, judge->base, judge->other);
        total->function = (uint32_t)i;
        total->excess = fm_is_certain(x.own, x.own_error) ? x.own : 0;
    }
    return rank(judge, judge->functions, FM_VERDICT_LEAST);
}

/* ---- callers ---- */

/* The caller of a context, outside the same function and MPI; 0 if unknown. *place: the context that it calls
 * directly. */
static uint32_t caller_of(const struct fm_scale *scale, uint32_t node, uint32_t *callee)
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

static void list_losses(struct judge *judge, uint32_t function)
{
    judge->n_losses = 0;
    for (uint32_t at = 1; at < judge->scale->n; at++)
        if (judge->scale->nodes[at].function == function)
            judge->losses[judge->n_losses++] = (struct loss){at, at, own_excess(judge, at)};
}

static void sum_callers(struct judge *judge)
{
    const struct fm_scale *scale = judge->scale;
    memset(judge->callers, 0, (scale->n_functions + 1) * sizeof *judge->callers);
    for (size_t i = 0; i < judge->n_losses; i++) {
        const struct loss *loss = &judge->losses[i];
        uint32_t callee, node = caller_of(scale, loss->joint, &callee), line = scale->nodes[callee].context->id.line;
        struct function_total *total = &judge->callers[scale->nodes[node].function];
        total->several |= total->node && total->line != line;
        total->line = line;
        total->excess += loss->excess;
        if (!total->node || loss->excess > total->most) {
            total->node = node;
            total->most = loss->excess;
        }
    }
    judge->callers[0].excess = 0;
}

static void fill_callers(struct judge *judge, struct fm_verdict *verdict)
{
    verdict->n_callers = rank(judge, judge->callers, MIN_CALLER * verdict->excess.own);
    for (size_t i = 0; i < verdict->n_callers && i < FM_VERDICT_CALLERS; i++)
        verdict->callers[i] = (struct fm_verdict_caller){judge->ranked[i].node, judge->ranked[i].excess, 1};
}

/* Whether a function does little else than call the one that the verdict is about. */
static bool is_wrapper(const struct judge *judge, uint32_t node, const struct function_total *function)
{
    const struct function_total *caller = &judge->functions[judge->scale->nodes[node].function];
    return (double)function->other.own_ns >= MOST_OF_CALLER * (double)caller->other.all_ns;
}

static void move_to_callers(struct judge *judge)
{
    uint32_t callee;
    for (size_t i = 0; i < judge->n_losses; i++) {
        uint32_t caller = caller_of(judge->scale, judge->losses[i].joint, &callee);
        judge->losses[i].joint = caller ? caller : judge->losses[i].joint;
    }
}

/* Goes outwards past wrappers through which nearly all of the loss comes, at one call site in them, until there are
 * several callers or the caller does other things too. If there are only wrappers up to the outermost function, the
 * direct callers are kept. */
static void find_callers(struct judge *judge, const struct function_total *function, struct fm_verdict *verdict)
{
    double enough = NEARLY_ALL * verdict->excess.own;
    struct fm_verdict next;
    sum_callers(judge);
    fill_callers(judge, verdict);
    for (next = *verdict; next.n_callers; fill_callers(judge, &next)) {
        const struct function_total *most = &judge->ranked[0];
        if (most->excess < enough || most->several || !is_wrapper(judge, most->node, function)) {
            *verdict = next;
            return;
        }
        next.through = most->node;
        move_to_callers(judge);
        sum_callers(judge);
    }
}

/* ---- calls in succession ---- */

static int by_line(const void *a, const void *b, void *scale)
{
    const struct fm_scale_node *nodes = ((const struct fm_scale *)scale)->nodes;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int order = fm_compare_number(nodes[x].context->id.line, nodes[y].context->id.line);
    return order ? order : fm_compare_number(x, y);
}

static void add_repeat(struct judge *judge, uint32_t node, double excess, size_t calls)
{
    struct function_total *total = &judge->callers[judge->scale->nodes[node].function];
    total->excess += excess;
    total->calls = calls > total->calls ? calls : total->calls;
    if (!total->node || excess > total->most) {
        total->node = node;
        total->most = excess;
    }
}

/* Whether nearly all time of a call is in the function that the verdict is about. */
static bool leads_there(const struct judge *judge, uint32_t node)
{
    const struct lead *lead = &judge->leads[node];
    return lead->excess > 0 && judge->scale->nodes[node].context->id.line &&
           (double)lead->other_ns >= NEARLY_ALL * (double)fm_scale_cost(judge->scale, node, judge->other)->all_ns;
}

/* Whatever else was sampled in the line of such a call belongs to it, such as language bindings and PLT entries. */
static size_t remove_parts(struct judge *judge, size_t n)
{
    const struct fm_scale_node *nodes = judge->scale->nodes;
    uint32_t *children = judge->children;
    size_t kept = 0;
    for (size_t first = 0, next; first < n; first = next) {
        bool call = false;
        for (next = first;
             next < n && nodes[children[next]].context->id.line == nodes[children[first]].context->id.line; next++)
            call |= leads_there(judge, children[next]);
        for (size_t i = first; i < next; i++)
            if (!call || leads_there(judge, children[i]))
                children[kept++] = children[i];
    }
    return kept;
}

/* The calls in a function, and its own lines that take time, in the order of lines. */
static size_t list_calls(struct judge *judge, uint32_t parent)
{
    const struct fm_scale *scale = judge->scale;
    double least = FM_VERDICT_LEAST * (double)fm_scale_cost(scale, 0, judge->other)->all_ns;
    size_t n = 0, leading = 0;
    for (uint32_t child = scale->nodes[parent].first; child; child = scale->nodes[child].next) {
        if (scale->nodes[child].function || (double)fm_scale_cost(scale, child, judge->other)->all_ns >= least)
            judge->children[n++] = child;
        leading += leads_there(judge, child);
    }
    if (leading < 2)
        return 0;
    qsort_r(judge->children, n, sizeof *judge->children, by_line, (void *)scale);
    return remove_parts(judge, n);
}

static void find_repeats_in(struct judge *judge, uint32_t parent)
{
    size_t n = list_calls(judge, parent), calls = 0;
    double together = 0;
    for (size_t i = 0; i < n; i++) {
        bool leads = leads_there(judge, judge->children[i]);
        calls += leads;
        together += leads ? judge->leads[judge->children[i]].excess : 0;
        if (leads && i + 1 < n)
            continue;
        if (calls > 1)
            add_repeat(judge, parent, together, calls);
        together = 0;
        calls = 0;
    }
}

static void add_lead(struct judge *judge, uint32_t call, const struct loss *loss)
{
    judge->leads[call].excess += loss->excess;
    judge->leads[call].other_ns += fm_scale_cost(judge->scale, loss->node, judge->other)->own_ns;
}

static void find_repeats(struct judge *judge, struct fm_verdict *verdict)
{
    const struct fm_scale *scale = judge->scale;
    memset(judge->leads, 0, scale->n * sizeof *judge->leads);
    for (size_t i = 0; i < judge->n_losses; i++) {
        uint32_t callee, outer_callee, caller = caller_of(scale, judge->losses[i].joint, &callee);
        add_lead(judge, callee, &judge->losses[i]);
        if (caller && caller_of(scale, caller, &outer_callee))
            add_lead(judge, outer_callee, &judge->losses[i]);
    }
    memset(judge->callers, 0, (scale->n_functions + 1) * sizeof *judge->callers);
    for (uint32_t at = 1; at < scale->n; at++)
        if (scale->nodes[at].function)
            find_repeats_in(judge, at);
    size_t n = rank(judge, judge->callers, FM_VERDICT_LEAST);
    for (size_t i = 0; i < n && i < FM_VERDICT_REPEATS; i++) {
        const struct function_total *total = &judge->ranked[i];
        verdict->repeats[verdict->n_repeats++] = (struct fm_verdict_caller){total->node, total->excess, total->calls};
    }
}

/* ---- verdicts ---- */

/* Repeated calls of a function of the program are just part of its algorithm; repeated calls of a library function may
 * be worth reporting. */
static bool in_program(const struct fm_scale *scale, uint32_t node)
{
    const char *module = scale->nodes[node].context->id.module;
    for (size_t run = 0; run < scale->n_runs; run++)
        if (scale->runs[run].program && module[0] && strcmp(scale->runs[run].program, module) == 0)
            return true;
    return false;
}

static struct fm_verdict judge_function(struct judge *judge, const struct function_total *function)
{
    const struct fm_scale *scale = judge->scale;
    bool mpi = fm_context_in_mpi(scale->nodes[function->node].context);
    struct fm_verdict verdict = {.cause = mpi ? FM_CAUSE_MPI : FM_CAUSE_OWN, .node = function->node};
    verdict.excess = fm_scale_excess_of(scale, &function->base, &function->other, judge->base, judge->other);
    list_losses(judge, function->function);
    find_callers(judge, function, &verdict);
    if (!in_program(scale, function->node))
        find_repeats(judge, &verdict);
    return verdict;
}

static bool allocate(struct judge *judge, struct fm_arena *scratch)
{
    size_t n = judge->scale->n, functions = judge->scale->n_functions + 1;
    judge->functions = fm_arena_alloc(scratch, functions * sizeof *judge->functions);
    judge->callers = fm_arena_alloc(scratch, functions * sizeof *judge->callers);
    judge->ranked = fm_arena_alloc(scratch, functions * sizeof *judge->ranked);
    judge->losses = fm_arena_alloc(scratch, n * sizeof *judge->losses);
    judge->leads = fm_arena_alloc(scratch, n * sizeof *judge->leads);
    judge->children = fm_arena_alloc(scratch, n * sizeof *judge->children);
    return judge->functions && judge->callers && judge->ranked && judge->losses && judge->leads && judge->children;
}

enum fm_status fm_scale_judge(const struct fm_scale *scale, size_t base, size_t other, struct fm_verdicts *verdicts,
                              struct fm_error *error)
{
    struct judge judge = {.scale = scale, .base = base, .other = other};
    struct fm_arena scratch = {0};
    struct function_total most[FM_VERDICTS];
    *verdicts = (struct fm_verdicts){.whole = fm_scale_excess(scale, 0, base, other)};
    if (!allocate(&judge, &scratch)) {
        fm_arena_destroy(&scratch);
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory to compare the runs");
    }
    sum_functions(&judge);
    size_t n = losing_functions(&judge);
    n = n < FM_VERDICTS ? n : FM_VERDICTS;
    memcpy(most, judge.ranked, n * sizeof *most);
    for (size_t i = 0; i < n; i++)
        verdicts->items[verdicts->n++] = judge_function(&judge, &most[i]);
    fm_arena_destroy(&scratch);
    return FM_OK;
}
