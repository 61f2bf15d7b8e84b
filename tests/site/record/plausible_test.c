/* What no job of a site can have is told from what one can have. */
#include "site/record/plausible.h"

#include <math.h>
#include <string.h>

#include "tap.h"

enum { DAY_S = 86400, NOW = 1800000000 };

static const struct fm_record_limits limits = {.now = NOW, .since = NOW - 100 * DAY_S, .processors = 1000};

/* An hour on 64 ranks of two hosts. */
static struct fm_record job(void)
{
    struct fm_record record;
    fm_record_init(&record);
    record.started = NOW - DAY_S;
    record.ended = record.started + 3600;
    record.ranks = record.cores = 64;
    record.hosts = 2;
    record.wall_s = 3600;
    record.cpu_s = 64 * 3600;
    record.mpi_s = 20 * 3600;
    record.parallel = 0.7;
    return record;
}

static const char *reason(struct fm_record record)
{
    const char *why = fm_record_implausible(&record, &limits);
    return why ? why : "";
}

#define REASON(why, name, ...)                                            \
    do {                                                                  \
        struct fm_record made = job();                                    \
        __VA_ARGS__;                                                      \
        tap_ok(!strcmp(reason(made), why), "%s: %s", name, reason(made)); \
    } while (0)

static void jobs_of_the_site(void)
{
    struct fm_record unknown;
    fm_record_init(&unknown);
    unknown.started = NOW;
    REASON("", "a job", (void)0);
    REASON("", "a record with nothing but a start", made = unknown);
    REASON("", "clocks differ", made.ended -= 1800);
    REASON("", "a clock of another zone", made.started += 2 * DAY_S; made.ended += 2 * DAY_S);
    REASON("", "several threads in MPI", made.mpi_s = 512 * made.cpu_s);
    REASON("", "hardware threads", made.ranks = made.cores = 8000; made.cpu_s = 8000 * 3600.0);
    REASON("", "a short job", made.ended = made.started; made.wall_s = 0.001; made.cpu_s = made.mpi_s = 0.05);
}

static void figures_of_no_job(void)
{
    struct fm_record_host host = {.name = "node1", .ranks = 32, .slowness = 65 * 1.2};
    struct fm_record_routine routine = {.name = "MPI_Send", .time_s = 1e12},
                             often = {.name = "MPI_Send", .calls = FM_RECORD_WHOLE_MAX};
    struct fm_record_span region = {.name = "region", .wall_s = 1e15, .mpi_s = NAN};
    REASON("in the future", "an end in the future", made.ended = NOW + 3 * DAY_S);
    REASON("in the future", "a start in the future", made.started = NOW + 3 * DAY_S);
    REASON("before the first day", "a job of the past", made.started -= 100 * DAY_S);
    REASON("beyond capacity", "too many ranks", made.ranks = 8001);
    REASON("beyond capacity", "too many hosts", made.hosts = 1001);
    REASON("beyond capacity", "too many cores", made.cores = 8001);
    REASON("impossible times", "wall time beyond the end", made.wall_s = 7201);
    REASON("impossible times", "CPU time above ranks x wall time", made.cpu_s *= 1.2);
    REASON("impossible times", "CPU time of nobody knows how many ranks", made.ranks = -1);
    REASON("impossible times", "CPU time without a wall time", made.wall_s = NAN; made.cpu_s = 1e12);
    REASON("impossible times", "time in MPI", made.mpi_s = 2000 * made.cpu_s);
    REASON("impossible times", "time in a routine", made.routines = &routine; made.n_routines = 1);
    REASON("impossible numbers", "counted events", made.cpu_s = 1; made.mpi_s = 0; made.wall_s = 1; made.ranks = 1;
           made.cores = 1; made.instructions = FM_RECORD_WHOLE_MAX);
    REASON("impossible numbers", "bytes of files", made.cpu_s = 1; made.mpi_s = 0; made.wall_s = 1; made.ranks = 1;
           made.cores = 1; made.written_bytes = FM_RECORD_WHOLE_MAX);
    REASON("impossible numbers", "calls of a routine", made.cpu_s = 1; made.mpi_s = 0; made.wall_s = 1; made.ranks = 1;
           made.cores = 1; made.routines = &often; made.n_routines = 1);
    REASON("impossible numbers", "memory", made.memory_bytes = FM_RECORD_WHOLE_MAX);
    REASON("impossible times", "time in a region", made.regions = &region; made.n_regions = 1);
    REASON("beyond capacity", "stands for more than there was", made.ranks = 8000; made.wall_s = 86400;
           made.started -= DAY_S; made.ended = made.started + DAY_S; made.cpu_s = 8000.0 * 86400;
           made.sample_weight = 1000);
    REASON("impossible ratios", "an efficiency", made.parallel = 1.5);
    REASON("impossible ratios", "a host slower than the whole job", made.host_list = &host; made.n_host_list = 1);
}

static void without_a_configuration(void)
{
    struct fm_record record = job();
    record.started = 946684800;
    record.ended = record.started + 3600;
    record.ranks = record.cores = record.hosts = 1000000;
    const struct fm_record_limits none = {.now = NOW};
    tap_ok(!fm_record_implausible(&record, &none),
           "capacity and first day limit no job that could be if they are unknown");
    record.ranks = 1000000000;
    tap_ok(fm_record_implausible(&record, &none), "more ranks than any machine has");
    record.started = 1;
    record.ended = 3601;
    tap_ok(fm_record_implausible(&record, &none), "a job of 1970");
}

int main(void)
{
    jobs_of_the_site();
    figures_of_no_job();
    without_a_configuration();
    return tap_done();
}
