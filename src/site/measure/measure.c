/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "site/measure/measure.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/host.h"
#include "site/measure/bench.h"

enum {
    ROOM = 8 << 20, /* of each buffer: larger collectives are left out */
    BUFFERED = 16 << 20,
    REPETITIONS = 25,
    LEAST_REPETITIONS = 3,
    MOST_CALLS = 2000, /* in a row */
    TAG = 3,
    ALWAYS = 2,  /* sizes that are measured even if the time is over, */
    LATEST = 20, /* but not this many seconds later */
};

/* The two ends first: without the others there is still a model. */
static const size_t sizes[] = {8, 1 << 20, 65536, 1024, 8192, 262144, 128, 32768}, quick_sizes[] = {8, 65536, 4096};

struct rank {
    struct fm_measure_mpi mpi;
    const struct fm_measure_options *options;
    fm_word world;
    int rank, ranks;
    int *hosts;  /* by rank: the lowest rank on its host */
    int *order;  /* ranks, of all hosts in turn */
    int n_hosts; /* their number */
    double start_s;
    struct fm_bench_group memory; /* without a communicator */
};

static double now_s(void)
{
    return 1e-9 * (double)fm_clock_ns(CLOCK_MONOTONIC);
}

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whole lines, at once: the launcher may end before the stream is flushed. */
static void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs(FM_MEASURE_MARK, stdout);
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
    fflush(stdout);
}

/* ---- waiting ---- */

/* Ranks wait until rank 0 has got here. They sleep: MPI itself would wait at the cost of a core that others may need. */
static void wait_for_first(struct rank *me)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    const struct fm_measure_mpi *mpi = &me->mpi;
    char token = 0, status[FM_STATUS_BYTES];
    int arrived = 0;
    for (int i = 1; me->rank == 0 && i < me->ranks; i++)
        mpi->Send(&token, 1, mpi->abi.type_byte, i, TAG, me->world);
    while (me->rank != 0 && !arrived) {
        mpi->abi.pmpi.Iprobe(0, TAG, me->world, &arrived, status);
        if (!arrived)
            nanosleep(&pause, NULL);
    }
    if (me->rank != 0)
        mpi->Recv(&token, 1, mpi->abi.type_byte, 0, TAG, me->world, status);
}

/* ---- one point ---- */

/* Adds up numbers of all ranks of the group. */
static void add_up(const struct fm_bench_group *group, double *numbers, double *sums, int n)
{
    const struct fm_abi *abi = &group->mpi->abi;
    group->mpi->Allreduce(numbers, sums, n, abi->type_double, abi->op_sum, group->comm);
}

/* Whether to go on, or anything else that must be the same on all ranks: rank 0 decides. */
static int agree(const struct fm_bench_group *group, int decision)
{
    group->mpi->abi.pmpi.Bcast(&decision, sizeof decision, group->mpi->abi.type_byte, 0, group->comm);
    return decision;
}

/* How many calls in a row take about as long as wanted: more and more of them, because the first are slow, and a single
 * one may be lucky if ranks share a core. */
