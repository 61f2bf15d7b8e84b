/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/balance/core_use.h"

#include "base/saturate.h"

uint64_t fm_outside_mpi(const struct fm_process *process)
{
    return process->wall_ns > process->mpi_ns ? process->wall_ns - process->mpi_ns : 0;
}

bool fm_was_preempted(const struct fm_process *process)
{
    uint64_t switches;
    double cpu_s = ((double)process->user_ns + (double)process->system_ns) / 1e9;
    return fm_process_has_usage(process) && fm_figure_get(process, FM_FIGURE_involuntary_switches, &switches) &&
           (double)switches > FM_PREEMPTIONS_MOST * cpu_s;
}

/* How much of a span the CPU time cannot have filled. */
static uint64_t beyond_cpu_time(const struct fm_process *process, uint64_t span_ns)
{
    uint64_t cpu = fm_sum(process->user_ns, process->system_ns);
    return fm_process_has_usage(process) && span_ns > cpu ? span_ns - cpu : 0;
}

uint64_t fm_not_running(const struct fm_process *process)
{
    return beyond_cpu_time(process, fm_outside_mpi(process));
}

uint64_t fm_not_running_most(const struct fm_process *process)
{
    uint64_t outside = fm_outside_mpi(process), missing = beyond_cpu_time(process, process->wall_ns);
    return missing < outside ? missing : outside;
}

static void find_host(const struct fm_profile *profile, struct fm_core_use *use)
{
    for (size_t i = 0; i < profile->n_hosts; i++) {
        const struct fm_host *host = &profile->hosts[i];
        uint64_t ranks = fm_rankset_count(&host->ranks);
        if (host->cores && (!use->cores || ranks * use->cores > (uint64_t)use->ranks * host->cores)) {
            use->ranks = (uint32_t)ranks;
            use->cores = host->cores;
        }
    }
}

/* Returns whether preemptions are known. */
static bool add_processes(const struct fm_profile *profile, struct fm_core_use *use)
{
    double wall = 0, cpu = 0, outside = 0, stopped = 0, counted_s = 0, preemptions = 0;
    for (size_t i = 0; i < profile->n_processes; i++) {
        const struct fm_process *process = &profile->processes[i];
        uint64_t switches;
        if (process->end == FM_END_MISSING || !fm_process_has_usage(process))
            continue;
        wall += (double)process->wall_ns;
        cpu += (double)process->user_ns + (double)process->system_ns;
        outside += (double)fm_outside_mpi(process);
        stopped += (double)fm_not_running(process);
        if (fm_figure_get(process, FM_FIGURE_involuntary_switches, &switches)) {
            preemptions += (double)switches;
            counted_s += ((double)process->user_ns + (double)process->system_ns) / 1e9;
        }
    }
    use->preemptions = counted_s > 0 ? preemptions / counted_s : 0;
    use->outside = outside > 0 ? 1 - stopped / outside : 1;
    use->running = wall > 0 && cpu < wall ? cpu / wall : 1;
    return counted_s > 0;
}

struct fm_core_use fm_core_use(const struct fm_profile *profile)
{
    struct fm_core_use use = {.lack = FM_CORES_ENOUGH};
    find_host(profile, &use);
    bool known = add_processes(profile, &use);
    if (use.ranks > use.cores)
        use.lack = FM_CORES_FEWER_THAN_RANKS;
    else if (use.preemptions > FM_PREEMPTIONS_MOST)
        use.lack = FM_CORES_PREEMPTED;
    else if (!known && use.outside < FM_RUNNING_LEAST)
        use.lack = FM_CORES_NOT_RUNNING;
    return use;
}
