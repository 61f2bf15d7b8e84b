/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of a job. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "site/job/job.h"
#include "site/summary/estimates.h"

enum { DAY_S = 86400, COMPARED_DAYS = 366, OTHER_RUNS = 10 };

#define COMPARED_KEY "compared"
#define RUNS_KEY "runs"

const char *const fm_job_sheets[] = {"findings", "routines", FM_ESTIMATES_KEY, "regions", "timers",
                                     "hosts",    "settings", COMPARED_KEY,     RUNS_KEY,  NULL};

static enum fm_status no_memory(struct fm_error *error)
{
    return fm_fail(error, FM_ERR_MEMORY, "not enough memory for a table of a job");
}

static double known(int64_t number)
{
    return number >= 0 ? (double)number : NAN;
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : NAN;
}

static struct fm_sheet *start(struct fm_job_report *report, const char *key, const char *title,
                              const struct fm_column *columns, size_t n)
{
    struct fm_sheet *sheet = &report->sheets[report->n_sheets++];
    fm_sheet_start(sheet, key, title, columns, n);
    return sheet;
}
#define START(report, key, title, columns) start(report, key, title, columns, sizeof(columns) / sizeof *(columns))

static bool fill_findings(struct fm_job_report *report)
{
    static const struct fm_column columns[] = {
        {"costs", "cost_s", FM_COLUMN_TIME},    {"% of time", "cpu_fraction", FM_COLUMN_PERCENT},
        {"finding", "rule", FM_COLUMN_KEY},     {"function", "function", FM_COLUMN_TEXT},
        {"source", "source", FM_COLUMN_SOURCE}, {"what", "text", FM_COLUMN_TEXT},
    };
    const struct fm_record *record = &report->record;
    struct fm_sheet *sheet = START(report, "findings", "Findings, the most expensive first", columns);
    for (size_t i = 0; i < record->n_findings; i++) {
        const struct fm_record_finding *finding = &record->findings[i];
        struct fm_sheet_value *row;
        if (!fm_sheet_row(sheet, &report->arena, &row))
            return false;
        row[0].number = finding->cost_s * 1e9;
        row[1].number = ratio(finding->cost_s, record->cpu_s);
        row[2].text = finding->rule;
        row[3].text = finding->function;
        row[4].text = finding->line > 0 ? fm_format(&report->arena, "%s:%lld", finding->file, (long long)finding->line)
                                        : finding->file;
        row[5].text = finding->text;
    }
    return true;
}

static int compare_times(const void *a, const void *b)
{
    const struct fm_record_routine *x = a, *y = b;
    return x->time_s != y->time_s ? (x->time_s < y->time_s ? 1 : -1) : strcmp(x->name, y->name);
}

/* Their order is as the sender says, who need not be a Fathom. */
static bool fill_routines(struct fm_job_report *report)
{
    static const struct fm_column columns[] = {
        {"routine", "name", FM_COLUMN_KEY},
        {"calls", "calls", FM_COLUMN_COUNT},
        {"calls/rank", "calls_per_rank", FM_COLUMN_MEAN},
        {"time", "time_s", FM_COLUMN_TIME},
        {"% of MPI", "mpi_fraction", FM_COLUMN_PERCENT},
        {"% of time", "cpu_fraction", FM_COLUMN_PERCENT},
        {"time/call", "time_per_call_s", FM_COLUMN_TIME},
        {"counts", "count_arguments", FM_COLUMN_COUNT},
        {"bytes", "bytes", FM_COLUMN_BYTES},
        {"bytes/call", "bytes_per_call", FM_COLUMN_BYTES},
    };
    const struct fm_record *record = &report->record;
    struct fm_sheet *sheet = START(report, "routines", "MPI routines", columns);
    if (record->n_routines)
        qsort(report->record.routines, record->n_routines, sizeof *record->routines, compare_times);
    for (size_t i = 0; i < record->n_routines; i++) {
        const struct fm_record_routine *routine = &record->routines[i];
        struct fm_sheet_value *row;
        if (!fm_sheet_row(sheet, &report->arena, &row))
            return false;
        row[0].text = routine->name;
        row[1].number = known(routine->calls);
        row[2].number = ratio(known(routine->calls), (double)record->ranks);
        row[3].number = routine->time_s * 1e9;
        row[4].number = ratio(routine->time_s, record->mpi_s);
        row[5].number = ratio(routine->time_s, record->cpu_s);
        row[6].number = ratio(routine->time_s * 1e9, (double)routine->calls);
        row[7].number = known(routine->counts);
        row[8].number = known(routine->bytes);
        row[9].number = ratio(known(routine->bytes), (double)routine->calls);
    }
    return true;
}

