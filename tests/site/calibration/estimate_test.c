/* Estimates against Figure 4 of "Automatic MPI Counter Profiling" (Rabenseifner), and against values computed by hand. */
#include "site/calibration/estimate.h"

#include <math.h>
#include <string.h>

#include "tap.h"

/* The figure's MB: 1 MB / s there is 2^20 bytes per second, as 292e8 bytes at 300 MB/s are 92.8 s. */
static const double MB = 1048576;

/* The columns: calls, time, bytes; latency in us, bandwidth in MB/s; latency, transfer and synchronisation in s. */
static const struct row {
    const char *routine;
    double calls, time_s, bytes, latency_us, mb_per_s, column_11, column_12, column_13;
    unsigned flags;
} figure[] = {
    {"MPI_Recv", 703e5, 263e1, 292e8, 10, 300, 703e0, 928e-1, 184e1, 0},
    {"MPI_Ssend", 703e5, 134e4, 292e8, 50, 300, 352e1, 928e-1, 134e4, 0},
    {"MPI_Waitall", 138e6, 403e3, 0, 20, 0, 275e1, 0, 400e3, 0},
    {"MPI_Reduce", 346176, 104e4, 181e9, 51, 6, 177e-1, 288e2, 101e4, 0},
    {"MPI_Allreduce", 122e5, 114e4, 975e5, 70, 6, 854e0, 155e-1, 114e4, 0},
    {"MPI_Get_count", 278e5, 368e-1, 0, 0, 0, 368e-1, 0, 0, 0},
    {"MPI_Cart_create", 232, 595e-2, 0, 0, 0, 595e-2, 0, 0, 0},
    {"MPI_Init", 232, 549e-2, 0, 0, 0, 549e-2, 0, 0, 0},
    /* The exceptions, which are negative in the figure: limited to their time here, with a flag. */
    {"MPI_Isend", 137e6, 232e2, 243e10, 10, 100, 137e1, 218.3e2, 0, FM_ESTIMATE_HIDDEN},
    {"MPI_Irecv", 137e6, 389e1, 542e11, 10, 300, 137e1, 252e1, 0, FM_ESTIMATE_HIDDEN},
};
enum { ROWS = sizeof figure / sizeof *figure };

/* Three digits are given, and columns 2 to 10 have been rounded, too. */
static bool agrees(double value, double wanted)
{
    return wanted == 0 ? fabs(value) < 1e-9 : fabs(value / wanted - 1) < 0.011;
}

static void parse(struct fm_calibration *calibration, const char *text)
{
    struct fm_error error = {0};
    if (!tap_ok(!fm_calibration_parse(calibration, text, strlen(text), "test", &error), "a calibration is read"))
        printf("# %s\n", error.text);
}

static void figure_4(void)
{
    char text[8192] = "{\"fathom_calibration\": 1, \"routines\": [", item[256];
    struct fm_estimate_input inputs[ROWS];
    struct fm_estimate estimates[ROWS];
    struct fm_calibration calibration;
    for (int i = 0; i < ROWS; i++) {
        const struct row *row = &figure[i];
        inputs[i] = (struct fm_estimate_input){row->routine, (int64_t)row->calls, (int64_t)row->bytes, -1, row->time_s};
        if (!row->latency_us)
            continue;
        snprintf(item, sizeof item, "%s{\"name\": \"%s\", \"latency_s\": %g", i ? ", " : "", row->routine,
                 1e-6 * row->latency_us);
        strcat(text, item);
        if (row->mb_per_s) {
            snprintf(item, sizeof item, ", \"bandwidth_bytes_per_s\": %.0f", MB * row->mb_per_s);
            strcat(text, item);
        }
        strcat(text, "}");
    }
    parse(&calibration, strcat(text, "]}"));
    fm_estimate(&calibration, &(struct fm_estimate_job){232, 1, 0}, inputs, ROWS, estimates);
    for (int i = 0; i < ROWS; i++) {
        const struct fm_estimate *e = &estimates[i];
        tap_ok(agrees(e->latency_s, figure[i].column_11) && agrees(e->transfer_s, figure[i].column_12) &&
                   agrees(e->synchronisation_s, figure[i].column_13) && e->flags == figure[i].flags,
               "%s as in the figure: %.4g, %.4g and %.4g s", figure[i].routine, e->latency_s, e->transfer_s,
               e->synchronisation_s);
    }
    fm_calibration_destroy(&calibration);
}

