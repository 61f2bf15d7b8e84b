/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/balance/balance.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/balance/core_use.h"
#include "analyse/balance/split.h"
#include "base/search.h"

static const double HEAVY_SHARE = 0.01;

struct gap {
    uint64_t ns;
    size_t at; /* between order[at - 1] and order[at] */
};

static int by_mpi_time(const void *a, const void *b)
{
    const struct fm_balance_rank *x = a, *y = b;
    if (x->mpi_ns != y->mpi_ns)
        return x->mpi_ns < y->mpi_ns ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static int largest_first(const void *a, const void *b)
{
    const struct gap *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns < y->ns ? 1 : -1;
    return (x->at > y->at) - (x->at < y->at);
}

static int by_place(const void *a, const void *b)
{
    const struct gap *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static void add_work(const struct fm_process *process, struct fm_balance_rank *rank)
{
    struct fm_no_cpu without = fm_no_cpu_outside(process);
    struct fm_split split = fm_split_of(process);
    uint64_t outside = fm_outside_mpi(process);
    bool known = without.measured || rank->lacked_core;
    rank->work_ns += split.program_ns + split.io_ns;
    rank->io_ns += split.io_ns;
    rank->work_least_ns += known ? outside - without.most : outside;
    rank->work_most_ns += known ? outside - without.least : outside;
}

static bool sort_ranks(const struct fm_profile *profile, struct fm_arena *arena, struct fm_balance *balance)
{
    balance->order = fm_arena_alloc(arena, profile->n_processes * sizeof *balance->order);
    if (!balance->order)
        return false;
    double wall = 0;
    bool all_lack = fm_core_use(profile).lack != FM_CORES_ENOUGH;
    for (size_t i = 0; i < profile->n_processes; i++) {
        const struct fm_process *process = &profile->processes[i];
        if (process->end == FM_END_MISSING)
            continue;
        /* A rank can have several processes in succession (exec): they count as one. */
        if (!balance->n || balance->order[balance->n - 1].rank != process->rank)
            balance->order[balance->n++] = (struct fm_balance_rank){.rank = process->rank, .lacked_core = all_lack};
        struct fm_balance_rank *rank = &balance->order[balance->n - 1];
        rank->mpi_ns += process->mpi_ns;
        rank->wall_ns += process->wall_ns;
        rank->outside_ns += fm_outside_mpi(process);
        rank->not_running_ns += fm_not_running(process);
        rank->lacked_core = rank->lacked_core || fm_lacked_core(process);
        add_work(process, rank);
        wall += (double)process->wall_ns;
    }
    balance->mean_wall_ns = balance->n ? wall / (double)balance->n : 0;
    qsort(balance->order, balance->n, sizeof *balance->order, by_mpi_time);
    return true;
}

/* The lower median of all gaps except the i-th largest. `gaps` is sorted, largest first. */
static uint64_t typical_without(const struct gap *gaps, size_t n, size_t i)
{
    if (n < 2)
        return 0;
    size_t others = n - 1;
    size_t median = others - 1 - (others - 1) / 2; /* index from the largest */
    return gaps[median < i ? median : median + 1].ns;
}

/* Moves the jumps to the start of `gaps`, in rank order. Returns their number. */
static size_t choose_jumps(struct gap *gaps, size_t n, double mean_wall_ns)
{
    size_t jumps = 0;
    qsort(gaps, n, sizeof *gaps, largest_first);
    while (jumps < n && jumps < FM_MAX_GROUPS - 1 && (double)gaps[jumps].ns > FM_JUMP_OF_WALL * mean_wall_ns &&
           gaps[jumps].ns / FM_JUMP_OVER_TYPICAL > typical_without(gaps, n, jumps))
        jumps++;
    qsort(gaps, jumps, sizeof *gaps, by_place);
    return jumps;
}

static int by_rank(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool fill_group(struct fm_balance *balance, struct fm_balance_group *group, struct fm_arena *arena, double total)
{
    /* Add ranks in ascending order, which keeps a set of many ranges cheap to build. */
    uint32_t *ranks = fm_arena_alloc(arena, group->n * sizeof *ranks);
    if (!ranks)
        return false;
    double sum = 0, idle = 0, idle_everywhere = 0;
    for (size_t i = 0; i < group->n; i++) {
        const struct fm_balance_rank *item = &balance->order[group->first + i];
        ranks[i] = item->rank;
        sum += (double)item->mpi_ns;
        idle += (double)item->not_running_ns;
    }
    for (size_t i = 0; i < balance->n; i++)
        idle_everywhere += (double)balance->order[i].not_running_ns;
    qsort(ranks, group->n, sizeof *ranks, by_rank);
    for (size_t i = 0; i < group->n; i++)
        if (!fm_rankset_add(&group->ranks, arena, ranks[i], ranks[i]))
            return false;
    size_t others = balance->n - group->n;
    group->mean_ns = sum / (double)group->n;
    group->difference_ns = others ? group->mean_ns - (total - sum) / (double)others : 0;
    group->not_running_ns = idle / (double)group->n;
    group->others_not_running_ns = others ? (idle_everywhere - idle) / (double)others : 0;
    return true;
}

/* Splits the order at the first `jumps` of the gaps. */
static bool split_at(struct fm_balance *balance, const struct gap *gaps, size_t jumps, double total,
                     struct fm_arena *arena)
{
    balance->n_groups = jumps + 1;
    for (size_t g = 0; g < balance->n_groups; g++) {
        struct fm_balance_group *group = &balance->groups[g];
        *group = (struct fm_balance_group){.first = g ? gaps[g - 1].at : 0, .jump_ns = g ? gaps[g - 1].ns : 0};
        group->n = (g < jumps ? gaps[g].at : balance->n) - group->first;
        if (!fill_group(balance, group, arena, total))
            return false;
    }
    return true;
}

static bool split_groups(struct fm_balance *balance, struct fm_arena *arena)
{
    struct gap *gaps = fm_arena_alloc(arena, balance->n * sizeof *gaps);
    balance->groups = fm_arena_alloc(arena, FM_MAX_GROUPS * sizeof *balance->groups);
    if (!gaps || !balance->groups)
        return false;
    if (balance->n == 0)
        return true;
    double total = (double)balance->order[0].mpi_ns;
    for (size_t i = 1; i < balance->n; i++) {
        gaps[i - 1] = (struct gap){balance->order[i].mpi_ns - balance->order[i - 1].mpi_ns, i};
        total += (double)balance->order[i].mpi_ns;
    }
    size_t jumps = choose_jumps(gaps, balance->n - 1, balance->mean_wall_ns);
    if (!split_at(balance, gaps, jumps, total, arena))
        return false;
    balance->evenness = fm_balance_evenness(balance);
    balance->jumps = balance->groups;
    balance->n_jumps = balance->n_groups;
    if (balance->evenness == FM_UNEVEN)
        return true;
    balance->groups = fm_arena_alloc(arena, sizeof *balance->groups);
    return balance->groups && split_at(balance, gaps, 0, total, arena);
}

/* ---- heavy routines ---- */

static int heaviest_first(const void *a, const void *b)
{
    const struct fm_routine_total *x = *(const struct fm_routine_total *const *)a;
    const struct fm_routine_total *y = *(const struct fm_routine_total *const *)b;
    if (x->stats.total_ns != y->stats.total_ns)
        return x->stats.total_ns < y->stats.total_ns ? 1 : -1;
    return strcmp(x->name, y->name);
}

const struct fm_rank_value *fm_balance_value(const struct fm_routine_total *routine, uint32_t rank)
{
    size_t i = FM_FIRST_AT_LEAST(routine->per_rank, routine->n_per_rank, rank, rank);
    return i < routine->n_per_rank && routine->per_rank[i].rank == rank ? &routine->per_rank[i] : NULL;
}

uint64_t fm_balance_time(const struct fm_routine_total *routine, uint32_t rank)
{
    const struct fm_rank_value *value = fm_balance_value(routine, rank);
    return value ? value->time_ns : 0;
}

/* The time in the routine on each rank, in the order of balance->order. */
static const uint64_t *times_in_order(const struct fm_routine_total *routine, const struct fm_balance *balance,
                                      struct fm_arena *arena)
{
    uint64_t *times = fm_arena_alloc(arena, balance->n * sizeof *times);
    for (size_t i = 0; times && i < balance->n; i++)
        times[i] = fm_balance_time(routine, balance->order[i].rank);
    return times;
}

static bool find_heavy(const struct fm_profile *profile, struct fm_arena *arena, struct fm_balance *balance)
{
    const struct fm_routine_total **sorted = fm_arena_alloc(arena, profile->n_routines * sizeof *sorted);
    if (!sorted)
        return false;
    double total = 0;
    for (size_t i = 0; i < profile->n_routines; i++) {
        sorted[i] = &profile->routines[i];
        total += (double)sorted[i]->stats.total_ns;
    }
    qsort(sorted, profile->n_routines, sizeof *sorted, heaviest_first);
    for (size_t i = 0; i < profile->n_routines && balance->n_heavy < FM_MAX_HEAVY; i++) {
        if (sorted[i]->stats.total_ns == 0 || (double)sorted[i]->stats.total_ns < HEAVY_SHARE * total)
            break;
        struct fm_balance_routine *heavy = &balance->heavy[balance->n_heavy++];
        heavy->routine = sorted[i];
        if (sorted[i]->n_per_rank && !(heavy->time_ns = times_in_order(sorted[i], balance, arena)))
            return false;
    }
    return true;
}

enum fm_status fm_balance_find(const struct fm_profile *profile, struct fm_arena *arena, struct fm_balance *balance,
                               struct fm_error *error)
{
    *balance = (struct fm_balance){0};
    if (!sort_ranks(profile, arena, balance) || !split_groups(balance, arena) ||
        !fm_balance_find_end(balance, profile, arena) || !find_heavy(profile, arena, balance))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory to sort %zu ranks", profile->n_processes);
    return FM_OK;
}
