/* A profile made by hand for the tests of analyse/, present/ and cli/: a small ocean model in which the first
 * quarter of the ranks has more work, so that the others wait for it in MPI_Allreduce. */
#ifndef FM_TESTS_SAMPLE_H
#define FM_TESTS_SAMPLE_H

#include <stdlib.h>
#include <string.h>

#include "base/bins.h"
#include "model/profile.h"

#define MS 1000000ull
#define SECOND 1000000000ull

static void *sample_alloc(struct fm_profile *profile, size_t size)
{
    void *memory = fm_arena_alloc(&profile->arena, size);
    if (!memory)
        abort();
    return memory;
}

static struct fm_stats sample_stats(uint64_t count, uint64_t each_ns, uint64_t bytes_each, uint64_t elements)
{
    struct fm_stats stats = {
        .count = count,
        .count_arguments = count * elements,
        .total_ns = count * each_ns,
        .min = {each_ns / 2, 3, 0},
        .max = {each_ns * 3, 7, 1},
        .second = {each_ns * 2, 9, 1},
        .bytes = count * bytes_each,
        .bytes_sent = count * bytes_each,
        .bytes_received = count * bytes_each,
        .messages = bytes_each ? count : 0,
    };
    stats.histogram.bins[fm_duration_bin(each_ns / 2)] = 1;
    stats.histogram.bins[fm_duration_bin(each_ns)] += count - 3;
    stats.histogram.bins[fm_duration_bin(each_ns * 2)] += 1;
    stats.histogram.bins[fm_duration_bin(each_ns * 3)] += 1;
    return stats;
}

/* One event per routine and, through the routine's total, its values per rank. */
static void sample_routine(struct fm_profile *profile, const char *name, const char *region, uint64_t offset,
                           uint64_t calls_per_rank, uint64_t heavy_ns, uint64_t light_ns, uint64_t bytes_each)
{
    uint32_t ranks = profile->job.ranks, busy = ranks / 4;
    struct fm_routine_total *total = &profile->routines[profile->n_routines++];
    total->name = name;
    total->per_rank = sample_alloc(profile, ranks * sizeof *total->per_rank);
    fm_rankset_add(&total->ranks, &profile->arena, 0, ranks - 1);
    uint64_t sum = 0;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        uint64_t each = rank < busy ? heavy_ns : light_ns;
        struct fm_rank_value value = {rank, calls_per_rank * each, calls_per_rank, calls_per_rank * bytes_each};
        total->per_rank[total->n_per_rank++] = value;
        fm_spread_add(&total->time_ns, value.time_ns, rank);
        fm_spread_add(&total->calls, value.calls, rank);
        fm_spread_add(&total->bytes, value.bytes, rank);
        profile->processes[rank].mpi_ns += value.time_ns;
        sum += value.time_ns;
    }
    uint64_t calls = calls_per_rank * ranks;
    total->stats = sample_stats(calls, sum / calls, bytes_each, bytes_each / 8);
    total->stats.total_ns = sum;
    profile->events[profile->n_events++] = (struct fm_event){
        .key = {.routine = name,
                .region = region,
                .size_bin = bytes_each ? fm_size_bin(bytes_each) : FM_SIZE_NONE,
                .comm_size = strcmp(name, "MPI_Allreduce") == 0 ? ranks : 0,
                .site = {"/opt/ocean/bin/miniocean", "8e1f7a", offset}},
        .stats = total->stats,
    };
}

static void sample_job(struct fm_profile *profile, uint32_t ranks)
{
    static const char *argv[] = {"./miniocean", "--grid", "360x180", "--steps", "100"};
    static struct fm_name_value env[] = {{"OMP_NUM_THREADS", "1"}};
    profile->job = (struct fm_job){
        .key = "k1",
        .id = "4711",
        .run_id = "",
        .exe = "/opt/ocean/bin/miniocean",
        .build_id = "8e1f7a",
        .cwd = "/home/ada/run",
        .user = "ada",
        .launcher = "Slurm",
        .mpi = "Open MPI 4.1.4",
        .mpi_library = "libmpi.so.40",
        .language = "Fortran",
        .tool = "",
        .output = "",
        .commit = "3f2a91c7d0e4b5a6978812f30c4d5e6f70819a2b",
        .runtime_version = "0.1.0",
        .merge_version = "0.1.0",
        .argv = argv,
        .n_argv = 5,
        .env = env,
        .n_env = 1,
        .ranks = ranks,
        .thread_level = 0,
        .started_real_ns = 1794708000 * SECOND,
        .ended_real_ns = 1794708012 * SECOND + 300 * MS,
    };
    profile->hosts = sample_alloc(profile, sizeof *profile->hosts);
    profile->n_hosts = 1;
    profile->hosts[0] = fm_host_of("node017");
    profile->hosts[0].cpu = "Neoverse-N1";
    profile->hosts[0].cores = 64;
    profile->hosts[0].memory_bytes = 256ull << 30;
    fm_rankset_add(&profile->hosts[0].ranks, &profile->arena, 0, ranks - 1);
}

