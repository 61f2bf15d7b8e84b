#include "merge/from_segment.h"

#include <stdlib.h>
#include <string.h>

#include "format/encode.h"
#include "generated/routines.h"
#include "merge/synthetic.h"
#include "model/check.h"
#include "model/note_codes.h"
#include "tap.h"

static const struct fm_synthetic job = {
    .ranks = 16, .routines = 8, .sites = 12, .neighbours = 4, .ranks_per_host = 8, .regions = 2, .seed = 1};

/* A segment of rank 3 that tests change before they read it. */
static struct fm_segment_header *fresh(void)
{
    struct fm_segment_header *header = aligned_alloc(64, fm_synthetic_bytes(&job));
    fm_synthetic_segment(&job, 3, header);
    return header;
}

static void *items(struct fm_segment_header *header, enum fm_segment_section_id id)
{
    return (char *)header + header->sections[id].offset;
}

/* Reads and frees. NULL when it was refused. */
static struct fm_profile *read_as(struct fm_segment_header *header, enum fm_end end, int code, uint64_t now)
{
    struct fm_profile *profile = NULL;
    struct fm_error error = {0};
    if (fm_profile_from_segment(NULL, header, fm_synthetic_bytes(&job), "it", end, code, now, &profile, &error))
        printf("# %s\n", error.text);
    free(header);
    return profile;
}

static const struct fm_routine_total *routine(const struct fm_profile *profile, const char *name)
{
    for (size_t i = 0; i < profile->n_routines; i++)
        if (!strcmp(profile->routines[i].name, name))
            return &profile->routines[i];
    return NULL;
}

static bool has_note(const struct fm_profile *profile, uint32_t code, uint64_t amount)
{
    for (size_t i = 0; i < profile->n_notes; i++)
        if (profile->notes[i].code == code && profile->notes[i].amount == amount)
            return true;
    return false;
}

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

/* All that the process took from its clock is longer by a thousandth; what it took from the kernel stays. */
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

static void expect_refused(struct fm_segment_header *header, const char *why)
{
    struct fm_profile *p = read_as(header, FM_END_UNKNOWN, 0, 0);
    tap_ok(!p, "%s is refused", why);
    fm_profile_destroy(p);
}

static void test_refusals(void)
{
    struct fm_segment_header *header = fresh();
    header->magic[0] = 'X';
    expect_refused(header, "another kind of file");
    header = fresh();
    header->version = 7;
    expect_refused(header, "a later version");
    header = fresh();
    header->version = 0;
    expect_refused(header, "no version");
    header = fresh();
    header->header_bytes = 2000;
    expect_refused(header, "a header that is smaller than any");
    header = fresh();
    header->header_bytes = UINT32_MAX;
    expect_refused(header, "a header that is larger than its segment");
    header = fresh();
    header->sections[FM_SECTION_ENTRIES].item_bytes -= 8;
    expect_refused(header, "entries that are smaller than any");
    header = fresh();
    header->sections[FM_SECTION_ENTRIES].offset = UINT64_MAX - 63;
    expect_refused(header, "a section outside");
    header = fresh();
    header->segment_bytes += 64;
    expect_refused(header, "a truncated segment");
    header = fresh();
    ((struct fm_entry *)items(header, FM_SECTION_ENTRIES))->total_ns = UINT64_MAX / 2;
    expect_refused(header, "a call of 300 years");
    header = fresh();
    ((struct fm_entry *)items(header, FM_SECTION_ENTRIES))->key.routine = 60000;
    expect_refused(header, "an unknown routine");
}

/* ---- other builds ---- */

static bool same(const struct fm_profile *a, const struct fm_profile *b)
{
    struct fm_arena arena = {0};
    const void *of_a, *of_b;
    size_t size_a, size_b;
    bool equal = a && b && !fm_profile_encode_exact(a, &arena, &of_a, &size_a, NULL) &&
                 !fm_profile_encode_exact(b, &arena, &of_b, &size_b, NULL) && size_a == size_b &&
                 !memcmp(of_a, of_b, size_a);
    fm_arena_destroy(&arena);
    return equal;
}

static struct fm_profile *read_whole(struct fm_segment_header *header)
{
    struct fm_profile *profile = NULL;
    struct fm_error error = {0};
    if (fm_profile_from_segment(NULL, header, header->segment_bytes, "it", FM_END_UNKNOWN, 0, 0, &profile, &error))
        printf("# %s\n", error.text);
    free(header);
    return profile;
}

