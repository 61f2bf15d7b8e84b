/* The floor of calls and what is above it. */
#include "analyse/balance/floor.h"

#include "report/sample.h"
#include "tap.h"

#define SECOND 1000000000ull
#define MS 1000000ull

static struct fm_stats stats_of(uint64_t fast, uint64_t fast_ns, uint64_t slow, uint64_t slow_ns)
{
    struct fm_stats stats = {.count = fast + slow, .total_ns = fast * fast_ns + slow * slow_ns};
    stats.histogram.bins[fm_duration_bin(fast_ns)] += fast;
    stats.histogram.bins[fm_duration_bin(slow_ns)] += slow;
    return stats;
}

static void test_floor(void)
{
    struct fm_stats half = stats_of(50, 1000, 50, MS), few = stats_of(5, 1000, 995, MS), none = {0};
    tap_ok(fm_floor_of(&half, 2) > 1000 && fm_floor_of(&half, 2) < 2000, "the floor is what the fastest calls take");
    tap_ok(fm_floor_of(&few, 2) > MS && fm_floor_of(&few, 2) < 2 * MS, "a few lucky ones do not count");
    tap_ok(fm_floor_of(&few, 200) < 2000, "unless they are those of one rank of many");
    tap_ok(fm_floor_of(&none, 2) == 0, "no calls, no floor");
}

static void test_above(void)
{
    struct fm_stats half = stats_of(50, 1000, 50, MS), twice = stats_of(50, 1000, 50, 3000);
    struct fm_waiting part = fm_waiting_above(&half, 1500);
    tap_ok(part.ns > 0.99 * 50 * MS && part.ns <= 50.1 * MS && part.calls == 50, "calls that take much longer wait");
    tap_ok(fm_waiting_above(&twice, 1500).ns == 0, "a few times the floor is no waiting");
    tap_ok(fm_waiting_above(&half, 0).ns == 0, "without a floor nothing is known");
}

static void test_slow_network(void)
{
    struct fm_event_key small = {.routine = "MPI_Recv", .size_bin = fm_size_bin(8)};
    struct fm_event_key large = {.routine = "MPI_Recv", .size_bin = fm_size_bin(100000000)};
    struct fm_event_key unknown = {.routine = "MPI_Waitall"}, barrier = {.routine = "MPI_Barrier", .comm_size = 64};
    tap_ok(fm_floor_slow_network(&small) < MS && fm_floor_slow_network(&large) > 0.9 * (double)SECOND,
           "large messages may take long");
    tap_ok(fm_floor_slow_network(&unknown) > 1e30 && fm_floor_slow_network(&barrier) < MS,
           "unknown sizes too, but not barriers");
}

/* What is waiting in the calls of a profile, and what is not, is all of their time. */
static void test_profile(void)
{
    struct fm_profile *profile = sample_profile(4);
    struct fm_arena arena = {0};
    struct fm_floors floors;
    struct fm_error error;
    tap_ok(!fm_floors_find(profile, &arena, &floors, &error) && floors.n == profile->n_events, "a floor for each kind");
    bool within = true;
    for (size_t i = 0; i < profile->n_events; i++) {
        struct fm_waiting waiting = fm_waiting_in(&floors, &profile->events[i]);
        within &= waiting.ns >= 0 && waiting.ns <= (double)profile->events[i].stats.total_ns &&
                  waiting.calls <= (double)profile->events[i].stats.count;
    }
    tap_ok(within, "waiting is part of the time of the calls");
    struct fm_event other = {.key = {.routine = "MPI_Other", .region = ""}, .stats = {.count = 1, .total_ns = 5}};
    tap_ok(fm_waiting_in(&floors, &other).ns == 0, "calls that the profile does not have have no floor");
    fm_profile_destroy(profile);
    fm_arena_destroy(&arena);
}

/* A routine that is never fast has the floor of a slow network; communicators of many ranks a smaller quantile. */
static void test_floors(void)
{
    struct fm_event events[2] = {
        {.key = {.routine = "MPI_Allreduce", .region = "", .size_bin = fm_size_bin(8), .comm_size = 2},
         .stats = stats_of(0, 1, 100, MS * 100)},
        {.key = {.routine = "MPI_Allreduce", .region = "", .size_bin = fm_size_bin(8), .comm_size = 1000},
         .stats = stats_of(2, 1000, 998, MS * 100)},
    };
    struct fm_profile profile = {.events = events, .n_events = 2, .job.ranks = 2};
    struct fm_arena arena = {0};
    struct fm_floors floors;
    struct fm_error error;
    fm_floors_find(&profile, &arena, &floors, &error);
    tap_ok(fm_waiting_in(&floors, &events[0]).floor_ns == fm_floor_slow_network(&events[0].key) &&
               fm_waiting_in(&floors, &events[0]).calls == 100,
           "calls that are never fast all wait");
    tap_ok(fm_waiting_in(&floors, &events[1]).floor_ns < 2000 && fm_waiting_in(&floors, &events[1]).calls == 998,
           "of many ranks, only one may come last and not wait");
    fm_arena_destroy(&arena);
}

int main(void)
{
    test_floor();
    test_above();
    test_slow_network();
    test_profile();
    test_floors();
    return tap_done();
}
