/* SPDX-License-Identifier: BSD-3-Clause */
/* One rank works in functions that no other rank executes, while the others wait in MPI. */
#include "analyse/findings/rules.h"
#include "analyse/findings/work_place.h"
#include "base/units.h"

/* By how much the others spend more time in MPI than this rank. */
static double others_wait_ns(const struct fm_balance *balance, size_t position)
{
    double others = 0;
    for (size_t i = 0; i < balance->n; i++)
        others += i == position ? 0 : (double)balance->order[i].mpi_ns;
    return others / (double)(balance->n - 1) - (double)balance->order[position].mpi_ns;
}

void fm_rule_serial_stage(struct fm_finding_search *search)
{
    const struct fm_balance *balance = search->balance;
    double period_ns = (double)search->profile->paths.period_ns[1];
    char time[FM_UNIT_CHARS];
    if (!search->calls.root || balance->n < 2 || search->profile->n_programs > 1 || !fm_balance_is_uneven(balance))
        return;
    uint32_t rank = balance->order[0].rank; /* the one with the least time in MPI */
    fm_work_mark(&search->calls);
    struct fm_lone_work work = fm_work_alone(&search->calls, rank, fm_finding_limits.serial_samples * period_ns);
    double waiting = others_wait_ns(balance, 0), stage_ns = work.ns < waiting ? work.ns : waiting;
    double cost_ns = stage_ns * (double)(balance->n - 1);
    if (work.ns < fm_uneven_least_ns(balance->mean_wall_ns) || waiting < fm_finding_limits.serial_explained * work.ns ||
        fm_finding_share(search, cost_ns) < fm_finding_limits.cost_least)
        return;
    struct fm_finding *finding = fm_finding_add(search, cost_ns, false);
    const struct fm_range range = {rank, rank};
    fm_finding_ranks(search, finding, &(struct fm_rankset){(struct fm_range *)&range, 1, 1});
    finding->place = work.place;
    fm_finding_evidence(finding, "stage_s", work.ns / 1e9);
    fm_finding_evidence(finding, "others_longer_in_mpi_s", waiting / 1e9);
    const char *place = fm_finding_place_text(search, &work.place);
    finding->text = fm_finding_text(search, "Rank %u works alone for %s while the others wait%s%s", rank,
                                    fm_time_text(time, work.ns), place[0] ? ", most of it in " : "", place);
    search->work_ns[0] -= stage_ns;
}