/* As a build would lay it out whose header and items are larger, and that has a section of its own in the last slot.
 * What is new is full of ones. */
static struct fm_segment_header *as_newer(const struct fm_segment_header *from)
{
    enum { MORE = 64 };
    size_t size = 4 * from->segment_bytes, at = (sizeof *from + MORE + 63) / 64 * 64;
    struct fm_segment_header *header = aligned_alloc(64, size);
    memset(header, 0xff, size);
    *header = *from;
    header->header_bytes += MORE;
    header->segment_bytes = size;
    for (unsigned id = 0; id < FM_SECTION_COUNT; id++) {
        const struct fm_segment_section *old = &from->sections[id];
        struct fm_segment_section *section = &header->sections[id];
        section->offset = at;
        section->item_bytes += id == FM_SECTION_TEXT || id == FM_SECTION_ROUTINES ? 0 : 8;
        for (size_t i = 0; i < old->capacity; i++)
            memcpy((char *)header + at + i * section->item_bytes, (char *)from + old->offset + i * old->item_bytes,
                   old->item_bytes);
        at += ((size_t)section->capacity * section->item_bytes + 63) / 64 * 64;
    }
    header->sections[FM_SECTION_SLOTS - 1] = (struct fm_segment_section){at, 7, 24};
    return header;
}

static void test_newer_build(void)
{
    struct fm_synthetic full = job;
    full.timers = 3;
    full.paths = 40;
    struct fm_segment_header *own = aligned_alloc(64, fm_synthetic_bytes(&full));
    fm_synthetic_segment(&full, 3, own);
    unsigned larger = 1; /* the header */
    for (unsigned id = 0; id < FM_SECTION_COUNT; id++)
        larger += own->sections[id].capacity && id != FM_SECTION_TEXT && id != FM_SECTION_ROUTINES;
    struct fm_segment_header *newer = as_newer(own);
    struct fm_profile *expected = read_whole(own), *p = read_whole(newer);
    tap_ok(same(p, expected), "a newer build's larger header and items, and a section of its own, change nothing");
    tap_ok(p && p->left_out.sections == 1 && p->left_out.columns == larger && !expected->left_out.sections &&
               !expected->left_out.columns,
           "and are counted as left out");
    fm_profile_destroy(expected);
    fm_profile_destroy(p);
}

static void test_version_1(void)
{
    struct fm_segment_header *header = fresh(), *other = fresh(), *now = fresh();
    const size_t end = offsetof(struct fm_segment_header, text_runtime_version);
    now->text_runtime_version = 0;
    now->header_bytes = offsetof(struct fm_segment_header, voluntary_switches); /* without what was added since */
    header->version = 1;
    header->header_bytes = 984;
    header->routines_fingerprint = 0xc031f6e4;
    memcpy(header->unused_sections, header->sections, 14 * sizeof *header->sections);
    memset((char *)header + end, 0xff, sizeof *header - end); /* another build's, as it were */
    memcpy(other, header, fm_synthetic_bytes(&job));
    struct fm_profile *p = read_as(header, FM_END_UNKNOWN, 0, 0), *expected = read_as(now, FM_END_UNKNOWN, 0, 0);
    tap_ok(same(p, expected) && !*p->job.runtime_version, "a segment of version 1 is read as ever");
    fm_profile_destroy(p);
    fm_profile_destroy(expected);
    other->routines_fingerprint ^= 1;
    expect_refused(other, "one of version 1 with other routines");
}

/* A list of routines behind the segment. */
static struct fm_segment_header *with_routines(const char *list, uint32_t bytes)
{
    struct fm_segment_header *old = fresh(), *header = aligned_alloc(64, old->segment_bytes + 64 * 1024);
    memset(header, 0, old->segment_bytes + 64 * 1024);
    memcpy(header, old, old->segment_bytes);
    header->sections[FM_SECTION_ROUTINES] = (struct fm_segment_section){(old->segment_bytes + 63) / 64 * 64, bytes, 1};
    memcpy(items(header, FM_SECTION_ROUTINES), list, bytes);
    header->segment_bytes += 64 * 1024;
    free(old);
    return header;
}

