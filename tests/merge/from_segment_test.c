#include "merge/from_segment.h"

#include "generated/routines.h"
#include "merge/one_segment.h"
#include "model/check.h"
#include "model/note_codes.h"
#include "tap.h"

static void test_plain(void)
{
    struct fm_segment_header *header = fresh();
    struct fm_entry *entries = items(header, FM_SECTION_ENTRIES);
    uint64_t mpi = 0, calls = 0, wall = header->ended_mono_ns - header->started_mono_ns;
    const uint64_t start_and_end = header->init_ns + header->finish_ns, each_ps = header->event_cost_ps;
    for (uint32_t i = 0; i < header->n_entries; i++)
        mpi += entries[i].total_ns;
    struct fm_profile *p = read_as(header, FM_END_UNKNOWN, 0, 0);
    const struct fm_process *process = p->processes;
    tap_ok(!fm_profile_check(p), "the profile is in order");
    tap_ok(process->rank == 3 && process->mpi_ns == mpi && process->wall_ns == wall && process->end == FM_END_FINALIZED,
           "the process has its times and its end");
    tap_ok(p->job.ranks == 16 && !strcmp(p->job.language, "Fortran") && !strcmp(p->job.mpi, "Open MPI 4.1.4") &&
               p->job.n_argv == 2 && p->job.n_env == 2 && !strcmp(p->job.env[0].value, "self,vader"),
           "the job is described");
    tap_ok(p->sent.n == 4 && p->received.n == 4 && p->sent.items[0].from == 3 && p->received.items[0].to == 3 &&
               p->sent.items[0].messages == 10000 && p->sent.items[0].bytes == 10000 * 8192,
           "peers become edges");
    const struct fm_routine_total *isend = routine(p, "MPI_Isend"), *barrier = routine(p, "MPI_Barrier");
    tap_ok(isend && isend->stats.count == 40000 && isend->per_rank->calls == 40000 && isend->calls.max == 40000,
           "a routine sums its entries");
    size_t sends = 0, sized = 0;
    for (size_t i = 0; i < p->n_events; i++) {
        sends += !strcmp(p->events[i].key.routine, "MPI_Isend");
        sized += p->events[i].key.comm_size == 16;
    }
    tap_ok(sends == 1 && barrier && sized, "peers are not in the keys of events, sizes of communicators are");
    tap_ok(!strcmp(p->events[0].key.site.module, "/home/user/ocean/bin/ocean") &&
               p->events[0].key.site.offset < 0x400000,
           "call sites are places in a module");
    tap_ok(p->n_regions == 3 && !strcmp(p->regions[2].path, "region1/region2") && p->regions[0].wall_ns == wall,
           "regions have paths");
    for (size_t i = 0; i < p->n_events; i++)
        calls += p->events[i].stats.count;
    tap_ok(calls && process->overhead_ns == start_and_end + calls * each_ps / 1000, "the overhead is estimated");
    fm_profile_destroy(p);
}

