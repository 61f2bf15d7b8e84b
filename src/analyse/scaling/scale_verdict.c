/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/scaling/scale_verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/scaling/scale_callers.h"
#include "model/order.h"

/* The cost of a function in all its contexts. */
struct function_total {
    struct fm_scale_cost base, other;
    double excess, most; /* most: of a single context, `node` */
    uint32_t function, node;
    uint32_t active; /* number of its occurrences on the current stack */
};

struct judge {
    const struct fm_scale *scale;
    size_t base, other;
    int sign;                         /* 1: losses; -1: gains, with all excess negated */
    double least;                     /* excess that is worth a verdict */
    bool *startup;                    /* by node: within the start or the end of MPI */
    struct function_total *functions; /* by number of the function */
    struct function_total *ranked;
    struct fm_scale_callers search;
    struct fm_scale_loss *losses;
    size_t n_losses;
};

static double own_excess(const struct judge *judge, uint32_t node)
{
    return judge->sign * fm_scale_excess(judge->scale, node, judge->base, judge->other).own;
}

/* ---- start and end of MPI ---- */

static void find_startup(struct judge *judge, struct fm_verdicts *verdicts)
{
    const struct fm_scale *scale = judge->scale;
    struct fm_scale_cost base = {0}, other = {0};
    for (uint32_t at = 1; at < scale->n; at++) {
        const struct fm_scale_node *node = &scale->nodes[at];
        judge->startup[at] = judge->startup[node->parent] || fm_context_starts_mpi(node->context);
        if (!judge->startup[at] || !node->function)
            continue;
        base.own_ns += fm_scale_cost(scale, at, judge->base)->own_ns;
        other.own_ns += fm_scale_cost(scale, at, judge->other)->own_ns;
    }
    uint64_t whole = fm_scale_cost(scale, 0, judge->other)->all_ns;
    verdicts->startup = fm_scale_excess_of(scale, &base, &other, judge->base, judge->other);
    verdicts->startup_share = whole ? (double)other.own_ns / (double)whole : 0;
}

/* ---- functions ---- */