static void test_added_routines(void)
{
    static const char list[] = "aMPI_Early\0dMPI_Later\0bMPI_Send"; /* the last one is known by another number, too */
    struct fm_segment_header *header = with_routines(list, sizeof list);
    struct fm_entry *entries = items(header, FM_SECTION_ENTRIES);
    entries[0].key = (struct fm_key){.peer = 16, .routine = FM_ROUTINES_FIXED + 1};
    entries[1].key = (struct fm_key){.peer = 5, .routine = FM_ROUTINES_FIXED + 2};
    entries[2].key = (struct fm_key){.peer = 5, .routine = FM_R_MPI_Send};
    uint64_t calls = entries[0].count, sends = entries[1].count + entries[2].count;
    struct fm_segment_thread *thread = items(header, FM_SECTION_THREADS);
    thread->call_routine = FM_ROUTINES_FIXED + 1 + 1; /* + 1: 0 is none */
    header->leave = FM_LEAVE_ABORT;
    struct fm_profile *p = read_whole(header);
    const struct fm_routine_total *later = p ? routine(p, "MPI_Later") : NULL,
                                  *send = p ? routine(p, "MPI_Send") : NULL;
    bool collective = false;
    for (size_t i = 0; p && i < p->n_events; i++)
        collective |= !strcmp(p->events[i].key.routine, "MPI_Later") && p->events[i].key.comm_size == 16;
    tap_ok(later && later->stats.count == calls + 1 && collective && !strcmp(p->processes[0].inside, "MPI_Later"),
           "a routine that only the segment knows keeps its name and its class");
    tap_ok(send && send->stats.count == sends && !fm_profile_check(p), "two numbers of one name are one routine");
    fm_profile_destroy(p);
    header = with_routines(list, sizeof list);
    ((struct fm_entry *)items(header, FM_SECTION_ENTRIES))->key.routine = FM_ROUTINES_FIXED + 3;
    tap_ok(!read_whole(header), "a number behind the list is refused");
    header = with_routines("\0\0\377\377", 4);
    ((struct fm_entry *)items(header, FM_SECTION_ENTRIES))->key.routine = FM_ROUTINES_FIXED + 1;
    p = read_whole(header);
    tap_ok(p && routine(p, "?") && !fm_profile_check(p), "a list that is none gives no name");
    fm_profile_destroy(p);
}

static void test_empty_section(void)
{
    struct fm_segment_header *header = fresh();
    header->sections[FM_SECTION_TEXT] = (struct fm_segment_section){.offset = UINT64_MAX - 63};
    struct fm_profile *p = read_as(header, FM_END_UNKNOWN, 0, 0);
    tap_ok(p && !*p->job.exe, "the offset of an empty section does not matter");
    fm_profile_destroy(p);
}

static void test_corruption(void)
{
    uint64_t state = 77;
    size_t size = fm_synthetic_bytes(&job);
    int in_order = 0, rounds = 4000, read = 0;
    struct fm_segment_header *whole = fresh();
    whole->n_snapshots = 2;
    for (int round = 0; round < rounds; round++) {
        struct fm_segment_header *header = aligned_alloc(64, size);
        memcpy(header, whole, size);
        for (uint64_t n = 1 + fm_random(&state, 8); n; n--) {
            /* half of the damage in the header, words rather than bytes in every other round */
            size_t at = fm_random(&state, fm_random(&state, 2) ? sizeof *header : size - 8) / 4 * 4;
            uint64_t word = fm_random(&state, 3) ? fm_random(&state, UINT64_MAX) : fm_random(&state, 300);
            memcpy((char *)header + at, &word, round % 2 ? 8 : 1);
        }
        struct fm_profile *p = NULL;
        if (!fm_profile_from_segment(NULL, header, size, "it", FM_END_UNKNOWN, 0, 0, &p, NULL)) {
            in_order += !fm_profile_check(p);
            read++;
            fm_profile_destroy(p);
        }
        free(header);
    }
    free(whole);
    tap_ok(in_order == read && read > 100, "of %d damaged segments %d are read, all in order, without a crash", rounds,
           read);
}

static const struct fm_span *span(const struct fm_profile *profile, enum fm_span_kind kind, const char *name)
{
    for (size_t i = 0; i < profile->n_spans; i++)
        if (profile->spans[i].kind == kind && !strcmp(profile->spans[i].name, name))
            return &profile->spans[i];
    return NULL;
}

