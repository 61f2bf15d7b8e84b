/* SPDX-License-Identifier: BSD-3-Clause */
/* The ranks of a host use nearly all of its memory. */
#include "analyse/findings/rules.h"
#include "base/units.h"

void fm_rule_memory(struct fm_finding_search *search)
{
    const struct fm_profile *profile = search->profile;
    for (size_t h = 0; h < profile->n_hosts; h++) {
        const struct fm_host *host = &profile->hosts[h];
        double used = 0;
        char use[FM_UNIT_CHARS], all[FM_UNIT_CHARS];
        for (size_t i = 0; i < profile->n_processes; i++) {
            const struct fm_process *process = &profile->processes[i];
            bool there = process->end != FM_END_MISSING && process->host == h && fm_process_has_usage(process);
            used += there ? (double)process->max_rss_bytes : 0;
        }
        if (!host->memory_bytes || used < fm_finding_limits.memory * (double)host->memory_bytes)
            continue;
        struct fm_finding *finding = fm_finding_add(search, 0, false);
        fm_finding_ranks(search, finding, &host->ranks);
        fm_finding_evidence(finding, "used_bytes", used);
        fm_finding_evidence(finding, "memory_bytes", (double)host->memory_bytes);
        finding->text = fm_finding_text(search, "The memory of host %s is nearly full: %s use up to %s of %s",
                                        host->name, fm_finding_ranks_text(search, &host->ranks),
                                        fm_bytes_text(use, used), fm_bytes_text(all, (double)host->memory_bytes));
    }
}