/* Memory, network and time without a CPU; 0 is unknown. */
static void test_resources(void)
{
    struct fm_segment_header *header = fresh();
    uint64_t wall = header->ended_mono_ns - header->started_mono_ns;
    header->runqueue_start = 1 + 500;
    header->runqueue_end = 1 + 700;
    header->init_rss_bytes = 1000;
    header->max_rss_bytes = 900;
    header->available_bytes = 5000;
    header->seen_available_bytes = 4000;
    header->memory_limit.bytes = 9000;
    header->network_start.received_bytes = 7;
    header->peak_flops_per_cycle = 16;
    struct fm_profile *p = read_as(header, FM_END_UNKNOWN, 0, 0);
    const struct fm_process *process = &p->processes[0];
    tap_ok(process->runqueue_ns == 200 && process->init_rss_bytes == 1000 && process->end_rss_bytes == FM_UNKNOWN,
           "time without a CPU, memory");
    tap_ok(process->max_rss_bytes == 1000, "the high water is not below what was resident");
    tap_ok(p->hosts[0].least_free_bytes == 4000 && p->hosts[0].limit_bytes == 9000 &&
               p->hosts[0].limit_peak_bytes == FM_UNKNOWN && p->hosts[0].numa_nodes == FM_UNKNOWN,
           "memory of the host, the least that anybody has seen");
    tap_ok(p->hosts[0].received_start_bytes == 7 && p->hosts[0].sent_start_bytes == 0 &&
               p->hosts[0].received_end_bytes == FM_UNKNOWN,
           "network of the host, without an end");
    tap_ok(p->hosts[0].peak_flops_per_cycle == 16, "the peak of its cores");
    fm_profile_destroy(p);
    header = fresh();
    header->runqueue_start = 1;
    header->runqueue_end = UINT64_MAX;
    p = read_as(header, FM_END_UNKNOWN, 0, 0);
    tap_ok(p->processes[0].runqueue_ns == wall && p->hosts[0].least_free_bytes == FM_UNKNOWN &&
               p->hosts[0].peak_flops_per_cycle == FM_UNKNOWN,
           "not longer than it was measured");
    fm_profile_destroy(p);
    header = fresh();
    header->runqueue_start = 10;
    header->runqueue_end = 9;
    header->init_rss_bytes = 1000;
    header->end_rss_bytes = 3000;
    header->max_rss_bytes = 2000;
    p = read_as(header, FM_END_UNKNOWN, 0, 0);
    tap_ok(p->processes[0].max_rss_bytes == 3000, "nor below what was at the end");
    tap_ok(p->processes[0].runqueue_ns == FM_UNKNOWN, "without an end, or with one before the start: unknown");
    fm_profile_destroy(p);
}

/* All that the process took from its clock is longer by a thousandth; what it took from the kernel stays. */
static void test_clock(void)
{
    struct fm_segment_header *slow = fresh(), *right = fresh();
    slow->clock_ppb = 1000000;
    struct fm_segment_thread *thread = items(slow, FM_SECTION_THREADS);
    thread->call_routine = FM_R_MPI_Barrier + 1;
    thread->call_start = slow->started_ticks + 1000000000;
    uint64_t started = slow->started_mono_ns, wall = slow->ended_mono_ns - started;
    slow->ended_mono_ns = 0;
    struct fm_profile *p = read_as(slow, FM_END_UNKNOWN, 0, started + wall), *q = read_as(right, FM_END_UNKNOWN, 0, 0);
    const struct fm_stats *sends = &routine(p, "MPI_Isend")->stats, *before = &routine(q, "MPI_Isend")->stats;
    tap_ok(!fm_profile_check(p) && p->processes->wall_ns == wall,
           "the rate of the counter does not change the wall clock");
    double total = (double)sends->total_ns / (double)before->total_ns,
           max = (double)sends->max.ns / (double)before->max.ns;
    tap_ok(total > 1.000999 && total < 1.001001 && max > 1.0009 && max < 1.0011, "durations are corrected by the rate");
    tap_ok(routine(p, "MPI_Barrier")->stats.total_ns >= wall - 1001000000, "so is the start of a call in progress");
    fm_profile_destroy(p);
    fm_profile_destroy(q);
}

static void test_threads(void)
{
    struct fm_segment_header *header = fresh();
    struct fm_entry *entries = items(header, FM_SECTION_ENTRIES);
    header->n_entries = 2;
    entries[1] = entries[0];
    entries[0].key.thread = 0;
    entries[1].key.thread = 1;
    entries[0].extremes.max_ns = 900;
    entries[0].extremes.second_ns = 500;
    entries[1].extremes.max_ns = 800;
    entries[1].extremes.second_ns = 700;
    entries[0].histogram_high[4] = 2;
    uint32_t low = entries[0].histogram[4] = entries[1].histogram[4] = 7;
    struct fm_profile *p = read_as(header, FM_END_UNKNOWN, 0, 0);
    const struct fm_stats *stats = &p->events[0].stats;
    tap_ok(p->n_events == 1 && stats->count == 20000 && stats->max.ns == 900 && stats->second.ns == 800,
           "the threads of a process are summed");
    tap_ok(stats->histogram.bins[4] == (2ull << 32) + 2 * low, "histograms have their high parts");
    tap_ok(p->sent.n == 1 && p->sent.items[0].messages == 20000, "so are their edges");
    fm_profile_destroy(p);
}

