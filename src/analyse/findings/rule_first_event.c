/* SPDX-License-Identifier: BSD-3-Clause */
/* The first event of a timer takes much longer than all others. */
#include "analyse/findings/rules.h"
#include "base/units.h"

#include <string.h>

/* What its first event takes longer than the second longest one; 0 if that is not remarkable. */
static double excess_of(const struct fm_timer *timer)
{
    bool first = timer->longest.event == 1 && timer->second.event && timer->events.ranks &&
                 (double)timer->events.min >= fm_finding_limits.first_events;
    if (!first || (double)timer->longest.ns < fm_finding_limits.first_times * (double)timer->second.ns)
        return 0;
    return (double)timer->longest.ns - (double)timer->second.ns;
}

/* If most of it is in a timer that it contains, that one is reported. */
static bool is_inside_another(const struct fm_profile *profile, const struct fm_timer *timer)
{
    for (size_t i = 0; i < profile->n_timers; i++)
        if (!strcmp(profile->timers[i].parent, timer->name) && 2 * excess_of(&profile->timers[i]) > excess_of(timer))
            return true;
    return false;
}

void fm_rule_first_event(struct fm_finding_search *search)
{
    for (size_t i = 0; i < search->profile->n_timers; i++) {
        const struct fm_timer *timer = &search->profile->timers[i];
        char first[FM_UNIT_CHARS], second[FM_UNIT_CHARS];
        /* `second` is the longest of all ranks' second longest events, so the excess is at most that of the slowest rank */
        double cost_ns = excess_of(timer) * timer->events.ranks;
        if (fm_finding_share(search, cost_ns - search->disturbed_ns) < fm_finding_limits.first_cost || cost_ns <= 0 ||
            is_inside_another(search->profile, timer))
            continue;
        struct fm_finding *finding = fm_finding_add(search, cost_ns, false);
        fm_finding_ranks(search, finding, &timer->ranks);
        fm_finding_evidence(finding, "first_s", (double)timer->longest.ns / 1e9);
        fm_finding_evidence(finding, "longest_other_s", (double)timer->second.ns / 1e9);
        fm_finding_evidence(finding, "events", (double)timer->events.max);
        finding->text = fm_finding_text(search,
                                        "The first event of timer '%s' takes %s (rank %u), all others at most %s",
                                        timer->name, fm_time_text(first, (double)timer->longest.ns),
                                        timer->longest.rank, fm_time_text(second, (double)timer->second.ns));
    }
}
