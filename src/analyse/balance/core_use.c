/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/balance/core_use.h"

#include <stdio.h>
#include <string.h>

#include "base/saturate.h"
#include "base/units.h"
#include "base/writer.h"
#include "model/process_index.h"

uint64_t fm_outside_mpi(const struct fm_process *process)
{
    return process->wall_ns > process->mpi_ns ? process->wall_ns - process->mpi_ns : 0;
}

bool fm_lacked_core(const struct fm_process *process)
{
    uint64_t switches, waited;
    if (fm_figure_get(process, FM_FIGURE_runqueue_ns, &waited))
        return (double)waited >= FM_NO_CPU_LEAST * (double)process->wall_ns && (double)waited >= FM_NO_CPU_LEAST_NS;
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

struct fm_no_cpu fm_no_cpu_outside(const struct fm_process *process)
{
    uint64_t outside = fm_outside_mpi(process), waited;
    struct fm_no_cpu without = {.measured = fm_figure_get(process, FM_FIGURE_runqueue_ns, &waited)};
    if (without.measured)
        without.least = waited > process->mpi_ns ? waited - process->mpi_ns : 0;
    else
        without.least = fm_not_running(process);
    without.most = without.measured ? waited : beyond_cpu_time(process, process->wall_ns);
    without.least = without.least < outside ? without.least : outside;
    without.most = without.most > without.least ? without.most : without.least;
    without.most = without.most < outside ? without.most : outside;
    return without;
}

/* Whether some ranks have fewer cores each than those found so far. */
static bool are_denser(uint64_t ranks, uint64_t cores, const struct fm_core_use *use)
{
    return cores && (!use->cores || ranks * use->cores > use->ranks * cores);
}

/* Ranks of a host that may run from the same CPU on: they share all their CPUs, or the rank with the most of them has more
 * than is assumed here. */
static void find_bound(const struct fm_profile *profile, const struct fm_host *host, struct fm_core_use *use)
{
    enum { CPUS = 4096 };
    struct {
        uint32_t ranks, cpus;
    } from[CPUS] = {{0, 0}};
    for (size_t i = 0; i < host->ranks.n; i++) {
        size_t k = fm_process_index(profile, host->ranks.ranges[i].first);
        for (; k < profile->n_processes && profile->processes[k].rank <= host->ranks.ranges[i].last; k++) {
            const struct fm_process *process = &profile->processes[k];
            bool again = k > 0 && process[-1].rank == process->rank;
            if (again || process->first_cpu >= CPUS || process->allowed_cpus >= host->cores)
                continue;
            uint32_t cpus = (uint32_t)process->allowed_cpus, *most = &from[process->first_cpu].cpus;
            *most = cpus > *most ? cpus : *most;
            from[process->first_cpu].ranks++;
        }
    }
    for (size_t i = 0; i < CPUS; i++)
        if (from[i].ranks > from[i].cpus && are_denser(from[i].ranks, from[i].cpus, use)) {
            use->ranks = from[i].ranks;
            use->cores = from[i].cpus;
            use->bound = true;
        }
}

static void find_host(const struct fm_profile *profile, struct fm_core_use *use)
{
    for (size_t i = 0; i < profile->n_hosts; i++) {
        const struct fm_host *host = &profile->hosts[i];
        uint64_t ranks = fm_rankset_count(&host->ranks);
        if (are_denser(ranks, host->cores, use)) {
            use->ranks = (uint32_t)ranks;
            use->cores = host->cores;
        }
    }
    for (size_t i = 0; i < profile->n_hosts; i++)
        find_bound(profile, &profile->hosts[i], use);
}

static void add_waiting(const struct fm_process *process, struct fm_core_use *use, double *wall_ns)
{
    uint64_t waited;
    if (process->end == FM_END_MISSING || !fm_figure_get(process, FM_FIGURE_runqueue_ns, &waited))
        return;
    waited = waited < process->wall_ns ? waited : process->wall_ns;
    *wall_ns += (double)process->wall_ns;
    use->no_cpu_ns += (double)waited;
    use->processes++;
    double share = process->wall_ns ? (double)waited / (double)process->wall_ns : 0;
    if ((double)waited >= FM_NO_CPU_LEAST_NS && share > use->no_cpu_most) {
        use->no_cpu_most = share;
        use->no_cpu_rank = process->rank;
    }
}

/* Returns whether preemptions are known. */
static bool add_processes(const struct fm_profile *profile, struct fm_core_use *use)
{
    double wall = 0, cpu = 0, outside = 0, stopped = 0, counted_s = 0, preemptions = 0, waiting_wall = 0;
    for (size_t i = 0; i < profile->n_processes; i++) {
        const struct fm_process *process = &profile->processes[i];
        uint64_t switches;
        add_waiting(process, use, &waiting_wall);
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
    use->no_cpu = waiting_wall > 0 ? use->no_cpu_ns / waiting_wall : FM_NO_CPU_UNKNOWN;
    use->preemptions = counted_s > 0 ? preemptions / counted_s : 0;
    use->outside = outside > 0 ? 1 - stopped / outside : 1;
    use->running = wall > 0 && cpu < wall ? cpu / wall : 1;
    return counted_s > 0;
}

static bool lacks(const struct fm_core_use *use)
{
    if (use->no_cpu < 0)
        return use->preemptions > FM_PREEMPTIONS_MOST;
    return (use->no_cpu >= FM_NO_CPU_LEAST && use->no_cpu_most > 0) || use->no_cpu_most >= FM_NO_CPU_RANK;
}

struct fm_core_use fm_core_use(const struct fm_profile *profile)
{
    struct fm_core_use use = {.lack = FM_CORES_ENOUGH};
    find_host(profile, &use);
    bool known = add_processes(profile, &use);
    if (use.ranks > use.cores && (use.no_cpu < 0 || lacks(&use)))
        use.lack = FM_CORES_FEWER_THAN_RANKS;
    else if (lacks(&use))
        use.lack = FM_CORES_PREEMPTED;
    else if (use.no_cpu < 0 && !known && use.outside < FM_RUNNING_LEAST)
        use.lack = FM_CORES_NOT_RUNNING;
    return use;
}

const char *fm_ranks_on_cores(char text[FM_RANKS_ON_CORES_CHARS], const struct fm_core_use *use)
{
    char cores[24];
    if (use->cores == 1)
        snprintf(cores, sizeof cores, "%s", use->bound ? "core" : "1 core");
    else
        snprintf(cores, sizeof cores, "%u cores", use->cores);
    snprintf(text, FM_RANKS_ON_CORES_CHARS, "%u ranks %s %s", use->ranks, use->bound ? "bound to the same" : "on",
             cores);
    return text;
}

const char *fm_no_cpu_text(const struct fm_core_use *use, struct fm_arena *arena)
{
    struct fm_writer writer = {.arena = arena};
    char mean[FM_UNIT_CHARS], most[FM_UNIT_CHARS], ranks[FM_RANKS_ON_CORES_CHARS];
    if (use->no_cpu < 0 || !lacks(use))
        return "";
    fm_percent_whole(mean, use->no_cpu);
    fm_percent_whole(most, use->no_cpu_most);
    if (use->processes == 1)
        fm_write(&writer, "The program had no CPU for %s of its time", mean);
    else if (strcmp(mean, most) == 0)
        fm_write(&writer, "The ranks had no CPU for %s of their time: ", mean);
    else
        fm_write(&writer, "The ranks had no CPU for %s of their time (rank %u: %s): ", mean, use->no_cpu_rank, most);
    if (use->processes > 1 && use->lack == FM_CORES_FEWER_THAN_RANKS)
        fm_write(&writer, "%s", fm_ranks_on_cores(ranks, use));
    else if (use->processes > 1)
        fm_write(&writer, "they shared cores with each other or with other processes, or had a limit of CPU time");
    return fm_writer_text(&writer);
}