static void sample_regions(struct fm_profile *profile)
{
    static const char *const paths[] = {"", "baroclinic", "barotropic", "barotropic/pcg"};
    static const uint64_t share[] = {100, 50, 40, 30};
    uint32_t ranks = profile->job.ranks;
    profile->regions = sample_alloc(profile, 4 * sizeof *profile->regions);
    profile->n_regions = 4;
    for (size_t i = 0; i < 4; i++) {
        struct fm_region *region = &profile->regions[i];
        region->path = paths[i];
        region->entries = i ? 100ull * ranks : ranks;
        fm_rankset_add(&region->ranks, &profile->arena, 0, ranks - 1);
        for (uint32_t rank = 0; rank < ranks; rank++)
            fm_spread_add(&region->wall_per_rank, 123 * MS * share[i] + rank, rank);
        region->wall_ns = region->wall_per_rank.sum;
    }
}

/* Regions, and the run from the first entry of one and the first start of a timer on. */
static void sample_spans(struct fm_profile *profile)
{
    static const struct {
        enum fm_span_kind kind;
        const char *name;
        uint64_t wall_ms, heavy_ms, light_ms; /* of a rank; outside MPI */
    } spans[] = {
        {FM_SPAN_REGION, "baroclinic", 6150, 5850, 5250},
        {FM_SPAN_REGION, "barotropic", 4920, 4520, 1920},
        {FM_SPAN_REGION, "barotropic/pcg", 3690, 3290, 690},
        {FM_SPAN_FROM_REGION, "baroclinic", 12000, 11300, 8100},
        {FM_SPAN_FROM_REGION, "barotropic", 11000, 10300, 7100},
        {FM_SPAN_FROM_TIMER, "step", 11500, 10800, 7600},
    };
    enum { SPANS = sizeof spans / sizeof *spans };
    uint32_t ranks = profile->job.ranks;
    profile->spans = sample_alloc(profile, SPANS * sizeof *profile->spans);
    profile->n_spans = SPANS;
    for (size_t i = 0; i < SPANS; i++) {
        struct fm_span *span = &profile->spans[i];
        span->kind = spans[i].kind;
        span->name = spans[i].name;
        fm_rankset_add(&span->ranks, &profile->arena, 0, ranks - 1);
        for (uint32_t rank = 0; rank < ranks; rank++) {
            fm_spread_add(&span->wall_ns, spans[i].wall_ms * MS, rank);
            fm_spread_add(&span->outside_ns, (rank < ranks / 4 ? spans[i].heavy_ms : spans[i].light_ms) * MS, rank);
        }
    }
}

/* A ring, with the first rank sending twice as much. */
static void sample_edges(struct fm_profile *profile)
{
    uint32_t ranks = profile->job.ranks;
    struct fm_edges *const lists[] = {&profile->sent, &profile->received};
    for (size_t i = 0; i < 2; i++) {
        lists[i]->items = sample_alloc(profile, ranks * sizeof *lists[i]->items);
        for (uint32_t rank = 0; rank < ranks; rank++) {
            uint64_t messages = rank == 0 ? 2000 : 1000;
            struct fm_edge edge = {rank, (rank + 1) % ranks, messages, messages * 23040,
                                   messages * (i ? 40000 : 15000)};
            lists[i]->items[lists[i]->n++] = edge;
        }
    }
}

static void sample_snapshot(struct fm_profile *profile)
{
    static struct fm_snapshot_routine routines[] = {{"MPI_Allreduce", 2000, 800 * MS, 16000},
                                                    {"MPI_Isend", 1000, 9 * MS, 1 << 20}};
    profile->snapshots = sample_alloc(profile, sizeof *profile->snapshots);
    profile->n_snapshots = 1;
    profile->snapshots[0] = (struct fm_snapshot){
        .label = "spin-up",
        .collective = 1,
        .rank = FM_NO_RANK,
        .ranks = profile->job.ranks,
        .when_ns = 4 * SECOND,
        .mpi_ns = 1200 * MS,
        .routines = routines,
        .n_routines = 2,
    };
}