static bool fill_spans(struct fm_job_report *report)
{
    static const struct fm_column columns[] = {
        {"region", "path", FM_COLUMN_TEXT},  {"entries", "entries", FM_COLUMN_COUNT},
        {"time", "wall_s", FM_COLUMN_TIME},  {"% of time", "cpu_fraction", FM_COLUMN_PERCENT},
        {"in MPI", "mpi_s", FM_COLUMN_TIME},
    };
    const struct fm_record *record = &report->record;
    for (int timers = 0; timers < 2; timers++) {
        size_t n = timers ? record->n_timers : record->n_regions;
        const struct fm_record_span *spans = timers ? record->timers : record->regions;
        struct fm_sheet *sheet = start(report, timers ? "timers" : "regions", timers ? "Timers" : "Regions", columns,
                                       timers ? 4 : 5);
        if (timers) {
            sheet->columns[0].heading = "timer";
            sheet->columns[0].key = "name";
        }
        for (size_t i = 0; i < n; i++) {
            struct fm_sheet_value *row;
            if (!fm_sheet_row(sheet, &report->arena, &row))
                return false;
            row[0].text = spans[i].name;
            row[1].number = known(spans[i].entries);
            row[2].number = spans[i].wall_s * 1e9;
            row[3].number = ratio(spans[i].wall_s, record->cpu_s);
            if (!timers)
                row[4].number = spans[i].mpi_s * 1e9;
        }
    }
    return true;
}

static bool fill_hosts(struct fm_job_report *report)
{
    static const struct fm_column columns[] = {
        {"host", "host", FM_COLUMN_KEY},
        {"ranks", "ranks", FM_COLUMN_COUNT},
        {"% slower", "slower", FM_COLUMN_PERCENT},
    };
    const struct fm_record *record = &report->record;
    struct fm_sheet *sheet = START(report, "hosts", "Hosts, and how much slower than the mean their ranks were",
                                   columns);
    for (size_t i = 0; i < record->n_host_list; i++) {
        struct fm_sheet_value *row;
        if (!fm_sheet_row(sheet, &report->arena, &row))
            return false;
        row[0].text = record->host_list[i].name;
        row[1].number = known(record->host_list[i].ranks);
        row[2].number = record->host_list[i].slowness - 1;
    }
    return true;
}

static bool fill_settings(struct fm_job_report *report)
{
    static const struct fm_column columns[] = {
        {"variable", "name", FM_COLUMN_KEY},
        {"value", "value", FM_COLUMN_TEXT},
    };
    const struct fm_record *record = &report->record;
    struct fm_sheet *sheet = START(report, "settings", "Environment variables of MPI", columns);
    for (size_t i = 0; i < record->n_settings; i++) {
        struct fm_sheet_value *row;
        if (!fm_sheet_row(sheet, &report->arena, &row))
            return false;
        row[0].text = record->settings[i].name;
        row[1].text = record->settings[i].value;
    }
    return true;
}

static enum fm_status estimate(struct fm_job_report *report, const struct fm_calibration *calibration,
                               struct fm_error *error)
{
    const struct fm_record *record = &report->record;
    struct fm_estimated_routine *routines = fm_arena_alloc(&report->arena, (record->n_routines + 1) * sizeof *routines);
    if (!routines)
        return no_memory(error);
    for (size_t i = 0; i < record->n_routines; i++)
        routines[i] = (struct fm_estimated_routine){record->routines[i].name, (double)record->routines[i].calls,
                                                    record->routines[i].time_s, (double)record->routines[i].bytes,
                                                    (double)record->routines[i].comm_calls};
    return fm_estimates_of_job(&report->sheets[report->n_sheets++], routines, record->n_routines, (double)record->ranks,
                               (double)record->hosts, calibration, &report->arena, error);
}

enum fm_status fm_job_report_fill(struct fm_job_report *report, const struct fm_calibration *calibration,
                                  struct fm_error *error)
{
    if (!fill_findings(report) || !fill_routines(report))
        return no_memory(error);
    enum fm_status status = calibration ? estimate(report, calibration, error) : FM_OK;
    if (status)
        return status;
    return fill_spans(report) && fill_hosts(report) && fill_settings(report) ? FM_OK : no_memory(error);
}

/* ---- other runs ---- */

/* In per cent, or millions per second. */
static const struct {
    const char *name;
    double unit;
} compared[FM_REFERENCE_FIGURES] = {
    [FM_REFERENCE_MPI] = {"MPI, % of CPU time", 0.01},
    [FM_REFERENCE_PARALLEL] = {"parallel efficiency, %", 0.01},
    [FM_REFERENCE_INSTRUCTIONS] = {"instructions, million/s", 1e6},
    [FM_REFERENCE_FP] = {"floating point, million/s", 1e6},
    [FM_REFERENCE_L2_MISSES] = {"level-2 misses, million/s", 1e6},
};