static void test_timers(void)
{
    const struct fm_synthetic timed = {
        .ranks = 2, .routines = 1, .sites = 1, .ranks_per_host = 2, .seed = 1, .timers = 2};
    struct fm_segment_header *header = aligned_alloc(64, fm_synthetic_bytes(&timed));
    struct fm_profile *p = NULL;
    fm_synthetic_segment(&timed, 1, header);
    struct fm_segment_timing *timings = items(header, FM_SECTION_TIMINGS);
    timings[2].mpi_ns = 1000;
    timings[3].mpi_ns = 200;
    uint64_t count = timings[2].count + timings[3].count, coarse = timings[2].coarse[6] + timings[3].coarse[6];
    if (fm_profile_from_segment(NULL, header, fm_synthetic_bytes(&timed), "it", FM_END_UNKNOWN, 0, 0, &p, NULL) ||
        p->n_timers != 2) {
        tap_ok(false, "timers are read");
        return;
    }
    const struct fm_timer *timer = &p->timers[1];
    const struct fm_timer_group *group = timer->groups;
    tap_ok(!strcmp(timer->name, "timer1") && !strcmp(timer->parent, "timer0") && timer->events.sum == count &&
               timer->thread_ns.ranks == 2 && timer->ranks.ranges[0].first == 1 &&
               timer->half_events[0] + timer->half_events[1] == count,
           "a timer is the sum of its threads");
    tap_ok(group->bins[0].bin == fm_decimal_bin(500000) && group->bins[0].sum == count - coarse &&
               (!coarse || group->bins[1].bin == fm_decimal_bin(1000000)),
           "events without their first digit are in the first bin of their power of ten");
    const struct fm_span *in = span(p, FM_SPAN_TIMER, "timer1");
    tap_ok(in && in->wall_ns.sum == timer->total_ns.sum && in->outside_ns.sum == in->wall_ns.sum - 1200,
           "the time outside MPI in a timer");
    fm_profile_destroy(p);
    free(header);
}

/* A timer that only one thread has, started and not stopped, and which was stopped twice before that. */
static struct fm_profile *read_misused(uint32_t leave, enum fm_end end, bool live)
{
    const struct fm_synthetic timed = {
        .ranks = 2, .routines = 1, .sites = 1, .ranks_per_host = 2, .seed = 1, .timers = 1};
    struct fm_segment_header *header = aligned_alloc(64, fm_synthetic_bytes(&timed));
    struct fm_profile *p = NULL;
    fm_synthetic_segment(&timed, 1, header);
    struct fm_segment_timing *timings = items(header, FM_SECTION_TIMINGS);
    struct fm_segment_timer *timers = items(header, FM_SECTION_TIMERS);
    header->leave = leave;
    header->state = FM_STATE_RUNNING;
    header->n_timings = 1;
    timings[0].count = 0;
    timings[0].started = 7;
    timings[0].start_site = 0x550000000124;
    timers[0].misuse[FM_MISUSE_NOT_STARTED] = 2;
    timers[0].misuse_site[FM_MISUSE_NOT_STARTED] = 0x660000000000; /* in no module */
    if (live)
        fm_timers_from_segment(header, fm_synthetic_bytes(&timed), "it", 4, 0, &p, NULL);
    else
        fm_profile_from_segment(NULL, header, fm_synthetic_bytes(&timed), "it", end, 0, 0, &p, NULL);
    free(header);
    return p;
}

static void expect_misuse(uint32_t leave, enum fm_end end, bool live, size_t n, uint32_t kind, const char *what)
{
    struct fm_profile *p = read_misused(leave, end, live);
    bool good = p && p->n_timers == 1 && !p->timers->ranks.n && p->timers->n_misuses == n && !fm_profile_check(p);
    const struct fm_misuse *misuses = good ? p->timers->misuses : NULL;
    good = good && misuses[0].kind == FM_MISUSE_NOT_STARTED && misuses[0].count == 2 && !*misuses[0].site.module;
    if (n > 1)
        good = good && misuses[1].kind == kind && misuses[1].count == 1 && misuses[1].site.offset == 0x124 &&
               !strcmp(misuses[1].site.module, "/home/user/ocean/bin/ocean") && misuses[1].ranks.ranges[0].first == 1;
    tap_ok(good && has_note(p, FM_NOTE_TIMER_MISUSES, kind == FM_MISUSE_NEVER_STOPPED && n > 1 ? 3 : 2), "%s", what);
    fm_profile_destroy(p);
}