static void test_unfinished(void)
{
    struct fm_segment_header *header = fresh();
    struct fm_segment_thread *thread = items(header, FM_SECTION_THREADS);
    struct fm_request *requests = items(header, FM_SECTION_REQUESTS);
    uint64_t start = header->started_mono_ns, now = start + 9000000000ull;
    header->n_entries = 0;
    header->ended_mono_ns = 0;
    header->state = FM_STATE_RUNNING;
    header->leave = FM_LEAVE_UNKNOWN;
    thread->call_routine = FM_R_MPI_Recv + 1;
    thread->call_start = header->started_ticks + 4000000000ull;
    thread->call_site = 0x550000000123;
    thread->region_depth = 1;
    thread->region_stack[0].region = 1;
    thread->region_stack[0].since_ns = start + 1000000000ull;
    requests[5] = (struct fm_request){.handle = 5,
                                      .duration_ns = 77,
                                      .bytes = 9,
                                      .peer = 2,
                                      .routine = FM_R_MPI_Irecv,
                                      .kind = FM_REQUEST_RECEIVE,
                                      .count_argument = 12};
    requests[6] = (struct fm_request){
        .handle = 6, .routine = FM_R_MPI_Recv_init, .kind = FM_REQUEST_PERSISTENT_RECEIVE};
    struct fm_profile *p = read_as(header, FM_END_SIGNALLED, 9, now);
    const struct fm_routine_total *receive = routine(p, "MPI_Recv"), *pending = routine(p, "MPI_Irecv");
    tap_ok(receive && receive->stats.count == 1 && receive->stats.total_ns == 5000000000ull,
           "a call in progress counts with the time it has lasted");
    tap_ok(pending && pending->stats.count == 1 && pending->stats.total_ns == 77 && pending->stats.bytes == 0 &&
               pending->stats.count_arguments == 12 && p->n_routines == 2,
           "a pending receive counts as a call, a persistent request does not");
    tap_ok(!strcmp(p->processes->inside, "MPI_Recv") && p->processes->end == FM_END_SIGNALLED &&
               p->processes->mpi_ns == 5000000077ull && p->processes->wall_ns == 9000000000ull,
           "the process was killed inside MPI_Recv");
    tap_ok(p->regions[1].wall_ns == 400000000000ull + 8000000000ull, "an open region counts up to now");
    tap_ok(!fm_profile_complete(p), "it is not complete");
    fm_profile_destroy(p);
}

static void test_last_known(void)
{
    struct fm_segment_header *header = fresh();
    struct fm_entry *entries = items(header, FM_SECTION_ENTRIES);
    header->ended_mono_ns = 0;
    uint64_t spent = 0;
    for (uint32_t i = 0; i < header->n_entries; i++)
        spent += entries[i].total_ns;
    struct fm_profile *p = read_as(header, FM_END_VANISHED, 0, 0);
    tap_ok(p->processes->wall_ns == spent, "without an end the wall time reaches to the last known moment");
    fm_profile_destroy(p);
}

static void expect_end(uint32_t leave, int code, uint32_t flags, enum fm_end end, int end_code, enum fm_end wanted,
                       int wanted_code)
{
    struct fm_segment_header *header = fresh();
    header->state = FM_STATE_RUNNING;
    header->leave = leave;
    header->leave_code = code;
    header->flags = flags;
    struct fm_profile *p = read_as(header, end, end_code, 0);
    char buffer[80];
    tap_ok(p->processes->end == wanted && p->processes->end_code == wanted_code, "leave %u, seen %d: %s", leave,
           (int)end, fm_end_text(p->processes->end, p->processes->end_code, buffer, sizeof buffer));
    fm_profile_destroy(p);
}

