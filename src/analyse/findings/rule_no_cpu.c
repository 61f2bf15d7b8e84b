/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks without cores of their own: more ranks than cores on a host, or other programs on it. Then times include waiting
 * for a core, and rules about waiting are not applied. */
#include "analyse/efficiency/factors.h"
#include "analyse/efficiency/thread_use.h"
#include "analyse/findings/rules.h"
#include "base/units.h"

/* If the time without a CPU is not measured: with more ranks than cores, all time in which they do not run. Otherwise only
 * what is certain: the CPU time that they lack outside MPI, because in MPI they may sleep. */
static double estimate(const struct fm_finding_search *search)
{
    double sum_ns = 0;
    if (search->cores.lack == FM_CORES_FEWER_THAN_RANKS)
        return (1 - search->cores.running) * (double)search->summary->wall_sum_ns;
    for (size_t i = 0; i < search->balance->n; i++)
        sum_ns += (double)search->balance->order[i].not_running_ns;
    return sum_ns;
}

static struct fm_finding *add(struct fm_finding_search *search, double lost_ns, bool measured)
{
    const struct fm_core_use *use = &search->cores;
    struct fm_finding *finding = fm_finding_add(search, lost_ns, measured);
    fm_finding_all_ranks(search, finding);
    fm_finding_evidence(finding, "running_fraction", use->running);
    fm_finding_evidence(finding, "preemptions_per_second", use->preemptions);
    fm_finding_evidence(finding, "ranks", use->ranks);
    fm_finding_evidence(finding, "cores", use->cores);
    fm_finding_evidence(finding, "bound", use->bound);
    return finding;
}

/* The fewest CPUs that a process may use; UINT64_MAX if unknown. */
static uint64_t fewest_cpus(const struct fm_profile *profile)
{
    uint64_t fewest = UINT64_MAX;
    for (size_t i = 0; i < profile->n_processes; i++) {
        uint64_t cpus = profile->processes[i].allowed_cpus;
        if (profile->processes[i].end != FM_END_MISSING && cpus && cpus != FM_UNKNOWN && cpus < fewest)
            fewest = cpus;
    }
    return fewest;
}

/* Threads of OpenMP for which there are not enough cores: ranks bound to fewer cores than they have threads, as mpirun
 * does unless it is told otherwise, or too many of them on a host. */
static void add_threads(struct fm_finding_search *search, struct fm_finding *finding)
{
    const struct fm_core_use *use = &search->cores;
    if (!search->calls.root)
        return;
    struct fm_thread_use threads = fm_thread_use_find(&search->calls, search->profile->paths.period_ns[1],
                                                      search->summary->wall_sum_ns,
                                                      fm_outside_spread(search->profile).sum);
    uint64_t n = threads.known ? (uint64_t)(threads.threads + 0.5) : 1, cpus = fewest_cpus(search->profile);
    if (n < 2)
        return;
    fm_finding_evidence(finding, "threads_per_rank", threads.threads);
    if (n > cpus)
        finding->text = fm_finding_text(search, "%s; %s about %llu threads on %llu core%s", finding->text,
                                        use->processes == 1 ? "it has" : "each has", (unsigned long long)n,
                                        (unsigned long long)cpus, cpus == 1 ? "" : "s");
    else if (use->cores && n * use->ranks > use->cores)
        finding->text = fm_finding_text(search, "%s; %u rank%s of about %llu threads on %u core%s", finding->text,
                                        use->ranks, use->ranks == 1 ? "" : "s", (unsigned long long)n, use->cores,
                                        use->cores == 1 ? "" : "s");
}

static void find_measured(struct fm_finding_search *search)
{
    const struct fm_core_use *use = &search->cores;
    struct fm_finding *finding = add(search, use->no_cpu_ns, true);
    fm_finding_evidence(finding, "no_cpu_fraction", use->no_cpu);
    fm_finding_evidence(finding, "no_cpu_max_fraction", use->no_cpu_most);
    finding->text = fm_no_cpu_text(use, search->arena);
    search->failed |= !finding->text;
    if (finding->text)
        add_threads(search, finding);
}

static void find_estimated(struct fm_finding_search *search)
{
    const struct fm_core_use *use = &search->cores;
    double lost_ns = estimate(search);
    char number[FM_UNIT_CHARS], running[FM_UNIT_CHARS];
    if (fm_finding_share(search, lost_ns) < fm_finding_limits.no_cpu)
        return;
    struct fm_finding *finding = add(search, lost_ns, false);
    fm_percent_whole(running, use->running);
    if (use->lack == FM_CORES_FEWER_THAN_RANKS)
        finding->text = fm_finding_text(search, "%u ranks share %u core%s, and run %s of the time", use->ranks,
                                        use->cores, use->cores == 1 ? "" : "s", running);
    else if (use->lack == FM_CORES_PREEMPTED)
        finding->text = fm_finding_text(search,
                                        "Other programs take the cores from the ranks, %s times per second of CPU "
                                        "time: they run %s of the time",
                                        fm_count_text(number, fm_rounded(use->preemptions)), running);
    else
        finding->text = fm_finding_text(search, "The ranks run only %s of the time", running);
}

void fm_rule_no_cpu(struct fm_finding_search *search)
{
    if (search->cores.lack == FM_CORES_ENOUGH)
        return;
    if (search->cores.no_cpu >= 0)
        find_measured(search);
    else
        find_estimated(search);
}
