/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/scaling/scale_advice.h"

/* The share of MPI in the time of a run. */
static double time_in_mpi(const struct fm_scale *scale, size_t run)
{
    uint64_t in_mpi = 0, all = fm_scale_cost(scale, 0, run)->all_ns;
    for (uint32_t at = scale->nodes[0].first; at;) {
        if (!fm_context_in_mpi(scale->nodes[at].context)) {
            at = fm_scale_after(scale, 0, at);
            continue;
        }
        in_mpi += fm_scale_cost(scale, at, run)->all_ns;
        while (at && !scale->nodes[at].next) /* skip the subtree: it is included */
            at = scale->nodes[at].parent;
        at = at ? scale->nodes[at].next : 0;
    }
    return all ? (double)in_mpi / (double)all : 0;
}

static double median_without(const double *values, size_t n, size_t without)
{
    double sorted[FM_SCALE_RUNS];
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (i == without)
            continue;
        size_t at = count++;
        for (; at > 0 && sorted[at - 1] > values[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = values[i];
    }
    if (!count)
        return 0;
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

static size_t find_jump(const struct fm_scale_advice *advice)
{
    double rises[FM_SCALE_RUNS];
    size_t n = advice->n - 1, largest = 0;
    for (size_t i = 0; i < n; i++) {
        rises[i] = advice->points[i + 1].waiting - advice->points[i].waiting;
        largest = rises[i] > rises[largest] ? i : largest;
    }
    if (n < 2 || rises[largest] < FM_WAITING_JUMP || rises[largest] < 3 * median_without(rises, n, largest))
        return advice->n;
    return largest;
}

void fm_scale_advise_points(struct fm_scale_advice *advice, enum fm_scale_mode mode, double min_efficiency)
{
    const struct fm_scale_point *first = &advice->points[0];
    bool efficient = true;
    advice->best = 0;
    for (size_t i = 0; i < advice->n; i++) {
        struct fm_scale_point *point = &advice->points[i];
        double more = (double)point->processes / (first->processes ? first->processes : 1);
        double faster = point->total_ns > 0 ? first->total_ns / point->total_ns : 0;
        point->efficiency = mode == FM_SCALE_STRONG ? faster / more : faster;
        point->speedup = mode == FM_SCALE_WEAK ? faster * more : faster;
        efficient = efficient && point->efficiency >= min_efficiency;
        advice->best = efficient ? i : advice->best;
    }
    advice->jump = find_jump(advice);
}

void fm_scale_advise(const struct fm_scale *scale, double min_efficiency, struct fm_scale_advice *advice)
{
    *advice = (struct fm_scale_advice){.n = scale->n_runs};
    for (size_t i = 0; i < scale->n_runs; i++)
        advice->points[i] = (struct fm_scale_point){
            .processes = scale->runs[i].processes,
            .total_ns = fm_scale_total(scale, i),
            .waiting = time_in_mpi(scale, i),
        };
    fm_scale_advise_points(advice, scale->mode, min_efficiency);
}
