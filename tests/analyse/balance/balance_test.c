/* Groups and jumps of the load balance, and the figures of the summary. */
#include "analyse/balance/balance.h"

#include <math.h>
#include <string.h>

#include "analyse/balance/core_use.h"
#include "analyse/balance/group.h"
#include "analyse/balance/regions.h"
#include "analyse/balance/summary.h"
#include "analyse/balance/topology.h"
#include "report/sample.h"
#include "tap.h"

/* MPI times in percent of a wall time of 100 s. */
static size_t groups_of(const unsigned *percent, uint32_t ranks, struct fm_arena *arena, struct fm_balance *balance)
{
    struct fm_profile profile = {.n_processes = ranks, .job.ranks = ranks};
    struct fm_process processes[64] = {{0}};
    struct fm_error error;
    for (uint32_t i = 0; i < ranks; i++)
        processes[i] = (struct fm_process){
            .rank = i, .wall_ns = 100 * SECOND, .mpi_ns = percent[i] * SECOND, .end = FM_END_FINALIZED, .inside = ""};
    profile.processes = processes;
    return fm_balance_find(&profile, arena, balance, &error) ? 0 : balance->n_groups;
}

#define GROUPS(...)                                                                                                \
    groups_of((const unsigned[]){__VA_ARGS__}, sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned), &arena, \
              &balance)

static void test_jumps(void)
{
    struct fm_arena arena = {0};
    struct fm_balance balance;
    tap_ok(GROUPS(10) == 1, "one rank is one group");
    tap_ok(GROUPS(10, 12) == 1, "a gap below 5 %% of the wall time is no jump");
    tap_ok(GROUPS(10, 40) == 2, "two ranks far apart are two groups");
    tap_ok(GROUPS(10, 30, 50, 70) == 1, "even steps are no jumps");
    tap_ok(GROUPS(40, 10, 41, 11, 42) == 2 && balance.groups[0].n == 2 && balance.groups[0].jump_ns == 0 &&
               balance.groups[1].jump_ns == 29 * SECOND,
           "a jump between groups that are not in the order of ranks");
    tap_ok(strcmp(fm_rankset_text(&balance.groups[0].ranks, &arena, 0), "1,3") == 0, "the ranks of a group");
    tap_ok(balance.order[0].rank == 1 && balance.order[4].rank == 4, "least MPI time first");
    tap_ok(fabs(balance.groups[0].difference_ns + 30.5e9) < 1, "difference of the first group to the rest");
    tap_ok(fabs(balance.groups[1].difference_ns - 30.5e9) < 1, "difference of the second group to the rest");
    tap_ok(GROUPS(0, 0, 10, 10, 20, 20, 30, 30, 40, 40, 50, 50, 60, 60, 70, 70) == FM_MAX_GROUPS, "at most %d groups",
           FM_MAX_GROUPS);
    tap_ok(balance.groups[0].n == 2 && balance.groups[5].n == 6, "of equal jumps the lowest count");
    fm_arena_destroy(&arena);
}

/* Four ranks of 100 s. Rank 0 is outside MPI for 90 s, the others for 50 s. */
static bool is_work(uint64_t cpu_of_first_s, uint64_t cpu_of_others_s)
{
    struct fm_profile profile = {.n_processes = 4, .job.ranks = 4};
    struct fm_process processes[4] = {{0}};
    struct fm_arena arena = {0};
    struct fm_balance balance;
    struct fm_error error;
    for (uint32_t i = 0; i < 4; i++)
        processes[i] = (struct fm_process){.rank = i,
                                           .wall_ns = 100 * SECOND,
                                           .mpi_ns = (i ? 50 : 10) * SECOND,
                                           .user_ns = (i ? cpu_of_others_s : cpu_of_first_s) * SECOND,
                                           .max_rss_bytes = 1,
                                           .end = FM_END_FINALIZED,
                                           .inside = ""};
    profile.processes = processes;
    bool work = !fm_balance_find(&profile, &arena, &balance, &error) && balance.n_groups == 2 &&
                !fm_balance_is_not_work(&balance, &balance.groups[0]) &&
                !fm_balance_is_not_work(&balance, &balance.groups[1]);
    fm_arena_destroy(&arena);
    return work;
}