static const char CLUSTER[] =
    "{\"fathom_calibration\": 1, \"routines\": ["
    "{\"name\": \"MPI_Send\", \"place\": \"host\", \"ranks_min\": 2, \"ranks_max\": 2,"
    " \"model\": {\"constant_s\": 1e-6, \"per_byte_s\": 1e-10}},"
    "{\"name\": \"MPI_Send\", \"place\": \"hosts\", \"ranks_min\": 2, \"ranks_max\": 2,"
    " \"model\": {\"constant_s\": 3e-6, \"per_byte_s\": 3e-10}},"
    "{\"name\": \"MPI_Irecv\", \"ranks_min\": 2, \"ranks_max\": 2, \"model\": {\"constant_s\": 1e-7}},"
    "{\"name\": \"MPI_Wait\", \"ranks_min\": 2, \"ranks_max\": 2,"
    " \"model\": {\"constant_s\": 1e-6, \"per_byte_s\": 1e-9}},"
    "{\"name\": \"MPI_Alltoall\", \"ranks_min\": 2, \"ranks_max\": 64, \"model\": {\"constant_s\": 1e-6,"
    " \"per_log2_ranks_s\": 2e-6, \"per_byte_s\": 1e-9, \"per_byte_growth_s\": 1e-10, \"growth\": \"ranks\"}}]}";

static struct fm_estimate one(const struct fm_calibration *calibration, struct fm_estimate_job job,
                              struct fm_estimate_input input)
{
    struct fm_estimate estimate;
    fm_estimate(calibration, &job, &input, 1, &estimate);
    return estimate;
}

static void places_and_communicators(const struct fm_calibration *calibration)
{
    const struct fm_estimate_input send = {"MPI_Send", 1000000, 1000000000, -1, 10};
    struct fm_estimate e = one(calibration, (struct fm_estimate_job){64, 1, NAN}, send);
    tap_ok(agrees(e.latency_s, 1) && agrees(e.transfer_s, 0.1) && agrees(e.synchronisation_s, 8.9) && !e.flags,
           "messages within a host");
    e = one(calibration, (struct fm_estimate_job){64, 4, 0.25}, send);
    tap_ok(agrees(e.latency_s, 1.5) && agrees(e.transfer_s, 0.15), "a quarter of them between hosts");
    e = one(calibration, (struct fm_estimate_job){64, 4, NAN}, send);
    tap_ok(agrees(e.latency_s, 1 + 2 * 48 / 63.), "unknown: the share of the pairs of ranks");

    struct fm_estimate_input alltoall = {"MPI_Alltoall", 100, 1000000, 100 * 16, 1};
    e = one(calibration, (struct fm_estimate_job){1024, 1, 0}, alltoall);
    tap_ok(agrees(e.latency_s, 100 * 9e-6) && agrees(e.transfer_s, 1e6 * 2.5e-9) && !e.flags,
           "a collective by the size of its communicator, not of the job");
    alltoall.comm_calls = -1;
    e = one(calibration, (struct fm_estimate_job){1024, 1, 0}, alltoall);
    tap_ok(agrees(e.latency_s, 100 * 21e-6) && e.flags == FM_ESTIMATE_EXTRAPOLATED,
           "unknown: of the job; more ranks than calibrated is said");
    alltoall.routine = "MPI_Alltoallw";
    alltoall.comm_calls = 100 * 16;
    e = one(calibration, (struct fm_estimate_job){1024, 2, 0}, alltoall);
    tap_ok(agrees(e.latency_s, 100 * 9e-6) && e.flags == FM_ESTIMATE_EXTRAPOLATED,
           "another routine stands for it; between hosts that were not calibrated");
    alltoall.routine = "MPI_Ialltoall";
    alltoall.time_s = 1e-3;
    e = one(calibration, (struct fm_estimate_job){1024, 1, 0}, alltoall);
    tap_ok(agrees(e.latency_s, 9e-4) && agrees(e.transfer_s, 1e-4) && e.synchronisation_s == 0 &&
               e.flags == FM_ESTIMATE_HIDDEN,
           "one that does not block hides its transfer");
    alltoall = (struct fm_estimate_input){"MPI_Alltoall", 100, 1000000, 100, 1};
    e = one(calibration, (struct fm_estimate_job){1024, 1, 0}, alltoall);
    tap_ok(e.kind == FM_ESTIMATE_LOCAL && e.latency_s == 1 && e.synchronisation_s == 0, "a communicator of one rank");
    alltoall = (struct fm_estimate_input){"MPI_Alltoall", 100, -1, 1600, 1};
    e = one(calibration, (struct fm_estimate_job){16, 1, 0}, alltoall);
    tap_ok(e.transfer_s == 0 && e.flags == FM_ESTIMATE_NO_BYTES, "bytes that are unknown, as in older records");
}

