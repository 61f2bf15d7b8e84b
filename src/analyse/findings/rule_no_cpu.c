/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks without cores of their own: more ranks than cores on a host, or other programs on it. Then times include waiting
 * for a core, and rules about waiting are not applied. */
#include "analyse/findings/rules.h"
#include "base/units.h"

/* With more ranks than cores, all time in which they do not run. Otherwise only what is certain: the CPU time that they
 * lack outside MPI, because in MPI they may sleep. */
static double lost(const struct fm_finding_search *search)
{
    double sum_ns = 0;
    if (search->cores.lack == FM_CORES_FEWER_THAN_RANKS)
        return (1 - search->cores.running) * (double)search->summary->wall_sum_ns;
    for (size_t i = 0; i < search->balance->n; i++)
        sum_ns += (double)search->balance->order[i].not_running_ns;
    return sum_ns;
}

void fm_rule_no_cpu(struct fm_finding_search *search)
{
    const struct fm_core_use *use = &search->cores;
    double lost_ns = lost(search);
    char number[FM_UNIT_CHARS], running[FM_UNIT_CHARS];
    if (use->lack == FM_CORES_ENOUGH || fm_finding_share(search, lost_ns) < fm_finding_limits.no_cpu)
        return;
    struct fm_finding *finding = fm_finding_add(search, lost_ns, false);
    fm_finding_all_ranks(search, finding);
    fm_finding_evidence(finding, "running_fraction", use->running);
    fm_finding_evidence(finding, "preemptions_per_second", use->preemptions);
    fm_finding_evidence(finding, "ranks", use->ranks);
    fm_finding_evidence(finding, "cores", use->cores);
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
