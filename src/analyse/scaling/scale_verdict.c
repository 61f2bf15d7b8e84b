/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/scaling/scale_verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/scaling/scale_callers.h"
#include "model/order.h"

/* Fraction of the time of a call: nearly all of it. */
#define NEARLY_ALL 0.9

/* The cost of a function in all its contexts. */
struct function_total {
    struct fm_scale_cost base, other;
    double excess, most; /* most: of a single context, `node` */
    uint32_t function, node;
    uint32_t active; /* number of its occurrences on the current stack */
    size_t calls;
};

/* The part of a call that is spent in the function that a verdict is about. */
struct lead {
    double excess;
    uint64_t other_ns;
};

struct judge {
    const struct fm_scale *scale;
    size_t base, other;
    int sign;                                   /* 1: losses; -1: gains, with all excess negated */
    double least;                               /* excess that is worth a verdict */
    bool *startup;                              /* by node: within the start or the end of MPI */
    struct function_total *functions, *callers; /* by number of the function */
    struct function_total *ranked;
    struct fm_scale_callers search;
    struct fm_scale_loss *losses;
    size_t n_losses;
    struct lead *leads; /* by node */
    uint32_t *children;
};

static double own_excess(const struct judge *judge, uint32_t node)
{
    return judge->sign * fm_scale_excess(judge->scale, node, judge->base, judge->other).own;
}

/* ---- start and end of MPI ---- */

static bool is_startup(const struct fm_context *context)
{
    static const char *const names[] = {"MPI_Init", "MPI_Init_thread", "MPI_Session_init", "MPI_Finalize",
                                        "MPI_Session_finalize"};
    const char *name = context->id.name + (context->id.name[0] == 'P');
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return fm_context_in_mpi(context);
    return false;
}

static void find_startup(struct judge *judge, struct fm_verdicts *verdicts)
{
    const struct fm_scale *scale = judge->scale;
    struct fm_scale_cost base = {0}, other = {0};
    for (uint32_t at = 1; at < scale->n; at++) {
        const struct fm_scale_node *node = &scale->nodes[at];
        judge->startup[at] = judge->startup[node->parent] || is_startup(node->context);
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

static void add_lead(struct judge *judge, uint32_t call, const struct fm_scale_loss *loss)
{
    judge->leads[call].excess += loss->excess;
    judge->leads[call].other_ns += fm_scale_cost(judge->scale, loss->node, judge->other)->own_ns;
}

static void find_repeats(struct judge *judge, struct fm_verdict *verdict)
{
    const struct fm_scale *scale = judge->scale;
    memset(judge->leads, 0, scale->n * sizeof *judge->leads);
    for (size_t i = 0; i < judge->n_losses; i++) {
        uint32_t callee, outer_callee, caller = fm_scale_caller(scale, judge->losses[i].joint, &callee);
        add_lead(judge, callee, &judge->losses[i]);
        if (caller && fm_scale_caller(scale, caller, &outer_callee))
            add_lead(judge, outer_callee, &judge->losses[i]);
    }
    memset(judge->callers, 0, (scale->n_functions + 1) * sizeof *judge->callers);
    for (uint32_t at = 1; at < scale->n; at++)
        if (scale->nodes[at].function)
            find_repeats_in(judge, at);
    size_t n = rank(judge, judge->callers, FM_VERDICT_LEAST);
    for (size_t i = 0; i < n && i < FM_VERDICT_REPEATS; i++) {
        const struct function_total *total = &judge->ranked[i];
        verdict->repeats[verdict->n_repeats++] = (struct fm_verdict_caller){total->node, total->excess, total->calls,
                                                                            0};
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
    fm_scale_callers_find(&judge->search, judge->losses, judge->n_losses, &verdict);
    for (size_t i = 0; i < verdict.n_callers && i < FM_VERDICT_CALLERS; i++)
        verdict.callers[i].excess *= judge->sign;
    if (judge->sign > 0 && !in_program(scale, function->node))
        find_repeats(judge, &verdict);
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
    judge->callers = fm_arena_alloc(scratch, functions * sizeof *judge->callers);
    judge->ranked = fm_arena_alloc(scratch, functions * sizeof *judge->ranked);
    judge->losses = fm_arena_alloc(scratch, n * sizeof *judge->losses);
    judge->leads = fm_arena_alloc(scratch, n * sizeof *judge->leads);
    judge->children = fm_arena_alloc(scratch, n * sizeof *judge->children);
    return judge->startup && judge->functions && judge->callers && judge->ranked && judge->losses && judge->leads &&
           judge->children && fm_scale_callers_start(&judge->search, judge->scale, judge->base, judge->other, scratch);
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