static void enter(struct judge *judge, uint32_t node)
{
    const struct fm_scale *scale = judge->scale;
    struct function_total *total = &judge->functions[scale->nodes[node].function];
    const struct fm_scale_cost *base = fm_scale_cost(scale, node, judge->base);
    const struct fm_scale_cost *other = fm_scale_cost(scale, node, judge->other);
    if (!total->active++) {
        total->base.all_ns += base->all_ns;
        total->other.all_ns += other->all_ns;
    }
    if (judge->startup[node])
        return;
    total->base.own_ns += base->own_ns;
    total->other.own_ns += other->own_ns;
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

/* The CPU time of computation, if processes ran equally all the time. */
static struct fm_scale_cost cpu_cost(const struct judge *judge, const struct fm_scale_cost *cost, size_t run)
{
    const struct fm_scale_run *of = &judge->scale->runs[run];
    double running = of->lacks_cores ? of->running : 1;
    return (struct fm_scale_cost){.own_ns = (uint64_t)((double)cost->own_ns * running)};
}

/* Whether it is computation that only takes longer because processes had no cores. */
static bool is_lack_of_cores(const struct judge *judge, const struct function_total *total)
{
    if (fm_context_in_mpi(judge->scale->nodes[total->node].context))
        return false;
    struct fm_scale_cost base = cpu_cost(judge, &total->base, judge->base);
    struct fm_scale_cost other = cpu_cost(judge, &total->other, judge->other);
    struct fm_excess x = fm_scale_excess_of(judge->scale, &base, &other, judge->base, judge->other);
    return judge->sign * x.own < judge->least;
}

/* Lists the functions with losses, or gains, that are worth a verdict. */
static size_t changed_functions(struct judge *judge)
{
    for (size_t i = 1; i <= judge->scale->n_functions; i++) {
        struct function_total *total = &judge->functions[i];
        struct fm_excess x = fm_scale_excess_of(judge->scale, &total->base, &total->other, judge->base, judge->other);
        total->function = (uint32_t)i;
        total->excess = fm_is_clear(x.own, x.own_error, judge->least) && total->node && !is_lack_of_cores(judge, total)
                            ? judge->sign * x.own
                            : 0;
    }
    return rank(judge, judge->functions, judge->least);
}

static void list_losses(struct judge *judge, uint32_t function)
{
    judge->n_losses = 0;
    for (uint32_t at = 1; at < judge->scale->n; at++)
        if (judge->scale->nodes[at].function == function && !judge->startup[at])
            judge->losses[judge->n_losses++] = (struct fm_scale_loss){at, at, own_excess(judge, at)};
}

/* ---- verdicts ---- */

static struct fm_verdict judge_function(struct judge *judge, const struct function_total *function)
{
    const struct fm_scale *scale = judge->scale;
    bool mpi = fm_context_in_mpi(scale->nodes[function->node].context);
    struct fm_verdict verdict = {.cause = mpi ? FM_CAUSE_MPI : FM_CAUSE_OWN, .node = function->node};
    verdict.excess = fm_scale_excess_of(scale, &function->base, &function->other, judge->base, judge->other);
    list_losses(judge, function->function);
    fm_scale_callers_find(&judge->search, judge->losses, judge->n_losses, &verdict);
    for (size_t i = 0; i < verdict.n_callers && i < FM_VERDICT_CALLERS; i++)
        verdict.callers[i].excess *= judge->sign;
    return verdict;
}

/* Losses or gains, depending on the sign. Returns how many there are, at most FM_VERDICTS. */
static size_t judge_functions(struct judge *judge, int sign, struct fm_verdict *verdicts)
{
    struct function_total most[FM_VERDICTS];
    judge->sign = sign;
    memset(judge->functions, 0, (judge->scale->n_functions + 1) * sizeof *judge->functions);
    sum_functions(judge);
    size_t n = changed_functions(judge);
    n = n < FM_VERDICTS ? n : FM_VERDICTS;
    memcpy(most, judge->ranked, n * sizeof *most);
    for (size_t i = 0; i < n; i++)
        verdicts[i] = judge_function(judge, &most[i]);
    return n;
}

static bool allocate(struct judge *judge, struct fm_arena *scratch)
{
    size_t n = judge->scale->n, functions = judge->scale->n_functions + 1;
    judge->startup = fm_arena_alloc(scratch, n * sizeof *judge->startup);
    judge->functions = fm_arena_alloc(scratch, functions * sizeof *judge->functions);
    judge->ranked = fm_arena_alloc(scratch, functions * sizeof *judge->ranked);
    judge->losses = fm_arena_alloc(scratch, n * sizeof *judge->losses);
    return judge->startup && judge->functions && judge->ranked && judge->losses &&
           fm_scale_callers_start(&judge->search, judge->scale, judge->base, judge->other, scratch);
}

enum fm_status fm_scale_judge(const struct fm_scale *scale, size_t base, size_t other, struct fm_verdicts *verdicts,
                              struct fm_error *error)
{
    struct judge judge = {.scale = scale, .base = base, .other = other};
    struct fm_arena scratch = {0};
    *verdicts = (struct fm_verdicts){.whole = fm_scale_excess(scale, 0, base, other)};
    bool changed = fm_is_clear(verdicts->whole.all, verdicts->whole.all_error, FM_SCALE_NOISE);
    bool doubtful = scale->runs[base].lacks_cores || scale->runs[other].lacks_cores;
    judge.least = doubtful ? (changed ? FM_SCALE_NOISE : HUGE_VAL) : (changed ? FM_VERDICT_LEAST : FM_SCALE_NOISE);
    if (!allocate(&judge, &scratch)) {
        fm_arena_destroy(&scratch);
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory to compare the runs");
    }
    find_startup(&judge, verdicts);
    verdicts->n = judge_functions(&judge, 1, verdicts->items);
    verdicts->n_gains = judge_functions(&judge, -1, verdicts->gains);
    fm_arena_destroy(&scratch);
    return FM_OK;
}
