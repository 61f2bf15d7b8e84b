/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report_estimates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

/* ---- the job ---- */

static int compare_rank(const void *a, const void *b)
{
    const struct fm_process *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static const struct fm_process *process_of(const struct fm_profile *profile, uint32_t rank)
{
    struct fm_process wanted = {.rank = rank};
    return profile->n_processes
               ? bsearch(&wanted, profile->processes, profile->n_processes, sizeof wanted, compare_rank)
               : NULL;
}

/* The share of the messages between ranks of different hosts; NAN if no message is known. */
static double between_hosts(const struct fm_profile *profile)
{
    double all = 0, between = 0;
    for (size_t i = 0; i < profile->sent.n; i++) {
        const struct fm_edge *edge = &profile->sent.items[i];
        const struct fm_process *from = process_of(profile, edge->from), *to = process_of(profile, edge->to);
        if (!from || !to)
            continue;
        all += (double)edge->messages;
        between += from->host != to->host ? (double)edge->messages : 0;
    }
    return all > 0 ? between / all : NAN;
}

static struct fm_estimate_job job_of(const struct fm_profile *profile)
{
    return (struct fm_estimate_job){
        .ranks = profile->job.ranks,
        .hosts = (uint32_t)profile->n_hosts,
        .between = profile->n_hosts > 1 ? between_hosts(profile) : 0,
    };
}

/* The average size of the communicator, by the events of the routine, times all of its calls: large jobs leave out some
 * events. */
static int64_t comm_calls_of(const struct fm_profile *profile, const char *routine, uint64_t all_calls)
{
    double calls = 0, comm_calls = 0;
    for (size_t i = 0; i < profile->n_events; i++) {
        const struct fm_event *event = &profile->events[i];
        if (!event->key.comm_size || strcmp(event->key.routine, routine) != 0)
            continue;
        calls += (double)event->stats.count;
        comm_calls += (double)event->stats.count * event->key.comm_size;
    }
    return calls > 0 ? (int64_t)(comm_calls / calls * (double)all_calls) : -1;
}

/* ---- estimates ---- */

static void add(struct fm_report_estimates *sums, const struct fm_estimate *estimate, double time_s)
{
    if (estimate->kind == FM_ESTIMATE_SPLIT) {
        sums->latency_s += estimate->latency_s;
        sums->transfer_s += estimate->transfer_s;
        sums->synchronisation_s += estimate->synchronisation_s;
    } else if (estimate->kind == FM_ESTIMATE_LOCAL) {
        sums->local_s += estimate->latency_s;
    } else {
        sums->unknown_s += time_s;
    }
}

enum fm_status fm_report_estimates(struct fm_report *report, struct fm_report_estimates *estimates,
                                   struct fm_error *error)
{
    const struct fm_summary *summary = &report->summary;
    *estimates = (struct fm_report_estimates){0};
    if (!report->options.calibration)
        return FM_OK;
    struct fm_estimate_job job = job_of(report->profile);
    struct fm_estimate_input *inputs = fm_arena_alloc(&report->arena, summary->n_routines * sizeof *inputs);
    struct fm_estimate *routines = fm_arena_alloc(&report->arena, summary->n_routines * sizeof *routines);
    if (!inputs || !routines)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory to estimate %zu routines", summary->n_routines);
    for (size_t i = 0; i < summary->n_routines; i++) {
        const struct fm_routine_total *routine = summary->routines[i];
        inputs[i] = (struct fm_estimate_input){
            .routine = routine->name,
            .calls = (int64_t)routine->stats.count,
            .bytes = (int64_t)routine->stats.bytes,
            .comm_calls = comm_calls_of(report->profile, routine->name, routine->stats.count),
            .time_s = 1e-9 * (double)routine->stats.total_ns,
        };
    }
    fm_estimate(report->options.calibration, &job, inputs, summary->n_routines, routines);
    for (size_t i = 0; i < summary->n_routines; i++)
        add(estimates, &routines[i], inputs[i].time_s);
    estimates->routines = routines;
    return FM_OK;
}

double fm_report_transfer(void *context, const struct fm_call_sums *sums, size_t n)
{
    struct fm_report *report = context;
    struct fm_estimate_job job = job_of(report->profile);
    struct fm_estimate_input *inputs = calloc(n + 1, sizeof *inputs);
    struct fm_estimate *estimates = calloc(n + 1, sizeof *estimates);
    double ns = 0;
    for (size_t i = 0; inputs && i < n; i++)
        inputs[i] = (struct fm_estimate_input){
            .routine = sums[i].routine,
            .calls = (int64_t)sums[i].calls,
            .bytes = (int64_t)sums[i].bytes,
            .comm_calls = sums[i].comm_calls ? (int64_t)sums[i].comm_calls : -1,
            .time_s = 1e-9 * (double)sums[i].ns,
        };
    if (inputs && estimates) /* without memory the floors are what is left */
        fm_estimate(report->options.calibration, &job, inputs, n, estimates);
    for (size_t i = 0; i < n; i++)
        ns += estimates && estimates[i].kind == FM_ESTIMATE_SPLIT
                  ? 1e9 * (estimates[i].latency_s + estimates[i].transfer_s)
                  : sums[i].not_waiting_ns;
    free(inputs);
    free(estimates);
    return ns;
}

/* ---- text ---- */

void fm_estimate_cells(struct fm_report *report, struct fm_table *table, const struct fm_estimate *estimate)
{
    char flags[FM_ESTIMATE_FLAGS_CHARS];
    bool known = estimate->kind != FM_ESTIMATE_UNKNOWN, split = estimate->kind == FM_ESTIMATE_SPLIT;
    fm_cell_number_or_none(table, 1e9 * estimate->latency_s, known);
    fm_cell_number_or_none(table, 1e9 * estimate->transfer_s, split);
    fm_cell_number_or_none(table, 1e9 * estimate->synchronisation_s, split);
    fm_cell_text(table, !known  ? "not calibrated"
                        : split ? fm_format(&report->arena, "%s", fm_estimate_flags_text(estimate->flags, flags))
                                : "no data");
}

/* Another MPI or processor than that of the job makes the estimates doubtful. */
void fm_print_calibration(struct fm_report *report, FILE *out)
{
    const struct fm_calibration *calibration = report->options.calibration;
    const struct fm_profile *profile = report->profile;
    const char *cpu = profile->n_hosts ? profile->hosts[0].cpu : "";
    if (!calibration)
        return;
    fm_print_sentence(out, "Estimates from %s%s%s%s%s%s%.10s.", report->options.calibration_path,
                      *calibration->mpi ? ": " : "", calibration->mpi, *calibration->host ? " on " : "",
                      calibration->host, *calibration->made ? ", " : "", calibration->made);
    if (calibration->oversubscribed)
        fm_print_sentence(out, "The calibration had more ranks than cores: its values mean little.");
    if (*calibration->mpi && *profile->job.mpi && strcmp(calibration->mpi, profile->job.mpi) != 0)
        fm_print_sentence(out, "The job used another MPI than the calibration: %s.", profile->job.mpi);
    if (*calibration->cpu && *cpu && strcmp(calibration->cpu, cpu) != 0)
        fm_print_sentence(out, "The job ran on another processor than the calibration: %s.", cpu);
}

static void print_sums(const struct fm_report_estimates *sums, FILE *out)
{
    char latency[FM_UNIT_CHARS], transfer[FM_UNIT_CHARS], synchronisation[FM_UNIT_CHARS], rest[FM_UNIT_CHARS];
    double all = sums->latency_s + sums->transfer_s + sums->synchronisation_s + sums->local_s + sums->unknown_s;
    fm_print_sentence(out,
                      "Of the MPI time, %s is latency, %s transfer and %s synchronisation; %s is in other routines.",
                      fm_percent_whole(latency, fm_ratio(sums->latency_s, all)),
                      fm_percent_whole(transfer, fm_ratio(sums->transfer_s, all)),
                      fm_percent_whole(synchronisation, fm_ratio(sums->synchronisation_s, all)),
                      fm_percent_whole(rest, fm_ratio(sums->local_s + sums->unknown_s, all)));
}

static void print_flags(const struct fm_estimate *estimates, size_t n, FILE *out)
{
    static const char *const meanings[FM_ESTIMATE_FLAGS] = {
        "limited: latency and transfer would take longer than the calls did",
        "hidden: part of the transfer went on while the program computed",
        "extrapolated: the calibration has other numbers of ranks, or not both within and between hosts",
        "no bytes: transfer counts as synchronisation",
    };
    unsigned flags = 0;
    for (size_t i = 0; i < n; i++)
        flags |= estimates[i].flags;
    for (unsigned i = 0; i < FM_ESTIMATE_FLAGS; i++)
        if (flags & 1u << i)
            fm_print_sentence(out, "%s.", meanings[i]);
}

enum fm_status fm_print_estimates(struct fm_report *report, size_t rows, FILE *out, struct fm_error *error)
{
    static const struct fm_column columns[] = {
        {"routine", NULL, FM_COLUMN_TEXT},   {"time", NULL, FM_COLUMN_TIME},
        {"time/call", NULL, FM_COLUMN_TIME}, {"bytes/call", NULL, FM_COLUMN_BYTES},
        {"lat./call", NULL, FM_COLUMN_TIME}, {"bandwidth", NULL, FM_COLUMN_RATE},
        {"latency", NULL, FM_COLUMN_TIME},   {"transfer", NULL, FM_COLUMN_TIME},
        {"synchr.", NULL, FM_COLUMN_TIME},   {"", NULL, FM_COLUMN_TEXT},
    };
    static const size_t spared[] = {3, 5, 4, 2};
    struct fm_report_estimates estimates;
    struct fm_table table;
    enum fm_status status = fm_report_estimates(report, &estimates, error);
    if (status || !estimates.routines)
        return status;
    fm_table_start(&table, &report->arena, columns, sizeof columns / sizeof *columns);
    fm_table_spare(&table, spared, sizeof spared / sizeof *spared);
    for (size_t i = 0; i < rows; i++) {
        const struct fm_routine_total *routine = report->summary.routines[i];
        const struct fm_estimate *estimate = &estimates.routines[i];
        double calls = (double)routine->stats.count;
        fm_cell_text(&table, routine->name);
        fm_cell_whole(&table, routine->stats.total_ns);
        fm_cell_number(&table, fm_ratio((double)routine->stats.total_ns, calls));
        fm_cell_number_or_none(&table, fm_ratio((double)routine->stats.bytes, calls), routine->stats.bytes > 0);
        fm_cell_number_or_none(&table, 1e9 * estimate->call_latency_s, estimate->call_latency_s > 0);
        fm_cell_number_or_none(&table, estimate->bandwidth_bytes_per_s, estimate->bandwidth_bytes_per_s > 0);
        fm_estimate_cells(report, &table, estimate);
    }
    fputc('\n', out);
    fm_table_print(&table, out);
    fm_print_more(out, rows, report->summary.n_routines, "routine");
    fputc('\n', out);
    fm_print_sentence(out, "latency: calls x latency of a call; transfer: bytes / bandwidth; synchr.: synchronisation, "
                           "the rest.");
    print_sums(&estimates, out);
    print_flags(estimates.routines, rows, out);
    fm_print_calibration(report, out);
    return FM_OK;
}
