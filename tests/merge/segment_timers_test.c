/* Timers of a segment, their misuses, and what happens inside timers and regions. */
#include "merge/one_segment.h"
#include "model/check.h"
#include "model/note_codes.h"
#include "tap.h"

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

int main(void)
{
    test_timers();
    test_misuses();
    test_spans();
    return tap_done();
}
