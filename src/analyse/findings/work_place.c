/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/findings/work_place.h"

#include "analyse/findings/io_place.h"

void fm_work_mark(struct fm_calltree *calls)
{
    struct fm_context *root = calls->root;
    for (struct fm_context *at = root; at; at = fm_context_after(root, at))
        at->mark = 0;
    for (struct fm_context *at = root; at; at = fm_context_after(root, at))
        if (fm_context_in_mpi(at))
            for (struct fm_context *up = at; up && !up->mark; up = up->parent)
                up->mark = 1;
}

static bool is_function(const struct fm_context *context)
{
    return context->id.kind == FM_CONTEXT_FRAME && !fm_context_in_mpi(context);
}

/* The line in a function that takes longest on its own. */
static const struct fm_context *heaviest_line(const struct fm_context *function)
{
    const struct fm_context *heaviest = NULL;
    for (const struct fm_context *at = function->first; at; at = at->next)
        if (at->id.kind == FM_CONTEXT_STATEMENT && (!heaviest || at->own.of.sum_ns > heaviest->own.of.sum_ns))
            heaviest = at;
    return heaviest;
}

/* A function that works itself: where it is called or, if it is not called by the program, its heaviest line. */
static struct fm_finding_place place_of(const struct fm_context *function, bool itself)
{
    if (function->id.name[0] == '[') /* a load module without symbols */
        return (struct fm_finding_place){"", "", 0};
    const struct fm_context *line = itself || !function->id.line ? heaviest_line(function) : NULL;
    const struct fm_context_id *at = line ? &line->id : &function->id;
    return (struct fm_finding_place){function->id.name, at->path, at->line};
}

static double excess_of(const struct fm_path_cost *cost, const struct fm_calltree *calls,
                        const struct fm_rankset *ranks)
{
    if (!cost->ranks || !calls->ranks || !fm_rankset_has(ranks, cost->max_rank))
        return 0;
    return (double)cost->max_ns - (double)cost->sum_ns / calls->ranks;
}

/* Functions of libraries say less than their callers, and so do inlined ones unless they are in the same file. */
static bool is_telling(const struct fm_context *function, const struct fm_context *caller)
{
    return is_function(function) && function->id.module == caller->id.module &&
           (!function->id.inlined || function->id.defined == caller->id.defined);
}

/* The innermost function with most of the time of this one. */
static const struct fm_context *most_specific(const struct fm_context *function)
{
    for (const struct fm_context *at = function->first; at;) {
        bool deeper = is_telling(at, function) && 2 * at->all.of.sum_ns > function->all.of.sum_ns;
        function = deeper ? at : function;
        at = deeper ? at->first : at->next;
    }
    return function;
}

struct fm_finding_place fm_work_uneven_place(const struct fm_calltree *calls, const struct fm_rankset *ranks)
{
    const struct fm_context *best = NULL;
    double most = 0;
    for (const struct fm_context *at = calls->root; at; at = fm_context_after(calls->root, at)) {
        if (!is_function(at) || (!at->mark && !at->parent->mark))
            continue;
        double excess = excess_of(at->mark ? &at->own.of : &at->all.of, calls, ranks);
        if (excess > most) {
            most = excess;
            best = at;
        }
    }
    if (!best)
        return (struct fm_finding_place){"", "", 0};
    return best->mark ? place_of(best, true) : place_of(most_specific(best), false);
}

static bool is_of(const struct fm_path_cost *cost, uint32_t rank)
{
    return cost->ranks == 1 && cost->max_rank == rank;
}

/* Counts a context once: the outermost that no other rank has and that does not lead to MPI. */
static double lone_ns(const struct fm_context *at, uint32_t rank, double least_ns)
{
    bool work = (at->id.kind == FM_CONTEXT_FRAME || at->id.kind == FM_CONTEXT_STATEMENT) && !at->mark;
    bool inside = at->parent && !at->parent->mark && is_of(&at->parent->all.of, rank);
    return work && !inside && is_of(&at->all.of, rank) && (double)at->all.of.sum_ns >= least_ns
               ? (double)at->all.of.sum_ns
               : 0;
}

struct fm_lone_work fm_work_alone(const struct fm_calltree *calls, uint32_t rank, double least_ns)
{
    struct fm_lone_work work = {.place = {"", "", 0}};
    double most = 0;
    for (const struct fm_context *at = calls->root; at; at = fm_context_after(calls->root, at)) {
        double ns = lone_ns(at, rank, least_ns);
        work.ns += ns;
        work.reading_ns += ns > 0 ? fm_io_below_ns(at, fm_context_reads) : 0;
        work.io_ns += ns > 0 ? fm_io_below_ns(at, fm_context_does_io) : 0;
        work.formatting_ns += ns > 0 ? fm_formatting_below_ns(at) : 0;
        if (ns > most) {
            bool line = at->id.kind == FM_CONTEXT_STATEMENT;
            most = ns;
            work.place = line ? (struct fm_finding_place){at->id.name, at->id.path, at->id.line}
                              : place_of(most_specific(at), false);
        }
    }
    return work;
}
