/* The split of time: each second counts once, whatever a profile says. */
#include "analyse/balance/split.h"

#include "analyse/balance/memory.h"
#include "merge/synthetic.h"
#include "tap.h"

static struct fm_process process_of(uint64_t wall, uint64_t mpi, uint64_t runqueue)
{
    struct fm_process process = fm_process_of(0, FM_END_FINALIZED);
    process.wall_ns = wall;
    process.mpi_ns = mpi;
    process.runqueue_ns = runqueue;
    return process;
}

static uint64_t parts(const struct fm_split *split)
{
    return split->program_ns + split->mpi_ns + split->io_ns + split->no_cpu_ns;
}

static void test_process(void)
{
    struct fm_process process = process_of(1000, 400, FM_UNKNOWN);
    struct fm_split split = fm_split_of(&process);
    tap_ok(split.program_ns == 600 && split.mpi_ns == 400 && !split.knows_no_cpu && !split.no_cpu_ns,
           "an old profile: program and MPI by the clock");
    process = process_of(1000, 400, 500);
    split = fm_split_of(&process);
    tap_ok(split.program_ns == 300 && split.mpi_ns == 200 && split.no_cpu_ns == 500 && split.knows_no_cpu,
           "a rank that spins in MPI lacks a CPU there too, and that counts once");
    process = process_of(1000, 0, 250);
    split = fm_split_of(&process);
    tap_ok(split.program_ns == 750 && !split.mpi_ns && split.no_cpu_ns == 250, "without MPI it is all in the program");
    process = process_of(1000, 5000, 100);
    split = fm_split_of(&process);
    tap_ok(!split.program_ns && split.mpi_ns == 900 && split.no_cpu_ns == 100,
           "MPI in several threads is not more than the wall time");
    process = process_of(1000, 10, 5000);
    split = fm_split_of(&process);
    tap_ok(parts(&split) == 1000 && split.no_cpu_ns == 1000, "nor is waiting for a CPU");
    process = process_of(0, 0, 0);
    split = fm_split_of(&process);
    tap_ok(parts(&split) == 0, "no time at all");
}

static void test_io(void)
{
    struct fm_process process = process_of(1000, 400, FM_UNKNOWN);
    process.io_ns = FM_UNKNOWN;
    struct fm_split split = fm_split_of(&process);
    tap_ok(!split.knows_io && !split.io_ns && split.program_ns == 600, "unknown I/O is in the program");
    process.io_ns = 200;
    split = fm_split_of(&process);
    tap_ok(split.knows_io && split.io_ns == 200 && split.program_ns == 400 && split.mpi_ns == 400,
           "I/O is not in the program");
    process.runqueue_ns = 500;
    split = fm_split_of(&process);
    tap_ok(split.io_ns == 100 && split.program_ns == 200 && split.mpi_ns == 200 && split.no_cpu_ns == 500,
           "a rank that lacks a CPU lacks it in I/O, too, and that counts once");
    process.io_ns = 5000;
    process.runqueue_ns = 0;
    split = fm_split_of(&process);
    tap_ok(split.io_ns == 600 && !split.program_ns && split.mpi_ns == 400,
           "I/O in several threads is not more than the time outside MPI");
}

static void test_sums_hold(void)
{
    uint64_t state = 1;
    size_t wrong = 0;
    for (int i = 0; i < 100000; i++) {
        uint64_t range = 1ull << (1 + fm_random(&state, 62));
        struct fm_process process = process_of(fm_random(&state, range), fm_random(&state, range),
                                               fm_random(&state, 8) ? fm_random(&state, range) : FM_UNKNOWN);
        process.io_ns = fm_random(&state, 8) ? fm_random(&state, range) : FM_UNKNOWN;
        struct fm_split split = fm_split_of(&process);
        uint64_t most = process.runqueue_ns < process.wall_ns ? process.runqueue_ns : process.wall_ns;
        wrong += parts(&split) != process.wall_ns || split.no_cpu_ns != (process.runqueue_ns == FM_UNKNOWN ? 0 : most);
    }
    tap_ok(!wrong, "the four add up to the wall time, to the nanosecond");
}

