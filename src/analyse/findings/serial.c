/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/findings/serial.h"

/* By how much the others spend more time in MPI than the first rank of the order. */
static double others_wait_ns(const struct fm_balance *balance)
{
    double others = 0;
    for (size_t i = 1; i < balance->n; i++)
        others += (double)balance->order[i].mpi_ns;
    return others / (double)(balance->n - 1) - (double)balance->order[0].mpi_ns;
}

/* What a rank does alone is known from its call paths, not from times that vary from core to core, so that less of it
 * counts than of differences (fm_uneven_least_ns): 5 % of the time, or 100 ms of a short run. */
static double least_of(double wall_ns)
{
    double disturbance = wall_ns / 4 < 100e6 ? wall_ns / 4 : 100e6;
    return FM_JUMP_OF_WALL * wall_ns > disturbance ? FM_JUMP_OF_WALL * wall_ns : disturbance;
}

bool fm_serial_find(struct fm_finding_search *search, struct fm_serial_stage *stage)
{
    const struct fm_balance *balance = search->balance;
    double least_ns = fm_finding_limits.serial_samples * (double)search->profile->paths.period_ns[1];
    if (!search->calls.root || balance->n < 2 || search->profile->n_programs > 1)
        return false;
    fm_work_mark(&search->calls);
    *stage = (struct fm_serial_stage){.rank = balance->order[0].rank, .waiting_ns = others_wait_ns(balance)};
    stage->work = fm_work_alone(&search->calls, stage->rank, least_ns);
    stage->io = fm_io_time_alone(search, stage->rank);
    stage->stage_ns = stage->work.ns < stage->waiting_ns ? stage->work.ns : stage->waiting_ns;
    stage->cost_ns = stage->stage_ns * (double)(balance->n - 1);
    /* the rank may have been without a CPU just then */
    double without_cpu = (double)(balance->order[0].outside_ns - balance->order[0].work_least_ns);
    return stage->work.ns - without_cpu >= least_of(balance->mean_wall_ns) &&
           stage->waiting_ns >= fm_finding_limits.serial_explained * stage->work.ns &&
           fm_finding_share(search, stage->cost_ns) >= fm_finding_limits.cost_least;
}

struct fm_finding *fm_serial_add(struct fm_finding_search *search, const struct fm_serial_stage *stage)
{
    struct fm_finding *finding = fm_finding_add(search, stage->cost_ns, false);
    struct fm_range range = {stage->rank, stage->rank};
    fm_finding_ranks(search, finding, &(struct fm_rankset){&range, 1, 1});
    finding->place = stage->work.place;
    fm_finding_evidence(finding, "stage_s", stage->work.ns / 1e9);
    fm_finding_evidence(finding, "others_longer_in_mpi_s", stage->waiting_ns / 1e9);
    if (stage->io.longest)
        fm_finding_evidence(finding, "io_s", (stage->io.read_ns + stage->io.write_ns) / 1e9);
    if (stage->io.read_bytes > 0)
        fm_finding_evidence(finding, "read_bytes", stage->io.read_bytes);
    if (stage->io.written_bytes > 0)
        fm_finding_evidence(finding, "written_bytes", stage->io.written_bytes);
    search->work_ns[0] -= stage->stage_ns;
    search->io_ns[0] -= search->io_ns[0] < stage->stage_ns ? search->io_ns[0] : stage->stage_ns;
    search->stage_found = true;
    return finding;
}
