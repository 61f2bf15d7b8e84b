/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/efficiency/computation.h"

#include "analyse/balance/summary.h"
#include "analyse/counters/counters.h"
#include "analyse/efficiency/factors.h"

/* Outside MPI, over all ranks. Instructions and cycles are 0 if unknown. */
struct counted_work {
    double ns, instructions, cycles;
    uint32_t ranks;
};

static double in_program(const struct fm_counter_totals *totals, enum fm_counted what, uint32_t ranks)
{
    const struct fm_counter_total *counter = fm_counter_of(totals, what);
    bool known = counter && counter->split && counter->over_ranks->counts.ranks == ranks;
    return known ? (double)counter->in_program : 0;
}

static struct counted_work work_of(const struct fm_profile *profile)
{
    struct fm_spread outside = fm_outside_spread(profile);
    struct counted_work work = {.ns = (double)outside.sum, .ranks = outside.ranks};
    struct fm_arena scratch = {0};
    struct fm_counter_totals totals;
    if (profile->n_counters && fm_counters_find(profile, &scratch, &totals)) {
        work.instructions = in_program(&totals, FM_COUNTED_INSTRUCTIONS, work.ranks);
        work.cycles = in_program(&totals, FM_COUNTED_CYCLES, work.ranks);
    }
    fm_arena_destroy(&scratch);
    return work;
}

struct fm_computation fm_computation_scaling(const struct fm_profile *reference, const struct fm_profile *run,
                                             bool same_problem)
{
    struct counted_work before = work_of(reference), now = work_of(run);
    double size = same_problem ? 1 : fm_ratio(now.ranks, before.ranks); /* how much more work there should be */
    struct fm_computation scaling = {.scaling = size * fm_ratio(before.ns, now.ns)};
    if (before.instructions > 0 && now.instructions > 0 && before.cycles > 0 && now.cycles > 0 && scaling.scaling > 0) {
        scaling.instructions = size * before.instructions / now.instructions;
        scaling.ipc = now.instructions / now.cycles / (before.instructions / before.cycles);
        scaling.frequency = now.cycles / now.ns / (before.cycles / before.ns);
    }
    return scaling;
}
