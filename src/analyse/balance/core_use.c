/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/balance/core_use.h"

#include "base/saturate.h"

uint64_t fm_outside_mpi(const struct fm_process *process)
{
    return process->wall_ns > process->mpi_ns ? process->wall_ns - process->mpi_ns : 0;
}

bool fm_lacked_core(const struct fm_process *process)
{
    uint64_t switches, waited;
    if (fm_figure_get(process, FM_FIGURE_runqueue_ns, &waited))
        return (double)waited >= FM_NO_CPU_LEAST * (double)process->wall_ns && waited;
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

/* CPU time may be that of other threads too, time without a CPU is that of the main thread alone. */
uint64_t fm_not_running(const struct fm_process *process)
{
    uint64_t beyond = beyond_cpu_time(process, fm_outside_mpi(process)), waited;
    if (fm_figure_get(process, FM_FIGURE_runqueue_ns, &waited) && waited > fm_sum(process->mpi_ns, beyond))
        return waited - process->mpi_ns;
    return beyond;
}

uint64_t fm_not_running_most(const struct fm_process *process)
{
    uint64_t outside = fm_outside_mpi(process), least = fm_not_running(process), most;
    if (!fm_figure_get(process, FM_FIGURE_runqueue_ns, &most))
        most = beyond_cpu_time(process, process->wall_ns);
    most = most > least ? most : least;
    return most < outside ? most : outside;
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
    double wall = 0, cpu = 0, outside = 0, stopped = 0, counted_s = 0, preemptions = 0, waited = 0, waiting_wall = 0;
    for (size_t i = 0; i < profile->n_processes; i++) {
        const struct fm_process *process = &profile->processes[i];
        uint64_t switches, runqueue;
        if (fm_figure_get(process, FM_FIGURE_runqueue_ns, &runqueue)) {
            waited += (double)runqueue;
            waiting_wall += (double)process->wall_ns;
        }
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
    use->no_cpu = waiting_wall > 0 ? waited / waiting_wall : FM_NO_CPU_UNKNOWN;
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
    else if (use.no_cpu >= 0 ? use.no_cpu >= FM_NO_CPU_LEAST : use.preemptions > FM_PREEMPTIONS_MOST)
        use.lack = FM_CORES_PREEMPTED;
    else if (use.no_cpu < 0 && !known && use.outside < FM_RUNNING_LEAST)
        use.lack = FM_CORES_NOT_RUNNING;
    return use;
}
