#include "analyse/counters/counters.h"

#include <math.h>
#include <string.h>

#include "report/sample.h"
#include "tap.h"

static bool about(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

static void rename_counter(struct fm_profile *profile, const char *from, const char *to)
{
    for (size_t i = 0; i < profile->n_counters; i++)
        if (strcmp(profile->counters[i].name, from) == 0)
            profile->counters[i].name = to;
}

int main(void)
{
    struct fm_profile *profile = sample_profile(4);
    struct fm_arena arena = {0};
    struct fm_counter_totals totals;
    double wall_s = (double)fm_profile_wall_ns(profile) * 1e-9;
    tap_ok(fm_counters_find(profile, &arena, &totals) && totals.n == 3 &&
               strcmp(totals.items[0].over_ranks->name, "instructions") == 0,
           "counters in the order in which they were asked for");
    tap_ok(totals.items[0].in_program == 12000000000 &&
               about(fm_counter_rate(&totals.items[0], fm_profile_wall_ns(profile)), 12e9 / wall_s),
           "program rate: (all - in MPI) / the whole run");
    tap_ok(about(totals.ipc, 1.5) && about(totals.program_ipc, 1.5) && isnan(totals.flops_per_s) &&
               isnan(totals.flops_per_cycle) && isnan(totals.of_peak),
           "instructions per cycle; floating point is unknown");
    tap_ok(about(totals.memory_bytes, 64 * 5e6) && about(totals.memory_per_s, 64 * 5e6 / wall_s),
           "bytes from memory: misses times the size of a line");
    rename_counter(profile, "LLC-load-misses", "fp-operations");
    tap_ok(fm_counters_find(profile, &arena, &totals) && about(totals.flops_per_s, 4e6 / wall_s) &&
               about(totals.flops_per_cycle, 4e6 / 8e9) && isnan(totals.memory_bytes) && isnan(totals.memory_per_s),
           "floating point per second and per cycle");
    tap_ok(isnan(totals.peak_per_cycle) && isnan(totals.of_peak), "without the peak of the hosts no fraction of it");
    for (size_t i = 0; i < profile->n_hosts; i++)
        profile->hosts[i].peak_flops_per_cycle = 8;
    tap_ok(fm_counters_find(profile, &arena, &totals) && about(totals.peak_per_cycle, 8) &&
               about(totals.of_peak, 4e6 / 8e9 / 8),
           "the fraction of the peak");
    rename_counter(profile, "fp-operations", "fp-instructions");
    tap_ok(fm_counters_find(profile, &arena, &totals) && about(totals.flops_per_cycle, 4e6 / 8e9) &&
               isnan(totals.of_peak),
           "none if instructions are counted");
    rename_counter(profile, "fp-instructions", "fp-operations");
    struct fm_host *own = profile->hosts, two[] = {own[0], own[0]};
    size_t n_own = profile->n_hosts;
    two[1].peak_flops_per_cycle = 16;
    profile->hosts = two;
    profile->n_hosts = 2;
    tap_ok(fm_counters_find(profile, &arena, &totals) && isnan(totals.peak_per_cycle) && isnan(totals.of_peak),
           "none if the hosts differ");
    profile->hosts = own;
    profile->n_hosts = n_own;
    for (size_t i = 0; i < profile->n_counters; i++)
        profile->counters[i].unsplit = 1;
    tap_ok(fm_counters_find(profile, &arena, &totals) && isnan(totals.program_ipc) &&
               about(totals.flops_per_cycle, 5e6 / 10e9),
           "of all events if those in MPI are unknown");
    fm_arena_destroy(&arena);
    fm_profile_destroy(profile);
    return tap_done();
}
