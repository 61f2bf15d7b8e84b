/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/findings/turns.h"

#include <string.h>

#include "base/units.h"

double fm_turns_part(const struct fm_finding_search *search)
{
    const struct fm_balance *balance = search->balance;
    double longest = 0, sum = 0;
    for (size_t i = 0; i < balance->n; i++) {
        double work = (double)balance->order[i].work_ns;
        longest = work > longest ? work : longest;
        sum += work;
    }
    double explained = longest * (double)balance->n - sum + search->disturbed_ns;
    double part = 1 - fm_ratio(explained, search->waits.waiting_ns);
    return search->waits.waiting_ns > 0 && part > 0 ? part : 0;
}

static void set_ranks(struct fm_finding_search *search, struct fm_finding *finding, const char *routine)
{
    for (size_t i = 0; i < search->profile->n_routines; i++)
        if (!strcmp(search->profile->routines[i].name, routine))
            fm_finding_ranks(search, finding, &search->profile->routines[i].ranks);
}

struct fm_finding *fm_turns_find(struct fm_finding_search *search, enum fm_wait_kind kind, double least,
                                 const struct fm_wait **heaviest)
{
    double waiting_ns = 0, part = fm_turns_part(search);
    *heaviest = NULL;
    for (size_t i = 0; i < search->waits.n; i++) {
        const struct fm_wait *wait = &search->waits.items[i];
        if (wait->kind != kind || wait->waiting_calls < fm_finding_limits.wait_calls * (double)wait->calls)
            continue;
        waiting_ns += wait->waiting_ns;
        *heaviest = *heaviest ? *heaviest : wait;
    }
    double cost_ns = part * waiting_ns;
    if (!*heaviest || search->summary->measured < 2 || fm_finding_share(search, cost_ns) < least)
        return NULL;
    struct fm_finding *finding = fm_finding_add(search, cost_ns, false);
    finding->place = fm_finding_site(search, &(*heaviest)->site, (*heaviest)->routine);
    set_ranks(search, finding, (*heaviest)->routine);
    fm_finding_evidence(finding, "waiting_s", waiting_ns / 1e9);
    fm_finding_evidence(finding, "unexplained_fraction", part);
    fm_finding_evidence(finding, "calls", (double)(*heaviest)->calls);
    fm_finding_evidence(finding, "calls_waiting_fraction",
                        fm_ratio((*heaviest)->waiting_calls, (double)(*heaviest)->calls));
    fm_finding_evidence(finding, "call_avg_s", fm_ratio((*heaviest)->total_ns, (double)(*heaviest)->calls) / 1e9);
    fm_finding_evidence(finding, "call_floor_s", (*heaviest)->floor_ns / 1e9);
    return finding;
}

const char *fm_turns_times(struct fm_finding_search *search, const struct fm_wait *wait)
{
    char average[FM_UNIT_CHARS], waiting[FM_UNIT_CHARS];
    return fm_finding_text(search, ": %s a call, %s of it waiting",
                           fm_time_text(average, fm_ratio(wait->total_ns, (double)wait->calls)),
                           fm_time_text(waiting, fm_ratio(wait->waiting_ns, (double)wait->calls)));
}
