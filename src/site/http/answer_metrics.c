/* SPDX-License-Identifier: BSD-3-Clause */
/* For Prometheus: OpenMetrics text. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "site/http/answers.h"
#include "site/insights/insight.h"

static void begin(FILE *out, const char *name, const char *type, const char *help)
{
    fprintf(out, "# TYPE fathom_%s %s\n# HELP fathom_%s %s\n", name, type, name, help);
}

/* A label is within quotes: what could end it is escaped. */
static void print_label(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '\n')
            fputs("\\n", out);
        else if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
}

static void print_value(FILE *out, double value)
{
    fprintf(out, " %.17g\n", isfinite(value) ? value : 0.0);
}

static enum fm_status print_sums(struct fm_site_answering *answering, struct fm_error *error)
{
    static const struct {
        const char *name, *type, *suffix, *help;
    } metrics[] = {
        {"jobs", "counter", "_total", "Jobs in the database."},
        {"cpu_seconds", "counter", "_total", "CPU time of these jobs."},
        {"mpi_seconds", "counter", "_total", "Time in MPI of these jobs, summed over ranks."},
        {"wasted_seconds", "counter", "_total", "CPU time x (1 - parallel efficiency) of these jobs."},
        {"latest_job_timestamp_seconds", "gauge", "", "When the latest job in the database ended."},
    };
    struct fm_query *query;
    bool row;
    enum fm_status status = fm_query_open(
        &query, answering->db,
        "SELECT SUM(jobs), SUM(cpu_us) / 1e6, SUM(mpi_us) / 1e6, SUM(wasted_us) / 1e6,"
        " (SELECT MAX(ended) FROM jobs) FROM month_classes",
        error);
    if (status)
        return status;
    status = fm_query_next(query, &row, error);
    for (size_t i = 0; !status && row && i < sizeof metrics / sizeof *metrics; i++) {
        begin(answering->out, metrics[i].name, metrics[i].type, metrics[i].help);
        fprintf(answering->out, "fathom_%s%s", metrics[i].name, metrics[i].suffix);
        print_value(answering->out, fm_column_is_null(query, (int)i) ? 0 : fm_column_real(query, (int)i));
    }
    fm_query_close(query);
    return status;
}

/* A sample for each row of a statement: the value of the label, the value. */
struct rows {
    const char *name, *type, *suffix, *label, *help, *sql;
};

static const struct rows of_ingest[] = {
    {"records", "counter", "_total", "outcome",
     "Records that were read, by what became of them; known: duplicates, old: of a time whose jobs were deleted.",
     "SELECT SUBSTR(name, 9), CAST(value AS BIGINT) FROM fathom WHERE name LIKE 'records%' ORDER BY name"},
    {"records_refused", "counter", "_total", "reason", "Records that were refused, by reason.",
     "SELECT why, SUM(records) FROM refused GROUP BY why ORDER BY why"},
    {"ingest_timestamp_seconds", "gauge", "", "source", "When a source was last read without an error.",
     "SELECT SUBSTR(name, 6), CAST(value AS BIGINT) FROM fathom WHERE name LIKE 'read %' ORDER BY name"},
    {"ingest_waiting_records", "gauge", "", "source", "Records of a source of which chunks have not arrived yet.",
     "SELECT SUBSTR(name, 9), CAST(value AS BIGINT) FROM fathom WHERE name LIKE 'waiting %' ORDER BY name"},
};

static enum fm_status print_rows(struct fm_site_answering *answering, const struct rows *rows, struct fm_error *error)
{
    struct fm_query *query;
    bool row;
    enum fm_status status = fm_query_open(&query, answering->db, rows->sql, error);
    if (status)
        return status;
    begin(answering->out, rows->name, rows->type, rows->help);
    while (!(status = fm_query_next(query, &row, error)) && row) {
        fprintf(answering->out, "fathom_%s%s{%s=\"", rows->name, rows->suffix, rows->label);
        print_label(answering->out, fm_column_text(query, 0));
        fputs("\"}", answering->out);
        print_value(answering->out, fm_column_real(query, 1));
    }
    fm_query_close(query);
    return status;
}

static enum fm_status print_analysis(struct fm_site_answering *answering, struct fm_error *error)
{
    struct fm_insight_list list;
    enum fm_status status = fm_insights_read(answering->db, NULL, NULL, &answering->arena, &list, error);
    if (status)
        return status;
    begin(answering->out, "insights", "gauge", "What the last analysis found.");
    fprintf(answering->out, "fathom_insights %zu\n", list.n);
    if (list.analysed < 0)
        return FM_OK;
    begin(answering->out, "analysis_age_seconds", "gauge", "Time since the last analysis.");
    fprintf(answering->out, "fathom_analysis_age_seconds %lld\n", (long long)time(NULL) - (long long)list.analysed);
    return FM_OK;
}

static void print_requests(struct fm_site_answering *answering)
{
    struct fm_service *service = &answering->server->service;
    begin(answering->out, "http_requests", "counter", "Requests that this server has answered, by status.");
    for (int code = 0; code < FM_SERVICE_CODES; code++) {
        unsigned long long n = atomic_load_explicit(&service->answers[code], memory_order_relaxed);
        if (n)
            fprintf(answering->out, "fathom_http_requests_total{code=\"%d\"} %llu\n", code, n);
    }
}

enum fm_status fm_site_answer_metrics(struct fm_site_answering *answering, struct fm_error *error)
{
    enum fm_status status = print_sums(answering, error);
    for (size_t i = 0; i < sizeof of_ingest / sizeof *of_ingest && !status; i++)
        status = print_rows(answering, &of_ingest[i], error);
    if (!status)
        status = print_analysis(answering, error);
    if (status)
        return status;
    print_requests(answering);
    fputs("# EOF\n", answering->out);
    return FM_OK;
}
