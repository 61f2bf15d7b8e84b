/* SPDX-License-Identifier: BSD-3-Clause */
/* Small reductions that follow each other and could be one (analyse/balance/mergeable.h). */
#include "analyse/findings/rules.h"
#include "analyse/findings/series_text.h"

#include <string.h>

void fm_rule_successive(struct fm_finding_search *search)
{
    struct fm_mergeables series;
    struct fm_error error;
    if (fm_mergeables_find(search->profile, search->summary->wall_sum_ns, search->arena, &series, &error)) {
        search->failed = true;
        return;
    }
    for (size_t i = 0; i < series.n; i++) {
        const struct fm_mergeable *calls = &series.items[i];
        struct fm_finding *finding = fm_finding_add(search, (double)calls->cost_ns, false);
        const char *places = fm_series_places(calls, search->symbols, search->arena);
        const char *times = fm_series_times(calls, search->arena);
        for (size_t k = 0; k < search->profile->n_successions; k++) {
            const struct fm_succession *pair = &search->profile->successions[k];
            if (!strcmp(pair->routine, calls->routine) && pair->first.offset == calls->sites[0]->offset)
                fm_finding_ranks(search, finding, &pair->ranks);
        }
        finding->place = fm_finding_site(search, calls->sites[0], calls->routine);
        fm_finding_evidence(finding, "times_per_rank", calls->times);
        fm_finding_evidence(finding, "call_sites", (double)calls->n_sites);
        finding->text = fm_finding_text(search, "The %s at %s %s, and could be one", calls->routine,
                                        places ? places : "?", times ? times : "?");
    }
}
