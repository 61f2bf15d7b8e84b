/* SPDX-License-Identifier: BSD-3-Clause */
/* The ranks of a host use nearly all of its memory, or of what a control group allows them. */
#include "analyse/findings/rules.h"
#include "base/units.h"

/* The most that the ranks of each host have used, not necessarily at the same time. NULL if out of memory. */
static double *used_bytes(struct fm_finding_search *search)
{
    const struct fm_profile *profile = search->profile;
    double *used = fm_arena_alloc(search->arena, (profile->n_hosts + 1) * sizeof *used);
    search->failed |= !used;
    for (size_t h = 0; used && h < profile->n_hosts; h++)
        used[h] = 0;
    for (size_t i = 0; used && i < profile->n_processes; i++) {
        const struct fm_process *process = &profile->processes[i];
        if (process->end != FM_END_MISSING && process->host < profile->n_hosts && fm_process_has_usage(process))
            used[process->host] += (double)process->max_rss_bytes;
    }
    return used;
}

static bool is_limited(const struct fm_host *host)
{
    return host->limit_bytes != FM_UNKNOWN && host->limit_bytes &&
           (!host->memory_bytes || host->limit_bytes < host->memory_bytes);
}

void fm_rule_memory(struct fm_finding_search *search)
{
    const struct fm_profile *profile = search->profile;
    const double *used = used_bytes(search);
    for (size_t h = 0; used && h < profile->n_hosts; h++) {
        const struct fm_host *host = &profile->hosts[h];
        char use[FM_UNIT_CHARS], all[FM_UNIT_CHARS];
        bool limited = is_limited(host);
        double bytes = (double)(limited ? host->limit_bytes : host->memory_bytes);
        if (bytes == 0 || used[h] < fm_finding_limits.memory * bytes)
            continue;
        struct fm_finding *finding = fm_finding_add(search, 0, false);
        fm_finding_ranks(search, finding, &host->ranks);
        fm_finding_evidence(finding, "used_bytes", used[h]);
        fm_finding_evidence(finding, limited ? "limit_bytes" : "memory_bytes", bytes);
        finding->text = fm_finding_text(search, "The memory %s host %s is nearly full: %s use up to %s of %s",
                                        limited ? "that the job may use on" : "of", host->name,
                                        fm_finding_ranks_text(search, &host->ranks), fm_bytes_text(use, used[h]),
                                        fm_bytes_text(all, bytes));
    }
}