/* Two ranks with these times in ms and preemptions; what is said of them. */
struct two_ranks {
    uint64_t wall[2], mpi[2], cpu[2], preemptions[2];
    bool measured; /* the time without a CPU */
    uint64_t no_cpu[2];
};

static enum fm_evenness evenness_of(struct two_ranks ranks, size_t *groups)
{
    struct fm_profile profile = {.n_processes = 2, .job.ranks = 2};
    struct fm_process processes[2] = {{0}};
    struct fm_arena arena = {0};
    struct fm_balance balance;
    struct fm_error error;
    for (uint32_t i = 0; i < 2; i++)
        processes[i] = (struct fm_process){.rank = i,
                                           .wall_ns = ranks.wall[i] * MS,
                                           .mpi_ns = ranks.mpi[i] * MS,
                                           .user_ns = ranks.cpu[i] * MS,
                                           .involuntary_switches = ranks.preemptions[i],
                                           .runqueue_ns = ranks.measured ? ranks.no_cpu[i] * MS : FM_UNKNOWN,
                                           .max_rss_bytes = 1,
                                           .end = FM_END_FINALIZED,
                                           .inside = ""};
    profile.processes = processes;
    bool found = !fm_balance_find(&profile, &arena, &balance, &error);
    *groups = found ? balance.n_groups : 0;
    fm_arena_destroy(&arena);
    return balance.evenness;
}

static void test_evenness(void)
{
    size_t n;
    tap_ok(evenness_of((struct two_ranks){{10000, 10000}, {1000, 3000}, {10000, 10000}, {5, 5}, false, {0, 0}}, &n) ==
                   FM_UNEVEN &&
               n == 2,
           "a rank with more work");
    tap_ok(evenness_of((struct two_ranks){{10000, 10000}, {1000, 1400}, {10000, 10000}, {5, 5}, false, {0, 0}}, &n) ==
               FM_EVEN,
           "4 %% of the wall time are chance");
    tap_ok(evenness_of((struct two_ranks){{370, 370}, {20, 63}, {370, 370}, {0, 0}, false, {0, 0}}, &n) == FM_EVEN &&
               evenness_of((struct two_ranks){{370, 370}, {20, 120}, {370, 370}, {0, 0}, false, {0, 0}}, &n) ==
                   FM_UNEVEN &&
               evenness_of((struct two_ranks){{1500, 1500}, {20, 110}, {1500, 1500}, {0, 0}, false, {0, 0}}, &n) ==
                   FM_EVEN,
           "one disturbance of a short run is no imbalance");
    tap_ok(evenness_of((struct two_ranks){{60, 60}, {10, 25}, {60, 60}, {0, 0}, false, {0, 0}}, &n) == FM_EVEN &&
               n == 1,
           "and so is 15 ms in a short run");
    tap_ok(evenness_of((struct two_ranks){{10000, 12000}, {1000, 3000}, {10000, 12000}, {5, 5}, false, {0, 0}}, &n) ==
                   FM_EVEN &&
               n == 1,
           "a rank that started earlier waits in MPI, but its work is the same");
    tap_ok(evenness_of((struct two_ranks){{10000, 10000}, {1000, 3000}, {8000, 10000}, {400, 5}, false, {0, 0}}, &n) ==
                   FM_UNKNOWN_EVENNESS &&
               n == 1,
           "a rank that was preempted may have lost the difference");
    tap_ok(evenness_of((struct two_ranks){{10000, 10000}, {1000, 8000}, {9000, 10000}, {400, 5}, false, {0, 0}}, &n) ==
               FM_UNEVEN,
           "unless it is larger than all it can have lost");
    tap_ok(evenness_of((struct two_ranks){{10000, 10000}, {1000, 3000}, {7000, 10000}, {5, 5}, false, {0, 0}}, &n) ==
               FM_UNEVEN,
           "a rank that waits outside MPI on a core of its own");
}

