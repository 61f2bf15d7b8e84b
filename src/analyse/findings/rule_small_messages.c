/* SPDX-License-Identifier: BSD-3-Clause */
/* Very many messages that carry little: their cost is that of sending a message, not of their data. */
#include "analyse/findings/rules.h"

#include <string.h>

#include "analyse/balance/group.h"
#include "base/names.h"
#include "base/units.h"

static bool sends(const char *routine)
{
    return fm_names_fit("MPI_Send*\0MPI_Isend*\0MPI_Ssend*\0MPI_Rsend*\0MPI_Bsend*\0MPI_Issend*\0MPI_Put*\0"
                        "MPI_Accumulate*\0",
                        routine);
}

/* Waiting is not part of it: that has another cause. */
static double sending_ns(const struct fm_finding_search *search, const struct fm_event *calls)
{
    for (size_t i = 0; i < search->waits.n; i++) {
        const struct fm_wait *wait = &search->waits.items[i];
        if (wait->site.offset == calls->key.site.offset && wait->routine == calls->key.routine)
            return wait->total_ns - wait->waiting_ns;
    }
    return (double)calls->stats.total_ns;
}

void fm_rule_small_messages(struct fm_finding_search *search)
{
    struct fm_groups sites;
    struct fm_error error;
    if (fm_group_events(search->profile, FM_BY_ROUTINE | FM_BY_SITE, search->arena, &sites, &error)) {
        search->failed = true;
        return;
    }
    for (size_t i = 0; i < sites.n; i++) {
        const struct fm_event *calls = &sites.items[i];
        char count[FM_UNIT_CHARS], size[FM_UNIT_CHARS];
        double messages = (double)calls->stats.count, bytes = fm_ratio((double)calls->stats.bytes, messages);
        double rate = fm_ratio(messages, (double)search->summary->wall_sum_ns / 1e9);
        if (!sends(calls->key.routine) || bytes > fm_finding_limits.small_bytes || rate < fm_finding_limits.small_rate)
            continue;
        double cost_ns = sending_ns(search, calls);
        if (fm_finding_share(search, cost_ns) < fm_finding_limits.small_cost)
            continue;
        struct fm_finding *finding = fm_finding_add(search, cost_ns, false);
        finding->place = fm_finding_site(search, &calls->key.site, calls->key.routine);
        for (size_t r = 0; r < search->profile->n_routines; r++)
            if (!strcmp(search->profile->routines[r].name, calls->key.routine))
                fm_finding_ranks(search, finding, &search->profile->routines[r].ranks);
        fm_finding_evidence(finding, "messages", messages);
        fm_finding_evidence(finding, "messages_per_rank_and_second", rate);
        fm_finding_evidence(finding, "message_avg_bytes", bytes);
        fm_finding_evidence(finding, "call_avg_s", fm_ratio((double)calls->stats.total_ns, messages) / 1e9);
        finding->text = fm_finding_text(search, "Many small messages: each rank sends %s per second of %s at %s",
                                        fm_count_text(count, fm_rounded(rate)), fm_bytes_text(size, bytes),
                                        fm_finding_call_text(search, calls->key.routine, &finding->place));
    }
}
