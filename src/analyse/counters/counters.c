/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/counters/counters.h"

#include <math.h>
#include <string.h>

#include "base/search.h"

/* The kernel's times of an event that was counted all the time can differ by less than this. */
enum { PER_MILLE = 1 };

static bool is_scaled(const struct fm_counter *counter)
{
    return (double)counter->running_ns < (double)counter->enabled_ns * (1 - PER_MILLE * 1e-3);
}

/* The items of one name: by rank, and at last over all ranks. */
static struct fm_counter_total total_of(const struct fm_counter *first, size_t n)
{
    const struct fm_counter *all = &first[n - 1];
    struct fm_counter_total total = {
        .over_ranks = all,
        .by_rank = first,
        .n_by_rank = n - 1,
        .count = all->counts.sum,
        .split = !all->unsplit && all->in_mpis.ranks == all->counts.ranks,
        .scaled = is_scaled(all),
    };
    total.in_mpi = total.split ? all->in_mpis.sum : 0;
    total.in_program = total.count > total.in_mpi ? total.count - total.in_mpi : 0;
    return total;
}

static void insert(struct fm_counter_totals *totals, struct fm_counter_total total)
{
    size_t i = totals->n++;
    for (; i > 0 && totals->items[i - 1].over_ranks->position > total.over_ranks->position; i--)
        totals->items[i] = totals->items[i - 1];
    totals->items[i] = total;
}

const struct fm_counter_total *fm_counter_of(const struct fm_counter_totals *totals, enum fm_counted what)
{
    static const char *const names_of[][3] = {
        [FM_COUNTED_INSTRUCTIONS] = {"instructions"},
        [FM_COUNTED_CYCLES] = {"cycles", "cpu-cycles"},
        [FM_COUNTED_FLOPS] = {"fp-operations", "fp-instructions"},
        [FM_COUNTED_MISSES] = {"LLC-load-misses", "cache-misses"},
    };
    for (const char *const *names = names_of[what]; *names; names++)
        for (size_t i = 0; i < totals->n; i++)
            if (strcmp(totals->items[i].over_ranks->name, *names) == 0)
                return &totals->items[i];
    return NULL;
}

bool fm_counter_has_operations(const struct fm_counter_total *total)
{
    return strcmp(total->over_ranks->name, "fp-operations") == 0;
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : NAN;
}

/* Of all hosts; 0 if they differ or it is not known. */
static unsigned line_bytes(const struct fm_profile *profile)
{
    enum { USUAL = 64, A64FX = 256 };
    unsigned bytes = 0;
    for (size_t i = 0; i < profile->n_hosts; i++) {
        unsigned own = strstr(profile->hosts[i].cpu, "A64FX") ? A64FX : USUAL;
        if (bytes && bytes != own)
            return 0;
        bytes = own;
    }
    return bytes;
}

static double peak_per_cycle(const struct fm_profile *profile)
{
    uint64_t peak = FM_UNKNOWN;
    for (size_t i = 0; i < profile->n_hosts; i++) {
        if (i && profile->hosts[i].peak_flops_per_cycle != peak)
            return NAN;
        peak = profile->hosts[i].peak_flops_per_cycle;
    }
    return peak == FM_UNKNOWN ? NAN : (double)peak;
}

static void derive(const struct fm_profile *profile, struct fm_counter_totals *totals)
{
    const struct fm_counter_total *instructions = fm_counter_of(totals, FM_COUNTED_INSTRUCTIONS);
    const struct fm_counter_total *cycles = fm_counter_of(totals, FM_COUNTED_CYCLES);
    const struct fm_counter_total *flops = fm_counter_of(totals, FM_COUNTED_FLOPS);
    const struct fm_counter_total *misses = fm_counter_of(totals, FM_COUNTED_MISSES);
    uint64_t wall_ns = fm_profile_wall_ns(profile);
    totals->ipc = totals->program_ipc = totals->flops_per_s = totals->flops_per_cycle = NAN;
    totals->memory_bytes = totals->memory_per_s = totals->of_peak = NAN;
    totals->peak_per_cycle = peak_per_cycle(profile);
    if (instructions && cycles) {
        totals->ipc = ratio((double)instructions->count, (double)cycles->count);
        if (instructions->split && cycles->split)
            totals->program_ipc = ratio((double)instructions->in_program, (double)cycles->in_program);
    }
    if (flops)
        totals->flops_per_s = fm_counter_rate(flops, wall_ns);
    if (flops && cycles && flops->split == cycles->split) /* in_program is all of it without a split */
        totals->flops_per_cycle = ratio((double)flops->in_program, (double)cycles->in_program);
    if (flops && fm_counter_has_operations(flops))
        totals->of_peak = ratio(totals->flops_per_cycle, totals->peak_per_cycle);
    if (misses && line_bytes(profile)) {
        totals->memory_bytes = (double)misses->count * line_bytes(profile);
        totals->memory_per_s = ratio(totals->memory_bytes * 1e9, (double)wall_ns);
    }
}

bool fm_counters_find(const struct fm_profile *profile, struct fm_arena *arena, struct fm_counter_totals *totals)
{
    const struct fm_counter *all = profile->counters;
    *totals = (struct fm_counter_totals){.items = fm_arena_alloc(arena, profile->n_counters * sizeof *totals->items)};
    if (!totals->items)
        return false;
    for (size_t first = 0, end; first < profile->n_counters; first = end) {
        for (end = first + 1; end < profile->n_counters && strcmp(all[end].name, all[first].name) == 0;)
            end++;
        if (all[end - 1].rank != FM_NO_RANK)
            continue; /* no valid profile is like that */
        insert(totals, total_of(&all[first], end - first));
        totals->hardware |= !all[end - 1].software;
    }
    derive(profile, totals);
    return true;
}

const struct fm_counter *fm_counter_of_rank(const struct fm_counter_total *total, uint32_t rank)
{
    size_t i = FM_FIRST_AT_LEAST(total->by_rank, total->n_by_rank, rank, rank);
    return i < total->n_by_rank && total->by_rank[i].rank == rank ? &total->by_rank[i] : NULL;
}

double fm_counter_rate(const struct fm_counter_total *total, uint64_t wall_ns)
{
    return ratio((double)total->in_program * 1e9, (double)wall_ns);
}
