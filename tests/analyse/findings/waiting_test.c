/* The floor of calls and what is above it. */
#include "analyse/findings/waiting.h"

#include "made_job.h"

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
    tap_ok(fm_wait_floor(&half, 2) > 1000 && fm_wait_floor(&half, 2) < 2000,
           "the floor is what the fastest calls take");
    tap_ok(fm_wait_floor(&few, 2) > MS && fm_wait_floor(&few, 2) < 2 * MS, "a few lucky ones do not count");
    tap_ok(fm_wait_floor(&few, 200) < 2000, "unless they are those of one rank of many");
    tap_ok(fm_wait_floor(&none, 2) == 0, "no calls, no floor");
}

static void test_above(void)
{
    struct fm_stats half = stats_of(50, 1000, 50, MS), twice = stats_of(50, 1000, 50, 3000);
    struct fm_wait_part part = fm_wait_above(&half, 1500);
    tap_ok(part.ns > 0.99 * 50 * MS && part.ns <= 50.1 * MS && part.calls == 50, "calls that take much longer wait");
    tap_ok(fm_wait_above(&twice, 1500).ns == 0, "a few times the floor is no waiting");
    tap_ok(fm_wait_above(&half, 0).ns == 0, "without a floor nothing is known");
}

static void test_slow_network(void)
{
    struct fm_event_key small = {.routine = "MPI_Recv", .size_bin = fm_size_bin(8)};
    struct fm_event_key large = {.routine = "MPI_Recv", .size_bin = fm_size_bin(100000000)};
    struct fm_event_key unknown = {.routine = "MPI_Waitall"}, barrier = {.routine = "MPI_Barrier", .comm_size = 64};
    tap_ok(fm_wait_slow_network(&small) < MS && fm_wait_slow_network(&large) > 0.9 * (double)SECOND,
           "large messages may take long");
    tap_ok(fm_wait_slow_network(&unknown) > 1e30 && fm_wait_slow_network(&barrier) < MS,
           "unknown sizes too, but not barriers");
}

static void test_kinds(void)
{
    tap_ok(fm_wait_kind_of("MPI_Send", 0) == FM_WAIT_SEND && fm_wait_kind_of("MPI_Isend", 0) == FM_WAIT_NONE &&
               fm_wait_kind_of("MPI_Sendrecv", 0) == FM_WAIT_RECEIVE &&
               fm_wait_kind_of("MPI_Waitany", 0) == FM_WAIT_RECEIVE &&
               fm_wait_kind_of("MPI_Barrier", 4) == FM_WAIT_BARRIER &&
               fm_wait_kind_of("MPI_Allreduce", 4) == FM_WAIT_COLLECTIVE &&
               fm_wait_kind_of("MPI_Allreduce", 1) == FM_WAIT_NONE &&
               fm_wait_kind_of("MPI_Iallreduce", 4) == FM_WAIT_NONE && fm_wait_kind_of("MPI_Init", 4) == FM_WAIT_NONE &&
               fm_wait_kind_of("MPI_Comm_split", 4) == FM_WAIT_NONE,
           "what a routine waits for");
}

static void test_sites(void)
{
    struct made_job *job = made_job(1);
    struct fm_waits waits;
    struct fm_error error = {0};
    made_calls(job, "MPI_Recv", 1, 8, 0, 1, 100, MS);
    made_calls(job, "MPI_Recv", 2, 8, 100, 1000, 0, 1);
    made_calls(job, "MPI_Isend", 3, 8, 0, 1, 100, MS);
    fm_waits_find(&job->profile, &job->arena, &waits, &error);
    tap_ok(waits.n == 2 && waits.items[0].site.offset == 1 && waits.items[0].waiting_ns > 0.99 * 100 * MS &&
               waits.items[1].waiting_ns == 0,
           "the floor of a call site is that of the routine and size anywhere");
    made_job_free(job);
}

int main(void)
{
    test_floor();
    test_above();
    test_slow_network();
    test_kinds();
    test_sites();
    return tap_done();
}