static void test_end(void)
{
    struct fm_process processes[3] = {{0}};
    struct fm_profile profile = {.n_processes = 3, .job.ranks = 3, .processes = processes};
    struct fm_arena arena = {0};
    struct fm_balance balance;
    struct fm_error error;
    for (uint32_t i = 0; i < 3; i++)
        processes[i] = (struct fm_process){.rank = i,
                                           .wall_ns = (i == 1 ? 16 : 10) * SECOND,
                                           .mpi_ns = SECOND,
                                           .user_ns = (i == 1 ? 16 : 10) * SECOND,
                                           .runqueue_ns = 0,
                                           .max_rss_bytes = 1,
                                           .end = FM_END_FINALIZED,
                                           .inside = ""};
    tap_ok(!fm_balance_find(&profile, &arena, &balance, &error) && balance.evenness == FM_EVEN &&
               balance.end.evenness == FM_UNEVEN && fabs(balance.end.later_ns - 6e9) < 1 && !balance.end.not_work &&
               fm_rankset_count(&balance.end.late) == 1 && balance.end.late.ranges[0].first == 1,
           "a rank that reaches MPI_Finalize last");
    processes[1].mpi_ns = 7 * SECOND;
    tap_ok(!fm_balance_find(&profile, &arena, &balance, &error) && balance.end.evenness == FM_EVEN,
           "a rank that started first has waited in MPI");
    processes[1].mpi_ns = SECOND;
    processes[1].runqueue_ns = 6 * SECOND;
    tap_ok(!fm_balance_find(&profile, &arena, &balance, &error) && balance.end.evenness == FM_UNKNOWN_EVENNESS,
           "one that had no CPU may not have worked longer");
    processes[1].runqueue_ns = 0;
    processes[2].end = FM_END_VANISHED;
    tap_ok(!fm_balance_find(&profile, &arena, &balance, &error) && balance.end.evenness == FM_EVEN,
           "a job in which a rank was killed says nothing about its end");
    fm_arena_destroy(&arena);
}

/* Measured time without a CPU says more than CPU time and preemptions. */
static void test_measured_evenness(void)
{
    size_t n;
    tap_ok(evenness_of((struct two_ranks){{10000, 10000}, {1000, 3000}, {7000, 10000}, {400, 5}, true, {0, 0}}, &n) ==
               FM_UNEVEN,
           "a rank that had its CPU all the time has more work, however often it was preempted");
    tap_ok(evenness_of((struct two_ranks){{10000, 10000}, {1000, 3000}, {8000, 10000}, {5, 5}, true, {2000, 0}}, &n) ==
               FM_UNKNOWN_EVENNESS,
           "one that lacked a CPU for the difference may not have");
    tap_ok(evenness_of((struct two_ranks){{10000, 10000}, {1000, 8000}, {9400, 3000}, {5, 5}, true, {600, 600}}, &n) ==
               FM_UNEVEN,
           "unless the difference is larger than all that it lacked");
    tap_ok(evenness_of((struct two_ranks){{10000, 10000}, {1000, 8000}, {9000, 10000}, {5, 5}, true, {600, 600}}, &n) ==
                   FM_UNEVEN &&
               n == 2,
           "also if the other one slept in MPI");
    tap_ok(evenness_of((struct two_ranks){{10000, 10000}, {1000, 1800}, {10000, 10000}, {5, 5}, true, {400, 100}},
                       &n) == FM_EVEN &&
               n == 1,
           "a difference that is small without the time without a CPU");
}