static void completion(const struct fm_calibration *calibration)
{
    const struct fm_estimate_input inputs[] = {{"MPI_Irecv", 1000, 500000000, -1, 0.01},
                                               {"MPI_Wait", 500, 0, -1, 0.3},
                                               {"MPI_Waitall", 500, 0, -1, 0.1},
                                               {"MPI_Put", 5, 100, -1, 0.2},
                                               {"other", 5, 100, -1, 0.2}};
    struct fm_estimate e[5];
    fm_estimate(calibration, &(struct fm_estimate_job){2, 1, 0}, inputs, 5, e);
    tap_ok(e[1].flags == FM_ESTIMATE_HIDDEN && agrees(e[1].latency_s, 5e-4) && agrees(e[1].transfer_s, 0.2995) &&
               e[2].flags == FM_ESTIMATE_HIDDEN,
           "what does not fit into the calls that wait was hidden");
    tap_ok(e[3].kind == FM_ESTIMATE_UNKNOWN && e[4].kind == FM_ESTIMATE_UNKNOWN && e[3].latency_s == 0,
           "what is not calibrated is unknown");
    struct fm_estimate_input longer[2] = {inputs[0], inputs[1]};
    longer[1].time_s = 2;
    fm_estimate(calibration, &(struct fm_estimate_job){2, 1, 0}, longer, 2, e);
    tap_ok(agrees(e[1].transfer_s, 0.5) && agrees(e[1].synchronisation_s, 1.4995) && !e[1].flags,
           "calls that wait get the bytes of the messages they complete");
    struct fm_estimate_input brief = {"MPI_Send", 1000000, 10, -1, 0.5};
    e[0] = one(calibration, (struct fm_estimate_job){2, 1, 0}, brief);
    tap_ok(e[0].flags == FM_ESTIMATE_LIMITED && e[0].latency_s == 0.5 && e[0].transfer_s == 0 &&
               e[0].synchronisation_s == 0,
           "faster than the calibration: limited, never negative");
}

/* Whatever is asked: three parts that are not negative and add up to the time. */
static void parts_add_up(const struct fm_calibration *calibration)
{
    static const char *const routines[] = {"MPI_Send",       "MPI_Alltoall",    "MPI_Wait", "MPI_Irecv",
                                           "MPI_Iallreduce", "MPI_Alltoallv_c", "MPI_Init", "MPI_"};
    uint64_t state = 7;
    bool good = true;
    for (int i = 0; i < 20000; i++) {
        uint64_t bits[6];
        for (int k = 0; k < 6; k++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            bits[k] = state >> (1 + (state >> 32) % 60);
        }
        struct fm_estimate_input input = {routines[i % 8], (int64_t)bits[0], (int64_t)bits[1] - 1, (int64_t)bits[2] - 1,
                                          (double)bits[3] * 1e-9};
        struct fm_estimate e = one(
            calibration, (struct fm_estimate_job){(uint32_t)bits[4], (uint32_t)bits[5], i % 3 ? 0.5 : NAN}, input);
        double sum = e.latency_s + e.transfer_s + e.synchronisation_s;
        good &= e.latency_s >= 0 && e.transfer_s >= 0 && e.synchronisation_s >= 0 &&
                (e.kind == FM_ESTIMATE_UNKNOWN ? sum == 0 : fabs(sum - input.time_s) <= 1e-9 * input.time_s);
    }
    tap_ok(good, "parts of any calls are not negative and add up to the time");
}

int main(void)
{
    struct fm_calibration cluster;
    char flags[FM_ESTIMATE_FLAGS_CHARS];
    figure_4();
    parse(&cluster, CLUSTER);
    places_and_communicators(&cluster);
    completion(&cluster);
    parts_add_up(&cluster);
    tap_ok(strcmp(fm_estimate_flags_text(15, flags), "limited, hidden, extrapolated, no bytes") == 0 &&
               strlen(fm_estimate_flags_text(0, flags)) == 0,
           "flags have names");
    fm_calibration_destroy(&cluster);
    return tap_done();
}