/* The first quarter of the ranks has twice the instructions; the last counter was not counted all the time. */
static void sample_counters(struct fm_profile *profile)
{
    static const char *const names[] = {"LLC-load-misses", "cycles", "instructions"};
    static const uint64_t positions[] = {3, 2, 1}, each[] = {1000000, 2000000000, 3000000000};
    uint32_t ranks = profile->job.ranks;
    profile->counters = sample_alloc(profile, 3 * (ranks + 1) * sizeof *profile->counters);
    for (size_t i = 0; i < 3; i++) {
        struct fm_counter all = {.name = names[i], .rank = FM_NO_RANK, .position = (uint32_t)positions[i]};
        fm_rankset_add(&all.ranks, &profile->arena, 0, ranks - 1);
        for (uint32_t rank = 0; rank < ranks; rank++) {
            uint64_t count = each[i] * (rank < ranks / 4 ? 2 : 1);
            struct fm_counter one = {.name = names[i], .rank = rank, .position = all.position, .count = count};
            one.in_mpi = each[i] / 4;
            one.enabled_ns = 10 * SECOND;
            one.running_ns = i == 0 ? 5 * SECOND : 10 * SECOND;
            all.enabled_ns += one.enabled_ns;
            all.running_ns += one.running_ns;
            fm_spread_add(&all.counts, one.count, rank);
            fm_spread_add(&all.in_mpis, one.in_mpi, rank);
            profile->counters[profile->n_counters++] = one;
        }
        profile->counters[profile->n_counters++] = all;
    }
}

static struct fm_profile *sample_profile(uint32_t ranks)
{
    struct fm_profile *profile = fm_profile_create();
    if (!profile)
        abort();
    sample_job(profile, ranks);
    profile->processes = sample_alloc(profile, ranks * sizeof *profile->processes);
    profile->n_processes = ranks;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        struct fm_process *process = &profile->processes[rank];
        *process = fm_process_of(rank, FM_END_FINALIZED);
        process->core = rank;
        process->pid = 1000 + (int32_t)rank;
        process->wall_ns = 12300 * MS;
        process->user_ns = 11 * SECOND + rank * MS;
        process->system_ns = 150 * MS + rank * MS;
        process->max_rss_bytes = (90ull << 20) + (rank << 18);
        process->overhead_ns = 900000;
    }
    profile->routines = sample_alloc(profile, 16 * sizeof *profile->routines);
    profile->events = sample_alloc(profile, 16 * sizeof *profile->events);
    sample_routine(profile, "MPI_Allreduce", "barotropic/pcg", 0x4a3c, 20000, 20000, 150000, 8);
    sample_routine(profile, "MPI_Bcast", "", 0x1f00, 100, 30000, 30000, 4096);
    sample_routine(profile, "MPI_Comm_rank", "", 0x1010, 2, 60, 60, 0);
    sample_routine(profile, "MPI_Comm_size", "", 0x1030, 2, 55, 55, 0);
    sample_routine(profile, "MPI_Finalize", "", 0x1fff, 1, 2 * MS, 2 * MS, 0);
    sample_routine(profile, "MPI_Init", "", 0x1000, 1, 180 * MS, 180 * MS, 0);
    sample_routine(profile, "MPI_Irecv", "baroclinic", 0x3100, 25000, 900, 900, 23040);
    sample_routine(profile, "MPI_Isend", "baroclinic", 0x3150, 25000, 3000, 3000, 23040);
    sample_routine(profile, "MPI_Waitall", "baroclinic", 0x31a0, 12500, 16000, 64000, 0);
    sample_regions(profile);
    sample_spans(profile);
    sample_edges(profile);
    sample_snapshot(profile);
    sample_counters(profile);
    return profile;
}

/* What profiles have since memory and time without a CPU are measured; rank 1 lacked a CPU most. */
static inline void sample_add_resources(struct fm_profile *profile)
{
    struct fm_host *host = &profile->hosts[0];
    for (size_t i = 0; i < profile->n_processes; i++) {
        struct fm_process *process = &profile->processes[i];
        process->runqueue_ns = (i == 1 ? 2400 : 900) * MS;
        process->init_rss_bytes = 30ull << 20;
        process->end_rss_bytes = i ? (80ull << 20) + (process->rank << 18) : 29ull << 20;
    }
    host->least_free_bytes = 9ull << 30;
    host->limit_bytes = 128ull << 30;
    host->limit_peak_bytes = 100ull << 30;
    host->numa_nodes = 2;
    host->peak_flops_per_cycle = 16;
    host->received_start_bytes = host->sent_start_bytes = 1000;
    host->received_end_bytes = 1000 + (3ull << 30);
    host->sent_end_bytes = 1000 + (2ull << 30);
    host->received_start_packets = host->sent_start_packets = 10;
    host->received_end_packets = 2100010;
    host->sent_end_packets = 1500010;
}

/* The same job with a rank killed and another without data. */
static inline struct fm_profile *sample_incomplete(uint32_t ranks)
{
    struct fm_profile *profile = sample_profile(ranks);
    profile->processes[2].end = FM_END_SIGNALLED;
    profile->processes[2].end_code = 9;
    profile->processes[2].inside = "MPI_Waitall";
    profile->n_processes = ranks - 1;
    profile->notes = sample_alloc(profile, sizeof *profile->notes);
    profile->n_notes = 1;
    profile->notes[0] = (struct fm_note){.argument = "", .amount = 1200, .text = "events kept with less detail"};
    fm_rankset_add(&profile->notes[0].ranks, &profile->arena, 1, 2);
    return profile;
}

#endif
