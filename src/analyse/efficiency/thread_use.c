/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/efficiency/thread_use.h"

#include <math.h>
#include <string.h>

#include "analyse/balance/summary.h"
#include "analyse/calls/thread_runtimes.h"
#include "analyse/calls/workers.h"

static const double MIN_THREADS = 1.05; /* of a process on average; fewer are hardly used */

/* What a context belongs to, in its mark: a state of a thread, MPI, or the start and the end of MPI. */
enum { IN_MPI = FM_THREAD_WAITS + 1, STARTS_MPI };

static uint32_t state_of(const struct fm_context *at)
{
    uint32_t above = at->parent->id.kind == FM_CONTEXT_ROOT ? FM_THREAD_PROGRAM : at->parent->mark;
    if (above == STARTS_MPI || fm_context_starts_mpi(at))
        return STARTS_MPI;
    if (above == IN_MPI || fm_context_in_mpi(at))
        return IN_MPI;
    if (strcmp(at->id.name, FM_WORKERS) == 0)
        return FM_THREAD_WAITS;
    return at->id.kind == FM_CONTEXT_FRAME ? fm_thread_state_in(above, at) : above;
}

static bool is_leaf(const struct fm_context *at)
{
    return at->id.kind != FM_CONTEXT_FRAME && at->id.kind != FM_CONTEXT_GAP; /* these have the time of their leaves */
}

/* Most programs start their threads after MPI, and have no use for them before: the start and the end are left out. */
struct fm_thread_use fm_thread_use_find(struct fm_calltree *calls, uint64_t period_ns, uint64_t wall_ns,
                                        uint64_t outside_ns)
{
    struct fm_context *root = calls->root;
    double work = 0, starting = 0;
    bool has_runtime = false;
    for (struct fm_context *at = root->first; at; at = fm_context_after(root, at)) {
        at->mark = state_of(at);
        has_runtime |= at->mark == FM_THREAD_WAITS || at->mark == FM_THREAD_WORKS;
        work += is_leaf(at) && at->mark <= FM_THREAD_WORKS ? (double)at->own.of.sum_ns : 0;
        starting += is_leaf(at) && at->mark == STARTS_MPI ? (double)at->own.of.sum_ns : 0;
    }
    double whole = (double)root->all.of.sum_ns - starting, wall = (double)wall_ns - starting;
    double threads = fm_ratio(whole, wall), outside = threads * (double)outside_ns;
    if (!has_runtime || threads < MIN_THREADS || outside <= 0)
        return (struct fm_thread_use){0};
    double efficiency = work < outside ? work / outside : 1, samples = fm_ratio(outside, (double)period_ns);
    double error = samples > 0 ? 1.96 * sqrt(efficiency * (1 - efficiency) / samples) + 1 / samples : 0;
    return (struct fm_thread_use){.known = true, .threads = threads, .efficiency = efficiency, .error = error};
}
