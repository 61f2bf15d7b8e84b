/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/balance/split.h"

#include "analyse/balance/floor.h"
#include "analyse/balance/summary.h"
#include "base/saturate.h"

static uint64_t at_most(uint64_t value, uint64_t most)
{
    return value < most ? value : most;
}

/* Takes the time without a CPU, which is not more than the wall time, from the parts: in proportion, and the remainder of
 * a few ns from those that have it. */
static void take_no_cpu(struct fm_split *split)
{
    uint64_t *const parts[] = {&split->program_ns, &split->mpi_ns, &split->io_ns};
    uint64_t left = split->no_cpu_ns;
    for (size_t i = 0; i < 3 && split->wall_ns; i++) {
        uint64_t taken = (uint64_t)((unsigned __int128)*parts[i] * split->no_cpu_ns / split->wall_ns);
        *parts[i] -= taken;
        left -= taken;
    }
    for (size_t i = 0; i < 3; i++) {
        uint64_t taken = at_most(left, *parts[i]);
        *parts[i] -= taken;
        left -= taken;
    }
}

struct fm_split fm_split_of(const struct fm_process *process)
{
    uint64_t wall = process->wall_ns, io, waited;
    struct fm_split split = {.wall_ns = wall, .mpi_ns = at_most(process->mpi_ns, wall)};
    if ((split.knows_io = fm_figure_get(process, FM_FIGURE_io_ns, &io)))
        split.io_ns = at_most(io, wall - split.mpi_ns);
    split.program_ns = wall - split.mpi_ns - split.io_ns;
    if ((split.knows_no_cpu = fm_figure_get(process, FM_FIGURE_runqueue_ns, &waited))) {
        split.no_cpu_ns = at_most(waited, wall);
        take_no_cpu(&split);
    }
    return split;
}

static void add(struct fm_split *sum, const struct fm_split *one)
{
    fm_add_saturating(&sum->wall_ns, one->wall_ns);
    fm_add_saturating(&sum->program_ns, one->program_ns);
    fm_add_saturating(&sum->mpi_ns, one->mpi_ns);
    fm_add_saturating(&sum->io_ns, one->io_ns);
    fm_add_saturating(&sum->no_cpu_ns, one->no_cpu_ns);
    sum->knows_io |= one->knows_io;
    sum->knows_no_cpu |= one->knows_no_cpu;
}

struct fm_split fm_split_total(const struct fm_profile *profile)
{
    struct fm_split total = {0};
    for (size_t i = 0; i < profile->n_processes; i++) {
        struct fm_split one = fm_split_of(&profile->processes[i]);
        if (profile->processes[i].end != FM_END_MISSING)
            add(&total, &one);
    }
    return total;
}

enum fm_status fm_split_mpi(const struct fm_profile *profile, const struct fm_split *total, struct fm_arena *arena,
                            struct fm_split_mpi *mpi, struct fm_error *error)
{
    struct fm_floors floors;
    double waiting_ns = 0, calls_ns = 0;
    *mpi = (struct fm_split_mpi){0};
    if (profile->part && profile->part->calls) /* of some calls it is unknown to which part of the job they belong */
        return FM_OK;
    enum fm_status status = fm_floors_find(profile, arena, &floors, error);
    for (size_t i = 0; !status && i < profile->n_events; i++) {
        struct fm_waiting waiting = fm_waiting_in(&floors, &profile->events[i]);
        waiting_ns += waiting.ns;
        calls_ns += (double)profile->events[i].stats.total_ns;
        mpi->known |= waiting.floor_ns > 0;
    }
    if (status || !mpi->known)
        return status;
    mpi->waiting_ns = at_most((uint64_t)(fm_ratio(waiting_ns, calls_ns) * (double)total->mpi_ns), total->mpi_ns);
    mpi->transfer_ns = total->mpi_ns - mpi->waiting_ns;
    return FM_OK;
}

bool fm_split_ranks(const struct fm_profile *profile, struct fm_arena *arena, struct fm_split_ranks *ranks)
{
    *ranks = (struct fm_split_ranks){fm_arena_alloc(arena, profile->n_processes * sizeof *ranks->items), 0};
    for (size_t i = 0; ranks->items && i < profile->n_processes; i++) {
        const struct fm_process *process = &profile->processes[i];
        if (process->end == FM_END_MISSING || process->rank == FM_NO_RANK)
            continue;
        struct fm_split one = fm_split_of(process);
        if (!ranks->n || ranks->items[ranks->n - 1].rank != process->rank)
            ranks->items[ranks->n++] = (struct fm_split_rank){.rank = process->rank};
        add(&ranks->items[ranks->n - 1].split, &one);
    }
    return ranks->items;
}
