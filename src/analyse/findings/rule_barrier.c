/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that have the same work in total wait for each other in barriers: without them, a rank that is late in one step
 * could catch up in the next. */
#include "analyse/findings/rules.h"
#include "analyse/findings/turns.h"

void fm_rule_barrier(struct fm_finding_search *search)
{
    const struct fm_wait *wait;
    struct fm_finding *finding = fm_turns_find(search, FM_WAIT_BARRIER, fm_finding_limits.barrier, &wait);
    if (finding)
        finding->text = fm_finding_text(search, "Ranks wait for each other in turns, most at %s%s",
                                        fm_finding_call_text(search, wait->routine, &finding->place),
                                        fm_turns_times(search, wait));
}