static bool fill_compared(struct fm_job_report *report, const struct fm_reference found[FM_REFERENCE_FIGURES])
{
    static const struct fm_column columns[] = {
        {"figure", "figure", FM_COLUMN_KEY}, {"this job", "value", FM_COLUMN_MEAN},
        {"runs", "runs", FM_COLUMN_COUNT},   {"least", "min", FM_COLUMN_MEAN},
        {"25 %", "p25", FM_COLUMN_MEAN},     {"median", "median", FM_COLUMN_MEAN},
        {"75 %", "p75", FM_COLUMN_MEAN},     {"most", "max", FM_COLUMN_MEAN},
        {"mean", "avg", FM_COLUMN_MEAN},     {"% below", "below", FM_COLUMN_PERCENT},
    };
    struct fm_sheet *sheet = START(report, COMPARED_KEY, "Among all runs of the program, by whomever", columns);
    for (int i = 0; i < FM_REFERENCE_FIGURES; i++) {
        struct fm_sheet_value *row;
        if (isnan(found[i].value) || found[i].n < 2)
            continue;
        if (!fm_sheet_row(sheet, &report->arena, &row))
            return false;
        const double values[] = {found[i].value, found[i].min, found[i].p25, found[i].median,
                                 found[i].p75,   found[i].max, found[i].avg};
        static const int places[] = {1, 3, 4, 5, 6, 7, 8};
        row[0].text = compared[i].name;
        for (size_t k = 0; k < sizeof places / sizeof *places; k++)
            row[places[k]].number = values[k] / compared[i].unit;
        row[2].number = (double)found[i].n;
        row[9].number = found[i].percentile / 100;
    }
    return true;
}

static bool fill_runs(struct fm_job_report *report, const struct fm_jobs_page *page)
{
    static const struct fm_column columns[] = {
        {"job", "number", FM_COLUMN_RANK},
        {"batch id", "id", FM_COLUMN_KEY},
        {"user", "user", FM_COLUMN_KEY},
        {"ended", "ended", FM_COLUMN_KEY},
        {"ranks", "ranks", FM_COLUMN_COUNT},
        {"wall time", "wall_s", FM_COLUMN_TIME},
        {"CPU time", "cpu_s", FM_COLUMN_TIME},
        {"% MPI", "mpi_fraction", FM_COLUMN_PERCENT},
        {"% efficient", "efficiency", FM_COLUMN_PERCENT},
        {"build id", "build_id", FM_COLUMN_TEXT},
    };
    struct fm_sheet *sheet = START(report, RUNS_KEY, "The latest other runs of the program", columns);
    for (size_t i = 0; i < page->n && sheet->n_rows < OTHER_RUNS; i++) {
        const struct fm_site_job *job = &page->jobs[i];
        const struct fm_record *record = &job->record;
        struct fm_sheet_value *row;
        char ended[FM_UNIT_CHARS];
        if (job->id == report->job.id)
            continue;
        if (!fm_sheet_row(sheet, &report->arena, &row))
            return false;
        fm_date_text(ended, record->ended > 0 ? (uint64_t)record->ended * 1000000000 : 0);
        row[0].number = (double)job->id;
        row[1].text = record->job_id;
        row[2].text = record->user;
        row[3].text = fm_format(&report->arena, "%.16s", ended);
        row[4].number = known(record->ranks);
        row[5].number = record->wall_s * 1e9;
        row[6].number = record->cpu_s * 1e9;
        row[7].number = job->mpi_fraction;
        row[8].number = record->parallel;
        row[9].text = fm_format(&report->arena, "%.12s", record->build_id);
    }
    return true;
}

static enum fm_status compare_figures(struct fm_job_report *report, struct fm_store *store, struct fm_error *error)
{
    struct fm_references *references;
    struct fm_reference found[FM_REFERENCE_FIGURES];
    double values[FM_REFERENCE_FIGURES];
    int64_t day = (report->record.ended > 0 ? report->record.ended : report->record.started) / DAY_S;
    enum fm_status status = fm_references_open(&references, fm_store_db(store), day - COMPARED_DAYS,
                                               day + COMPARED_DAYS, error);
    if (status)
        return status;
    fm_reference_values_of_job(&report->record, values);
    status = fm_references_among_runs(references, report->job.record.program, NULL, values, found, error);
    if (!status && !fill_compared(report, found))
        status = no_memory(error);
    fm_references_close(references);
    return status;
}

enum fm_status fm_job_report_compare(struct fm_job_report *report, struct fm_store *store, struct fm_error *error)
{
    struct fm_jobs_filter filter = FM_JOBS_ALL;
    struct fm_jobs_page page;
    filter.program = report->job.record.program;
    if (!*filter.program)
        return FM_OK;
    enum fm_status status = compare_figures(report, store, error);
    if (!status)
        status = fm_jobs_page(store, &filter, FM_JOBS_BY_ENDED, true, NULL, OTHER_RUNS + 1, &report->arena, &page,
                              error);
    return status || fill_runs(report, &page) ? status : no_memory(error);
}