static void test_measured_core_use(void)
{
    struct fm_process processes[2] = {fm_process_of(0, FM_END_FINALIZED), fm_process_of(1, FM_END_FINALIZED)};
    struct fm_host host = fm_host_of("a");
    struct fm_profile profile = {.n_processes = 2, .processes = processes, .n_hosts = 1, .hosts = &host};
    struct fm_arena arena = {0};
    host.cores = 2;
    fm_rankset_add(&host.ranks, &arena, 0, 1);
    for (int i = 0; i < 2; i++) {
        processes[i].wall_ns = 10 * SECOND;
        processes[i].user_ns = 10 * SECOND;
        processes[i].max_rss_bytes = 1;
        processes[i].involuntary_switches = 100000;
        processes[i].runqueue_ns = 450 * MS;
    }
    struct fm_core_use use = fm_core_use(&profile);
    tap_ok(use.lack == FM_CORES_ENOUGH && fabs(use.no_cpu - 0.045) < 1e-9 && !fm_lacked_core(&processes[0]),
           "less than 5 %% without a CPU is enough cores, however many switches");
    processes[1].runqueue_ns = 600 * MS;
    use = fm_core_use(&profile);
    tap_ok(use.lack == FM_CORES_PREEMPTED && fabs(use.no_cpu - 0.0525) < 1e-9 && fm_lacked_core(&processes[1]),
           "more is not");
    for (int i = 0; i < 2; i++) {
        processes[i].allowed_cpus = 1;
        processes[i].first_cpu = 1;
    }
    use = fm_core_use(&profile);
    char text[FM_RANKS_ON_CORES_CHARS];
    tap_ok(use.lack == FM_CORES_FEWER_THAN_RANKS &&
               strcmp(fm_ranks_on_cores(text, &use), "2 ranks bound to the same core") == 0,
           "ranks that are bound to the same core");
    processes[0].first_cpu = 0;
    use = fm_core_use(&profile);
    tap_ok(use.lack == FM_CORES_PREEMPTED && !use.bound, "ranks that are bound to different cores");
    processes[0].runqueue_ns = FM_UNKNOWN;
    use = fm_core_use(&profile);
    tap_ok(fabs(use.no_cpu - 0.06) < 1e-9, "a rank for which it is unknown does not count");
    processes[0].mpi_ns = 2 * SECOND;
    processes[0].runqueue_ns = 5 * SECOND;
    processes[0].user_ns = 40 * SECOND;
    struct fm_no_cpu without = fm_no_cpu_outside(&processes[0]);
    tap_ok(fm_not_running(&processes[0]) == 3 * SECOND && without.measured && without.least == 3 * SECOND &&
               without.most == 5 * SECOND,
           "CPU time of other threads does not hide it");
    processes[0].user_ns = SECOND;
    without = fm_no_cpu_outside(&processes[0]);
    tap_ok(without.least == 3 * SECOND && without.most == 5 * SECOND, "waiting for files is no lack of a CPU");
    processes[1].runqueue_ns = 0;
    processes[0].runqueue_ns = 600 * MS;
    use = fm_core_use(&profile);
    tap_ok(use.lack == FM_CORES_ENOUGH, "one rank that lacked a CPU now and then");
    processes[0].runqueue_ns = 1100 * MS;
    use = fm_core_use(&profile);
    tap_ok(use.lack == FM_CORES_PREEMPTED && use.no_cpu_rank == 0 && fabs(use.no_cpu_most - 0.11) < 1e-9,
           "one for which the others wait");
    processes[0].runqueue_ns = 0;
    host.cores = 1;
    use = fm_core_use(&profile);
    tap_ok(use.lack == FM_CORES_ENOUGH, "more ranks than cores that all have a CPU when they need one");
    host.cores = 2;
    for (int i = 0; i < 2; i++) {
        processes[i].wall_ns = 100 * MS;
        processes[i].runqueue_ns = 15 * MS;
    }
    use = fm_core_use(&profile);
    tap_ok(use.lack == FM_CORES_ENOUGH, "15 ms at the start of a short run");
    fm_arena_destroy(&arena);
}