static int warm_up(const struct fm_bench_group *group, const struct fm_bench *bench, size_t size, double wanted_s)
{
    double seconds[FM_BENCH_ROUTINES];
    int calls = 1, more = 1;
    bench->run(group, bench, size, 1, seconds);
    while (more) {
        group->mpi->Barrier(group->comm);
        double start = now_s();
        bench->run(group, bench, size, calls, seconds);
        more = agree(group, now_s() - start < wanted_s / 2 && calls < MOST_CALLS);
        calls *= more ? 2 : 1;
    }
    return calls;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_point(const struct fm_bench_group *group, const struct fm_bench *bench, int routine,
                        const char *place, size_t size, double *times, int n, int calls)
{
    size_t bytes = bench->bytes(size, group->ranks);
    if (routine == 0 && bench->share > 0)
        bytes = (size_t)((double)bytes * bench->share);
    qsort(times, (size_t)n, sizeof *times, compare);
    if (times[0] > 0)
        say("point %s %s %d %zu %.9g %.9g %d", bench->routines[routine], place, group->ranks, bytes, times[0],
            times[n / 2], n * calls);
}

/* Repeats calls in a row for this time. */
static void measure(const struct fm_bench_group *group, const struct fm_bench *bench, const char *place, size_t size,
                    double seconds)
{
    double mine[REPETITIONS][FM_BENCH_ROUTINES], all[REPETITIONS][FM_BENCH_ROUTINES], until_s = now_s() + seconds;
    int calls = warm_up(group, bench, size, seconds / REPETITIONS), n = 0;
    while (agree(group, n < LEAST_REPETITIONS || (n < REPETITIONS && now_s() < until_s))) {
        double times[FM_BENCH_ROUTINES] = {0};
        group->mpi->Barrier(group->comm);
        bench->run(group, bench, size, calls, times);
        for (int k = 0; k < FM_BENCH_ROUTINES; k++)
            mine[n][k] = times[k] / group->ranks;
        n++;
    }
    add_up(group, mine[0], all[0], FM_BENCH_ROUTINES * n);
    for (int k = 0; group->rank == 0 && k < FM_BENCH_ROUTINES && bench->routines[k]; k++) {
        double times[REPETITIONS];
        for (int i = 0; i < n; i++)
            times[i] = all[i][k];
        print_point(group, bench, k, place, size, times, n, calls);
    }
}

/* ---- a group of ranks ---- */

/* Whether there is time for a point; the same on all ranks of the group. */
static double time_for(const struct rank *me, const struct fm_bench_group *group, double until_s, bool always,
                       int points)
{
    double now = now_s(), left = (until_s - now) / points;
    double late = now - me->start_s - me->options->seconds;
    if (left < 0)
        left = always && late < LATEST ? 0 : -1;
    group->mpi->abi.pmpi.Bcast(&left, sizeof left, group->mpi->abi.type_byte, 0, group->comm);
    return left;
}

static void measure_group(struct rank *me, struct fm_bench_group *group, const struct fm_bench *benches, size_t n,
                          const char *place, double until_s)
{
    const size_t *tried = me->options->quick ? quick_sizes : sizes;
    size_t n_sizes = me->options->quick ? sizeof quick_sizes / sizeof *quick_sizes : sizeof sizes / sizeof *sizes;
    int points = (int)(n * n_sizes);
    if (group->rank == 0)
        say("group %d %s %.3f", group->ranks, place, now_s() - me->start_s);
    for (size_t s = 0; s < n_sizes; s++)
        for (size_t i = 0; i < n; i++, points--) {
            if ((s && benches[i].once) || benches[i].room(tried[s], group->ranks) > group->room)
                continue;
            double seconds = time_for(me, group, until_s, s < ALWAYS, points);
            if (seconds >= 0)
                measure(group, &benches[i], place, tried[s], seconds);
        }
}

/* Collective over all ranks; those that are not among the members return at once and sleep. */
static void with_members(struct rank *me, const int *members, int n, const struct fm_bench *benches, size_t n_benches,
                         const char *place, double until_s)
{
    struct fm_bench_group group = me->memory;
    const struct fm_abi *abi = &me->mpi.abi;
    int place_in = -1;
    for (int i = 0; i < n; i++)
        if (members[i] == me->rank)
            place_in = i;
    wait_for_first(me);
    group.comm = 0;
    abi->pmpi.Comm_split(me->world, place_in < 0 ? abi->undefined : 0, place_in, &group.comm);
    if (place_in < 0)
        return;
    group.rank = place_in;
    group.ranks = n;
    measure_group(me, &group, benches, n_benches, place, until_s);
    abi->pmpi.Comm_free(&group.comm);
}

static int first_other(const struct rank *me, bool same_host)
{
    for (int i = 1; i < me->ranks; i++)
        if ((me->hosts[i] == me->hosts[0]) == same_host)
            return i;
    return -1;
}

static bool spans_hosts(const struct rank *me, int n)
{
    for (int i = 1; i < n; i++)
        if (me->hosts[me->order[i]] != me->hosts[me->order[0]])
            return true;
    return false;
}

/* Messages first. Each number of ranks gets the same time. */
static void measure_all(struct rank *me)
{
    int within[] = {0, first_other(me, true)}, between[] = {0, first_other(me, false)};
    int groups = (within[1] > 0) + (between[1] > 0), step = 0, n = me->ranks;
    for (int i = n; i > 1; i = i & (i - 1) ? 1 << (31 - __builtin_clz((unsigned)i)) : i / 2)
        groups++;
#define UNTIL (me->start_s + me->options->seconds * ++step / groups)
    if (within[1] > 0)
        with_members(me, within, 2, fm_message_benches, fm_message_bench_count, "host", UNTIL);
    if (between[1] > 0)
        with_members(me, between, 2, fm_message_benches, fm_message_bench_count, "hosts", UNTIL);
    for (; n > 1; n = n & (n - 1) ? 1 << (31 - __builtin_clz((unsigned)n)) : n / 2)
        with_members(me, me->order, n, fm_collective_benches, fm_collective_bench_count,
                     spans_hosts(me, n) ? "hosts" : "host", UNTIL);
#undef UNTIL
    wait_for_first(me);
}

/* ---- where the ranks are ---- */

/* Ranks of all hosts in turn, so that every group spans as many hosts as it can; rank 0 is the first. */
static void find_order(struct rank *me)
{
    int found = 0;
    for (int round = 0; found < me->ranks; round++)
        for (int host = 0; host < me->ranks; host++) {
            int seen = 0;
            for (int i = 0; me->hosts[host] == host && i < me->ranks; i++)
                if (me->hosts[i] == host && seen++ == round)
                    me->order[found++] = i;
        }
}

/* Cores that the ranks of this host may use, bound or not. */
static int cores_of(const struct rank *me, fm_word host)
{
    double mine[CPU_SETSIZE], all[CPU_SETSIZE];
    cpu_set_t set;
    int cores = 0;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    for (int i = 0; i < CPU_SETSIZE; i++)
        mine[i] = CPU_ISSET(i, &set) ? 1 : 0;
    me->mpi.Allreduce(mine, all, CPU_SETSIZE, me->mpi.abi.type_double, me->mpi.abi.op_sum, host);
    for (int i = 0; i < CPU_SETSIZE; i++)
        cores += all[i] > 0;
    return cores;
}

static void describe(struct rank *me)
{
    const struct fm_abi *abi = &me->mpi.abi;
    fm_word host = 0;
    int local = 0, leader = me->rank;
    char text[8192] = "", version[FM_MPI_VERSION_CHARS], name[128] = "unknown", cpu[FM_CPU_CHARS];
    abi->pmpi.Comm_split_type(me->world, abi->comm_type_shared, 0, abi->info_null, &host);
    abi->pmpi.Comm_size(host, &local);
    abi->pmpi.Bcast(&leader, sizeof leader, abi->type_byte, 0, host);
    int cores = cores_of(me, host);
    abi->pmpi.Comm_free(&host);
    me->mpi.Allgather(&leader, sizeof leader, abi->type_byte, me->hosts, sizeof leader, abi->type_byte, me->world);
    double use = cores ? (double)local / cores : 0, over = use > 1, hosts_over = 0;
    me->mpi.Allreduce(&over, &hosts_over, 1, abi->type_double, abi->op_sum, me->world);
    for (int i = 0; i < me->ranks; i++)
        me->n_hosts += me->hosts[i] == i;
    find_order(me);
    if (me->rank != 0)
        return;
    gethostname(name, sizeof name - 1);
    fm_host_cpu("", cpu);
    abi->pmpi.Get_library_version(text, &local);
    text[sizeof text - 1] = 0;
    fm_mpi_version(text, version);
    say("machine %d %d %d %d %s %s", me->ranks, me->n_hosts, cores, hosts_over > 0 ? 1001 : (int)(1000 * use), name,
        cpu);
    say("mpi %s", version);
}

/* ---- the life of a rank ---- */

static bool take_memory(struct rank *me)
{
    me->hosts = calloc((size_t)me->ranks, sizeof *me->hosts);
    me->order = calloc((size_t)me->ranks, sizeof *me->order);
    me->memory = (struct fm_bench_group){
        .mpi = &me->mpi,
        .send = calloc(ROOM, 1),
        .receive = calloc(ROOM, 1),
        .room = ROOM,
        .counts = calloc((size_t)me->ranks, sizeof(int)),
        .places = calloc((size_t)me->ranks, sizeof(int)),
    };
    return me->hosts && me->order && me->memory.send && me->memory.receive && me->memory.counts && me->memory.places;
}

enum fm_status fm_measure_rank(const struct fm_measure_options *options, struct fm_error *error)
{
    struct rank me = {.options = options};
    int none = 0;
    char **no_arguments = NULL;
    enum fm_status status = fm_measure_library(&me.mpi, options->library, error);
    if (status)
        return status;
    if (me.mpi.Init(&none, &no_arguments) != 0)
        return fm_fail(error, FM_ERR_SYSTEM, "MPI_Init failed");
    me.world = me.mpi.abi.comm_world;
    me.mpi.abi.pmpi.Comm_rank(me.world, &me.rank);
    me.mpi.abi.pmpi.Comm_size(me.world, &me.ranks);
    me.start_s = now_s();
    void *buffered = malloc(BUFFERED);
    if (me.ranks < 2) {
        status = fm_fail(error, FM_ERR_USAGE,
                         "there is only one rank: start at least two, with the launcher of the MPI that is measured");
    } else if (!take_memory(&me) || !buffered) {
        status = fm_fail(error, FM_ERR_MEMORY, "not enough memory to measure");
        me.mpi.Abort(me.world, 1);
    } else {
        int size = 0;
        me.mpi.Buffer_attach(buffered, BUFFERED);
        describe(&me);
        measure_all(&me);
        me.mpi.Buffer_detach(&buffered, &size);
        if (me.rank == 0)
            say("end %.3f", now_s() - me.start_s);
    }
    me.mpi.Finalize();
    free(buffered);
    free(me.hosts);
    free(me.order);
    free(me.memory.send);
    free(me.memory.receive);
    free(me.memory.counts);
    free(me.memory.places);
    return status;
}
