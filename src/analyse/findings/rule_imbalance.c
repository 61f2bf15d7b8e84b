/* SPDX-License-Identifier: BSD-3-Clause */
/* Some ranks compute longer than others, in total or in turns. */
#include "analyse/findings/rules.h"
#include "analyse/findings/turns.h"
#include "analyse/findings/work_place.h"
#include "base/units.h"

/* Means over the ranks that work longer than the mean of all, and over the others. */
struct halves {
    struct fm_rankset busy;
    double longest, mean, busy_mean, others_mean;
    uint64_t others;
};

static struct halves divide(struct fm_finding_search *search)
{
    const struct fm_balance *balance = search->balance;
    struct halves halves = {0};
    double busy = 0, others = 0;
    for (size_t i = 0; i < balance->n; i++) {
        halves.longest = search->work_ns[i] > halves.longest ? search->work_ns[i] : halves.longest;
        halves.mean += search->work_ns[i] / (double)balance->n;
    }
    for (size_t i = 0; i < balance->n; i++) {
        if (search->work_ns[i] <= halves.mean) {
            others += search->work_ns[i];
            halves.others++;
            continue;
        }
        busy += search->work_ns[i];
        search->failed |= !fm_rankset_add(&halves.busy, search->arena, balance->order[i].rank, balance->order[i].rank);
    }
    halves.busy_mean = fm_ratio(busy, (double)(balance->n - halves.others));
    halves.others_mean = fm_ratio(others, (double)halves.others);
    return halves;
}

/* Whether some of the ranks were not running, rather than computing less than the others. */
static bool is_not_work(const struct fm_balance *balance)
{
    return fm_balance_is_not_work(balance, &balance->groups[0]) ||
           fm_balance_is_not_work(balance, &balance->groups[balance->n_groups - 1]);
}

/* By their MPI times, or because the others wait in MPI_Finalize. */
static bool compute_longer(const struct fm_balance *balance)
{
    if (fm_balance_is_uneven(balance))
        return !is_not_work(balance);
    return balance->evenness == FM_EVEN && balance->end.evenness == FM_UNEVEN && !balance->end.not_work;
}

static void find_total(struct fm_finding_search *search)
{
    const struct fm_balance *balance = search->balance;
    if (search->profile->n_programs > 1 || !compute_longer(balance))
        return;
    struct halves halves = divide(search);
    double cost_ns = fm_finding_uneven_ns(search);
    char busy[FM_UNIT_CHARS], others[FM_UNIT_CHARS];
    if (halves.longest - halves.others_mean < fm_uneven_least_ns(balance->mean_wall_ns) ||
        fm_finding_share(search, cost_ns) < fm_finding_limits.cost_least)
        return;
    struct fm_finding *finding = fm_finding_add(search, cost_ns, true);
    finding->trace = ""; /* the same ranks in every step: a trace tells no more */
    fm_finding_ranks(search, finding, &halves.busy);
    if (search->calls.root) {
        fm_work_mark(&search->calls);
        finding->place = fm_work_uneven_place(&search->calls, &halves.busy);
    }
    fm_finding_evidence(finding, "work_max_s", halves.longest / 1e9);
    fm_finding_evidence(finding, "work_avg_s", halves.mean / 1e9);
    fm_finding_evidence(finding, "busy_work_avg_s", halves.busy_mean / 1e9);
    fm_finding_evidence(finding, "others_work_avg_s", halves.others_mean / 1e9);
    const char *place = fm_finding_place_text(search, &finding->place);
    const char *ranks = fm_finding_ranks_text(search, &halves.busy);
    finding->text = fm_finding_text(search, "R%s compute%s longer than the rest: %s against %s%s%s",
                                    ranks + (ranks[0] != 0), fm_rankset_count(&halves.busy) == 1 ? "s" : "",
                                    fm_time_text(busy, halves.busy_mean), fm_time_text(others, halves.others_mean),
                                    place[0] ? ", most in " : "", place);
}

/* Equal in total, but not in each step: the ranks wait for each other in collectives. */
static void find_turns(struct fm_finding_search *search)
{
    const struct fm_wait *wait;
    if (search->found->lacked_cores)
        return;
    struct fm_finding *finding = fm_turns_find(search, FM_WAIT_COLLECTIVE, fm_finding_limits.turns, &wait);
    if (finding)
        finding->text = fm_finding_text(search, "Different ranks are late in different steps: they wait in %s%s",
                                        fm_finding_call_text(search, wait->routine, &finding->place),
                                        fm_turns_times(search, wait));
}

void fm_rule_imbalance(struct fm_finding_search *search)
{
    if (search->balance->n < 2)
        return;
    find_total(search);
    find_turns(search);
}