static void test_core_use(void)
{
    struct fm_process processes[2] = {{.wall_ns = 10 * SECOND,
                                       .mpi_ns = 4 * SECOND,
                                       .user_ns = 2 * SECOND,
                                       .system_ns = SECOND,
                                       .runqueue_ns = FM_UNKNOWN,
                                       .max_rss_bytes = 1},
                                      {.wall_ns = 10 * SECOND,
                                       .mpi_ns = 8 * SECOND,
                                       .user_ns = 9 * SECOND,
                                       .runqueue_ns = FM_UNKNOWN,
                                       .max_rss_bytes = 1}};
    struct fm_host host = {.name = "a", .cpu = "", .cores = 2};
    struct fm_profile profile = {.n_processes = 2, .processes = processes, .n_hosts = 1, .hosts = &host};
    struct fm_arena arena = {0};
    fm_rankset_add(&host.ranks, &arena, 0, 1);
    struct fm_core_use use = fm_core_use(&profile);
    tap_ok(use.lack == FM_CORES_ENOUGH && fabs(use.outside - 5.0 / 8) < 1e-9 && fabs(use.running - 0.6) < 1e-9,
           "a rank that waits for files has a core");
    processes[0].involuntary_switches = processes[1].involuntary_switches = 126;
    use = fm_core_use(&profile);
    tap_ok(use.lack == FM_CORES_PREEMPTED && fabs(use.preemptions - 21) < 1e-9, "one that is preempted has not");
    processes[0].involuntary_switches = processes[1].involuntary_switches = FM_UNKNOWN;
    use = fm_core_use(&profile);
    tap_ok(use.lack == FM_CORES_NOT_RUNNING && use.preemptions == 0,
           "if preemptions are unknown, less CPU time than time outside MPI counts; waiting that spins does not");
    processes[0].user_ns = 6 * SECOND;
    use = fm_core_use(&profile);
    tap_ok(use.lack == FM_CORES_ENOUGH && use.outside == 1, "enough CPU time");
    host.cores = 1;
    use = fm_core_use(&profile);
    tap_ok(use.lack == FM_CORES_FEWER_THAN_RANKS && use.ranks == 2 && use.cores == 1, "two ranks on a core");
    processes[0].user_ns = processes[0].max_rss_bytes = host.cores = 0;
    processes[1].max_rss_bytes = 0;
    use = fm_core_use(&profile);
    tap_ok(use.lack == FM_CORES_ENOUGH && use.running == 1, "nothing is concluded from what is unknown");
    tap_ok(is_work(90, 100) && is_work(85, 50), "a rank that runs all the time has more work");
    tap_ok(!is_work(50, 50), "with the CPU time of the others it has not");
    fm_arena_destroy(&arena);
}

static void test_summary(void)
{
    struct fm_arena arena = {0};
    struct fm_summary summary;
    struct fm_error error;
    struct fm_profile *profile = sample_incomplete(8);
    tap_ok(fm_summarise(profile, &arena, &summary, &error) == FM_OK, "summarise");
    tap_ok(strcmp(summary.name, "miniocean") == 0, "the program's name without its folder");
    tap_ok(!summary.complete && summary.measured == 7 && summary.ended_badly == 2 && summary.n_ends == 2,
           "a killed rank and one without data");
    tap_ok(summary.ends[0].end == FM_END_SIGNALLED && summary.ends[1].end == FM_END_MISSING, "how they ended");
    tap_ok(strcmp(summary.routines[0]->name, "MPI_Allreduce") == 0 &&
               strcmp(summary.routines[summary.n_routines - 1]->name, "MPI_Comm_size") == 0,
           "routines, most time first");
    tap_ok(summary.of.mpi_ns.min_rank == 0 && summary.of.mpi_ns.max_rank == 2, "of equal extremes the lowest rank");
    profile->processes[1].rank = 0; /* rank 0 has replaced itself by another program */
    profile->processes[0].end = FM_END_REPLACED;
    fm_summarise(profile, &arena, &summary, &error);
    tap_ok(summary.measured == 6, "two processes of a rank are one rank");
    fm_profile_destroy(profile);
    fm_arena_destroy(&arena);
}

