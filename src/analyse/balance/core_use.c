/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/balance/core_use.h"

#include "base/saturate.h"

static uint64_t outside_mpi(const struct fm_process *process)
{
    return process->wall_ns > process->mpi_ns ? process->wall_ns - process->mpi_ns : 0;
}

uint64_t fm_not_running(const struct fm_process *process)
{
    uint64_t outside = outside_mpi(process), cpu = fm_sum(process->user_ns, process->system_ns);
    return fm_process_has_usage(process) && outside > cpu ? outside - cpu : 0;
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
        outside += (double)outside_mpi(process);
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
