/* SPDX-License-Identifier: BSD-3-Clause */
/* A sentence about the groups between the jumps of MPI time. */
#include <math.h>

#include "base/units.h"
#include "report/views.h"

static const char *group_sentence(struct fm_report *report, const struct fm_balance_group *group)
{
    char difference[FM_UNIT_CHARS];
    bool less = group->difference_ns < 0;
    const char *ranks = fm_ranks_text(report, &group->ranks, 24);
    return fm_format(&report->arena, "R%s spend%s %s %s in MPI than the rest", ranks + 1, group->n == 1 ? "s" : "",
                     fm_time_text(difference, fabs(group->difference_ns)), less ? "less" : "more");
}

/* Why the ranks of a group spend less, or more, time in MPI than all others. */
static const char *meaning_of(const struct fm_balance *balance, const struct fm_balance_group *group, bool less)
{
    bool one = group->n == 1;
    if (fm_balance_is_not_work(balance, group))
        return less ? (one ? "it did not run all the time (no core, or waiting outside MPI), and the others wait"
                           : "they did not run all the time (no cores, or waiting outside MPI), and the others wait")
                    : "the others did not run all the time (no cores, or waiting outside MPI)";
    if (less)
        return one ? "it has more work, and the others wait" : "they have more work, and the others wait";
    return one ? "it waits for the others" : "they wait for the others";
}

/* Ranks that start at different moments differ in MPI, where they wait for each other, and not outside. */
static const char *even_sentence(struct fm_report *report)
{
    const struct fm_balance *balance = &report->balance;
    uint64_t mpi = balance->order[balance->n - 1].mpi_ns - balance->order[0].mpi_ns;
    uint64_t least = balance->order[0].outside_ns, most = least;
    char within[FM_UNIT_CHARS];
    for (size_t i = 1; i < balance->n; i++) {
        uint64_t outside = balance->order[i].outside_ns;
        least = outside < least ? outside : least;
        most = outside > most ? outside : most;
    }
    return fm_format(&report->arena, "All ranks spend the same time %s MPI, within %s.",
                     mpi <= most - least ? "in" : "outside",
                     fm_time_text(within, (double)(mpi <= most - least ? mpi : most - least)));
}

const char *fm_end_sentence(struct fm_report *report)
{
    const struct fm_balance_end *end = &report->balance.end;
    char later[FM_UNIT_CHARS];
    if (end->evenness != FM_UNEVEN)
        return "";
    bool one = fm_rankset_count(&end->late) == 1;
    return fm_format(&report->arena,
                     "R%s reach%s MPI_Finalize %s after the others, which wait there; that is not measured.",
                     fm_ranks_text(report, &end->late, 24) + 1, one ? "es" : "", fm_time_text(later, end->later_ns));
}

const char *fm_balance_sentence(struct fm_report *report)
{
    const struct fm_balance *balance = &report->balance;
    char spread[FM_UNIT_CHARS];
    if (balance->n < 2)
        return "";
    const struct fm_balance_rank *first = &balance->order[0], *last = &balance->order[balance->n - 1];
    fm_time_text(spread, (double)(last->mpi_ns - first->mpi_ns));
    if (balance->evenness == FM_EVEN)
        return even_sentence(report);
    if (balance->evenness == FM_UNKNOWN_EVENNESS)
        return fm_format(&report->arena,
                         "MPI times differ by %s, but the ranks had no cores of their own, so this does not show which "
                         "of them have more work.",
                         spread);
    if (balance->n_groups < 2)
        return fm_format(&report->arena, "MPI time rises gradually by %s from rank %u to rank %u.", spread, first->rank,
                         last->rank);
    if (balance->n_groups == 2) { /* each is the rest of the other: report the smaller one */
        const struct fm_balance_group *low = &balance->groups[0], *high = &balance->groups[1];
        const struct fm_balance_group *reported = low->n <= high->n ? low : high;
        return fm_format(&report->arena, "%s: %s.", group_sentence(report, reported),
                         meaning_of(balance, reported, reported == low));
    }
    /* of many groups, report both ends; the view shows the others */
    const struct fm_balance_group *low = &balance->groups[0], *high = &balance->groups[balance->n_groups - 1];
    return fm_format(&report->arena, "%s and wait%s most; %s %s less.", group_sentence(report, high),
                     high->n == 1 ? "s" : "", fm_ranks_text(report, &low->ranks, 24),
                     fm_time_text(spread, fabs(low->difference_ns)));
}