static void test_empty(void)
{
    struct fm_arena arena = {0};
    struct fm_summary summary;
    struct fm_balance balance;
    struct fm_region_totals regions;
    struct fm_topology topology;
    struct fm_groups groups;
    struct fm_error error;
    struct fm_profile *profile = fm_profile_create();
    tap_ok(fm_summarise(profile, &arena, &summary, &error) == FM_OK && summary.measured == 0, "summary of nothing");
    tap_ok(fm_balance_find(profile, &arena, &balance, &error) == FM_OK && balance.n_groups == 0, "balance of nothing");
    tap_ok(fm_regions_find(profile, &arena, &regions, &error) == FM_OK && regions.n == 1, "regions of nothing");
    tap_ok(fm_topology_find(profile, &arena, &topology, &error) == FM_OK && topology.n == 0, "topology of nothing");
    tap_ok(fm_group_events(profile, FM_BY_SITE, &arena, &groups, &error) == FM_OK && groups.n == 0,
           "events of nothing");
    fm_profile_destroy(profile);
    fm_arena_destroy(&arena);
}

/* '/' separates nested regions, but may be part of a name. */
static void test_region_names(void)
{
    static const struct fm_region regions[] = {{.path = ""}, {.path = "a/b"}, {.path = "a/b/c"}, {.path = "a/bc"}};
    struct fm_arena arena = {0};
    struct fm_region_totals totals;
    struct fm_error error;
    struct fm_profile *profile = fm_profile_create();
    profile->regions = (struct fm_region *)regions;
    profile->n_regions = 4;
    fm_regions_find(profile, &arena, &totals, &error);
    const struct fm_region_total *items = totals.items;
    tap_ok(totals.n == 4 && items[1].depth == 1 && !strcmp(items[1].name, "a/b") && items[2].depth == 2 &&
               !strcmp(items[2].name, "c") && items[3].depth == 1 && !strcmp(items[3].name, "a/bc"),
           "a region with '/' in its name");
    tap_ok(items[1].parent == 0 && items[2].parent == 1 && items[3].parent == 0 &&
               fm_regions_index(&totals, "a/b/c") == 2 && fm_regions_index(&totals, "a") == 0,
           "and what it is nested in");
    fm_profile_destroy(profile);
    fm_arena_destroy(&arena);
}

static void test_parts(void)
{
    struct fm_arena arena = {0};
    struct fm_region_totals regions;
    struct fm_topology topology;
    struct fm_groups groups;
    struct fm_error error;
    struct fm_profile *profile = sample_profile(4);
    fm_regions_find(profile, &arena, &regions, &error);
    tap_ok(regions.n == 4 && regions.items[3].depth == 2 && strcmp(regions.items[3].name, "pcg") == 0,
           "nested regions");
    tap_ok(regions.items[2].mpi_ns == regions.items[3].mpi_ns && regions.items[3].mpi_ns == 9400 * MS,
           "a region holds what is nested in it");
    fm_group_events(profile, FM_BY_REGION, &arena, &groups, &error);
    uint64_t sum = 0;
    for (size_t i = 0; i < groups.n; i++)
        sum += groups.items[i].stats.total_ns;
    tap_ok(groups.n == 3 && sum == regions.items[0].mpi_ns, "grouping loses nothing");
    profile->received.n = 3; /* the last pair is known from its sender alone */
    profile->sent.items++;   /* and the first from its receiver */
    profile->sent.n--;
    fm_topology_find(profile, &arena, &topology, &error);
    tap_ok(topology.n == 4 && topology.pairs[0].send_ns == 0 && topology.pairs[0].messages == 2000 &&
               topology.pairs[3].receive_ns == 0 && topology.pairs[1].send_ns && topology.pairs[1].receive_ns,
           "pairs from both sides");
    tap_ok(fm_topology_heaviest(&topology, &arena)[0].from == 0, "heaviest pair first");
    fm_profile_destroy(profile);
    fm_arena_destroy(&arena);
}

int main(void)
{
    test_jumps();
    test_core_use();
    test_measured_evenness();
    test_measured_core_use();
    test_evenness();
    test_end();
    test_summary();
    test_empty();
    test_region_names();
    test_parts();
    return tap_done();
}
