/* SPDX-License-Identifier: BSD-3-Clause */
/* The events of a timer become longer in the course of the run. */
#include "analyse/findings/rules.h"
#include "base/units.h"

#include <string.h>

static double average(const struct fm_timer *timer, unsigned half)
{
    return fm_ratio((double)timer->half_ns[half], (double)timer->half_events[half]);
}

/* What the events of the second half take longer than those of the first. */
static double growth_of(const struct fm_timer *timer)
{
    return timer->half_events[0] ? (average(timer, 1) - average(timer, 0)) * (double)timer->half_events[1] : 0;
}

/* The same; 0 if it is not remarkable. */
static double excess_of(const struct fm_timer *timer)
{
    bool often = timer->events.ranks && (double)timer->events.min >= fm_finding_limits.drift_events;
    return often && average(timer, 1) >= fm_finding_limits.drift_times * average(timer, 0) ? growth_of(timer) : 0;
}

/* Whether an outermost timer, such as a step of the model, becomes longer too: otherwise time has only moved from one part
 * of it to another. */
static bool is_loss(const struct fm_profile *profile, const struct fm_timer *timer)
{
    for (size_t i = 0; i < profile->n_timers; i++)
        if (!profile->timers[i].parent[0] && 2 * growth_of(&profile->timers[i]) >= excess_of(timer))
            return true;
    return false;
}

/* If most of it is in a timer that it contains, that one is reported. */
static bool is_inside_another(const struct fm_profile *profile, const struct fm_timer *timer)
{
    for (size_t i = 0; i < profile->n_timers; i++)
        if (!strcmp(profile->timers[i].parent, timer->name) && 2 * excess_of(&profile->timers[i]) > excess_of(timer))
            return true;
    return false;
}

void fm_rule_drift(struct fm_finding_search *search)
{
    for (size_t i = 0; i < search->profile->n_timers; i++) {
        const struct fm_timer *timer = &search->profile->timers[i];
        char before[FM_UNIT_CHARS], after[FM_UNIT_CHARS];
        double cost_ns = excess_of(timer);
        if (fm_finding_share(search, cost_ns - search->disturbed_ns) < fm_finding_limits.drift_cost || cost_ns <= 0 ||
            is_inside_another(search->profile, timer) || !is_loss(search->profile, timer))
            continue;
        struct fm_finding *finding = fm_finding_add(search, cost_ns, true);
        fm_finding_ranks(search, finding, &timer->ranks);
        fm_finding_evidence(finding, "first_half_avg_s", average(timer, 0) / 1e9);
        fm_finding_evidence(finding, "second_half_avg_s", average(timer, 1) / 1e9);
        fm_finding_evidence(finding, "events", (double)timer->events.max);
        finding->text = fm_finding_text(
            search, "The events of timer '%s' become longer: %s in the first half of the run, %s in the second",
            timer->name, fm_time_text(before, average(timer, 0)), fm_time_text(after, average(timer, 1)));
    }
}