static void test_ends(void)
{
    expect_end(FM_LEAVE_FINALIZE, 0, 0, FM_END_EXITED, 3, FM_END_FINALIZED, 0);
    expect_end(FM_LEAVE_FINALIZE, 0, 0, FM_END_SIGNALLED, 11, FM_END_SIGNALLED, 11);
    expect_end(FM_LEAVE_ABORT, 5, 0, FM_END_VANISHED, 0, FM_END_ABORTED, 5);
    expect_end(FM_LEAVE_ABORT, 5, 0, FM_END_SIGNALLED, 6, FM_END_ABORTED, 5);
    expect_end(FM_LEAVE_EXIT, 3, 0, FM_END_UNKNOWN, 0, FM_END_EXITED, 3);
    expect_end(FM_LEAVE_EXIT, -1, 0, FM_END_EXITED, 4, FM_END_EXITED, 4);
    expect_end(FM_LEAVE_EXIT, 0, FM_FLAG_NO_MPI, FM_END_UNKNOWN, 0, FM_END_FINALIZED, 0);
    expect_end(FM_LEAVE_EXEC, 0, 0, FM_END_VANISHED, 0, FM_END_REPLACED, 0);
    expect_end(FM_LEAVE_UNKNOWN, 0, 0, FM_END_VANISHED, 0, FM_END_VANISHED, 0);
    expect_end(FM_LEAVE_UNKNOWN, 0, 0, FM_END_UNKNOWN, 0, FM_END_UNKNOWN, 0);
}

static void test_notes_and_names(void)
{
    struct fm_segment_header *header = fresh();
    struct fm_segment_region *regions = items(header, FM_SECTION_REGIONS);
    struct fm_entry *entries = items(header, FM_SECTION_ENTRIES);
    header->degraded_peer = 12;
    header->flags = FM_FLAG_FALLBACK_DIR;
    strcpy(regions[1].name, "s\x1b[31m\xff\xc3\xa4");
    regions[2].parent = 2;
    entries[0].key.peer = FM_PEER_OTHER;
    entries[1].key.site_region = 0x7f0000000000ull << 16 | 999;
    struct fm_profile *p = read_as(header, FM_END_UNKNOWN, 0, 0);
    tap_ok(has_note(p, FM_NOTE_EVENTS_WITHOUT_PEER, 12) && has_note(p, FM_NOTE_IN_TMPDIR, 0),
           "lost detail and flags become notes");
    tap_ok(p->n_regions == 3 && !strcmp(p->regions[1].path, "?") && !strcmp(p->regions[2].path, "s?[31m?\xc3\xa4"),
           "bad names and circles of parents become question marks");
    tap_ok(p->sent.dropped == 1 && p->sent.dropped_messages == 10000 && p->sent.n == 3,
           "an edge without a peer is summed");
    bool found = false;
    for (size_t i = 0; i < p->n_events; i++)
        found |= !strcmp(p->events[i].key.region, "?") && !*p->events[i].key.site.module &&
                 !p->events[i].key.site.offset;
    tap_ok(found, "an unknown region and an unknown module are marked");
    fm_profile_destroy(p);
}

static void test_snapshots(void)
{
    struct fm_segment_header *header = fresh();
    struct fm_segment_snapshot *snapshots = items(header, FM_SECTION_SNAPSHOTS);
    header->n_snapshots = 2;
    for (int i = 0; i < 2; i++) {
        strcpy(snapshots[i].label, "step");
        snapshots[i].when_ns = 100;
        snapshots[i].mpi_ns = 50;
        snapshots[i].n_routines = 2;
        snapshots[i].routines[0].routine = FM_R_MPI_Send;
        snapshots[i].routines[1].routine = FM_R_MPI_Allreduce;
        snapshots[i].routines[1].count = 9;
    }
    struct fm_profile *p = read_as(header, FM_END_UNKNOWN, 0, 0);
    tap_ok(p->n_snapshots == 2 && p->snapshots[1].order == 1 && p->snapshots[0].rank == 3 &&
               !strcmp(p->snapshots[0].routines[0].name, "MPI_Allreduce") && p->snapshots[0].routines[0].count == 9,
           "subtotals are read, numbered and sorted");
    fm_profile_destroy(p);
}

int main(void)
{
    test_plain();
    test_resources();
    test_clock();
    test_threads();
    test_unfinished();
    test_last_known();
    test_ends();
    test_notes_and_names();
    test_snapshots();
    return tap_done();
}