static void test_misuses(void)
{
    expect_misuse(FM_LEAVE_FINALIZE, FM_END_UNKNOWN, false, 2, FM_MISUSE_NEVER_STOPPED,
                  "a timer that runs at MPI_Finalize was never stopped");
    expect_misuse(FM_LEAVE_EXIT, FM_END_UNKNOWN, false, 2, FM_MISUSE_NEVER_STOPPED, "so was one that runs at exit");
    expect_misuse(FM_LEAVE_UNKNOWN, FM_END_SIGNALLED, false, 2, FM_MISUSE_RUNNING,
                  "one that runs when the process is killed is no wrong use");
    expect_misuse(FM_LEAVE_UNKNOWN, FM_END_UNKNOWN, false, 1, 0, "nor is one in a process that runs");
    expect_misuse(FM_LEAVE_UNKNOWN, FM_END_UNKNOWN, true, 1, 0, "nor in its own report");
}

/* region2 is in region1. */
static void test_spans(void)
{
    struct fm_segment_header *header = fresh();
    struct fm_segment_region *regions = items(header, FM_SECTION_REGIONS);
    const struct fm_entry *entries = items(header, FM_SECTION_ENTRIES);
    uint64_t wall = header->ended_mono_ns - header->started_mono_ns, mpi = 0, inside = 0;
    for (size_t i = 0; i < header->n_entries; i++) {
        mpi += entries[i].total_ns;
        inside += entries[i].key.site_region & 0xffff ? entries[i].total_ns : 0;
    }
    regions[1].first = (struct fm_segment_first){wall / 4, mpi / 2};
    regions[2].first = (struct fm_segment_first){wall + 1, 0};
    struct fm_profile *p = read_as(header, FM_END_UNKNOWN, 0, 0);
    const struct fm_span *in = span(p, FM_SPAN_REGION, "region1"), *from = span(p, FM_SPAN_FROM_REGION, "region1");
    tap_ok(in && in->wall_ns.sum == 400000000000ull && in->wall_ns.max_rank == 3 &&
               in->outside_ns.sum == in->wall_ns.sum - inside,
           "the time outside MPI in a region, with those nested in it");
    tap_ok(from && from->wall_ns.sum == wall - wall / 4 && from->outside_ns.sum == wall - wall / 4 - (mpi - mpi / 2),
           "the same from its first entry to the end");
    tap_ok(span(p, FM_SPAN_REGION, "region1/region2") && !span(p, FM_SPAN_FROM_REGION, "region1/region2") &&
               !span(p, FM_SPAN_REGION, ""),
           "an entry after the end is ignored");
    fm_profile_destroy(p);
    p = read_as(fresh(), FM_END_UNKNOWN, 0, 0);
    tap_ok(!span(p, FM_SPAN_FROM_REGION, "region1"), "a segment of an older build does not say when it was entered");
    fm_profile_destroy(p);
}

/* Seeds of an older format would be refused at once, and the fuzzer would see nothing else. */
static void test_seeds(void)
{
    char path[4096], bytes[1 << 16];
    int good = 0;
    for (int i = 0; i < 2; i++) {
        const char *source = getenv("FATHOM_SOURCE");
        snprintf(path, sizeof path, "%s/tests/fuzz/corpus/segment/%d", source ? source : ".", i);
        FILE *file = fopen(path, "rb");
        size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
        struct fm_profile *p = NULL;
        good += !fm_profile_from_segment(NULL, bytes, size, path, FM_END_UNKNOWN, 0, 0, &p, NULL) && p->n_timers;
        fm_profile_destroy(p);
        if (file)
            fclose(file);
    }
    tap_ok(good == 2, "the seeds of the fuzzer are segments (make seeds writes them anew)");
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
    test_refusals();
    test_newer_build();
    test_version_1();
    test_added_routines();
    test_empty_section();
    test_corruption();
    test_timers();
    test_misuses();
    test_spans();
    test_seeds();
    return tap_done();
}