static void test_ranks(void)
{
    struct fm_process processes[4] = {process_of(100, 50, 10), process_of(200, 50, FM_UNKNOWN), process_of(300, 0, 30),
                                      process_of(400, 0, 40)};
    struct fm_profile profile = {.processes = processes, .n_processes = 4};
    struct fm_arena arena = {0};
    struct fm_split_ranks ranks;
    processes[1].end = FM_END_MISSING;
    processes[2].rank = processes[3].rank = 2; /* replaced itself by another program */
    tap_ok(fm_split_ranks(&profile, &arena, &ranks) && ranks.n == 2 && ranks.items[1].rank == 2 &&
               ranks.items[1].split.wall_ns == 700 && ranks.items[1].split.no_cpu_ns == 70,
           "by rank: processes of a rank are added, missing ones left out");
    struct fm_split total = fm_split_total(&profile);
    tap_ok(total.wall_ns == 800 && parts(&total) == 800 && total.no_cpu_ns == 80, "in total");
    processes[3].rank = FM_NO_RANK;
    tap_ok(fm_split_ranks(&profile, &arena, &ranks) && ranks.n == 2 && ranks.items[1].split.wall_ns == 300,
           "without a process whose rank is unknown");
    fm_arena_destroy(&arena);
}

/* Half of the calls take a thousand times as long as the others. */
static void test_waiting(void)
{
    struct fm_event event = {.key = {.routine = "MPI_Recv", .size_bin = fm_size_bin(8)},
                             .stats = {.count = 100, .total_ns = 50 * 1000 + 50 * 1000000}};
    struct fm_process process = process_of(1000000000, 600, 500000000);
    struct fm_profile profile = {.processes = &process, .n_processes = 1, .events = &event, .n_events = 1};
    struct fm_arena arena = {0};
    struct fm_split_mpi mpi;
    struct fm_error error;
    struct fm_split total = fm_split_total(&profile);
    profile.job.ranks = 1;
    tap_ok(!fm_split_mpi(&profile, &total, &arena, &mpi, &error) && !mpi.known && !mpi.waiting_ns,
           "without durations of calls, waiting is unknown");
    event.stats.histogram.bins[fm_duration_bin(1000)] = 50;
    event.stats.histogram.bins[fm_duration_bin(1000000)] = 50;
    tap_ok(!fm_split_mpi(&profile, &total, &arena, &mpi, &error) && mpi.known && total.mpi_ns == 300 &&
               mpi.waiting_ns >= 295 && mpi.waiting_ns < 300 && mpi.waiting_ns + mpi.transfer_ns == 300,
           "waiting and transfer add up to MPI without the time without a CPU");
    struct fm_part part = {.calls = 1};
    profile.part = &part;
    tap_ok(!fm_split_mpi(&profile, &total, &arena, &mpi, &error) && !mpi.known,
           "nor is it known for a part of a job with calls that may belong to another part");
    fm_arena_destroy(&arena);
}

static void test_memory(void)
{
    struct fm_process processes[3] = {process_of(1, 0, 0), process_of(1, 0, 0), process_of(1, 0, 0)};
    struct fm_profile profile = {.processes = processes, .n_processes = 3};
    for (uint32_t i = 0; i < 3; i++) {
        processes[i].rank = i;
        processes[i].init_rss_bytes = 100;
    }
    processes[0].end_rss_bytes = 50;
    processes[1].end_rss_bytes = 400;
    struct fm_growth growth = fm_memory_growths(&profile);
    tap_ok(growth.ranks == 2 && growth.min == -50 && growth.min_rank == 0 && growth.max == 300 &&
               growth.max_rank == 1 && growth.sum == 250,
           "growth, also negative; unknown for a killed rank");
}

static void test_network(void)
{
    struct fm_host host = fm_host_of("a");
    struct fm_host_traffic traffic;
    tap_ok(!fm_host_traffic(&host, &traffic), "unknown traffic");
    host.received_start_bytes = host.sent_start_bytes = host.received_start_packets = host.sent_start_packets = 5;
    tap_ok(!fm_host_traffic(&host, &traffic), "no end");
    host.received_end_bytes = host.sent_end_bytes = host.received_end_packets = host.sent_end_packets = 12;
    tap_ok(fm_host_traffic(&host, &traffic) && traffic.received_bytes == 7 && traffic.sent_packets == 7, "traffic");
    host.sent_end_bytes = 4;
    tap_ok(!fm_host_traffic(&host, &traffic), "counters that were reset");
}

int main(void)
{
    test_process();
    test_io();
    test_sums_hold();
    test_ranks();
    test_waiting();
    test_memory();
    test_network();
    return tap_done();
}
