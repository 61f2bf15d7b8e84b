/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks without cores of their own: more ranks than cores on a host, or other programs on it. Then times include waiting
 * for a core, and rules about waiting are not applied. */
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

static void find_measured(struct fm_finding_search *search)
{
    const struct fm_core_use *use = &search->cores;
    struct fm_finding *finding = add(search, use->no_cpu_ns, true);
    fm_finding_evidence(finding, "no_cpu_fraction", use->no_cpu);
    fm_finding_evidence(finding, "no_cpu_max_fraction", use->no_cpu_most);
    finding->text = fm_no_cpu_text(use, search->arena);
    search->failed |= !finding->text;
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
