/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocking sends that take much longer than their fastest calls, although the ranks have the same work: they wait for
 * their receivers. */
#include "analyse/findings/rules.h"
#include "analyse/findings/turns.h"

void fm_rule_late_receiver(struct fm_finding_search *search)
{
    const struct fm_wait *wait;
    struct fm_finding *finding = fm_turns_find(search, FM_WAIT_SEND, fm_finding_limits.turns, &wait);
    if (finding)
        finding->text = fm_finding_text(search, "Sends wait for their receivers, most at %s%s",
                                        fm_finding_call_text(search, wait->routine, &finding->place),
                                        fm_turns_times(search, wait));
}
