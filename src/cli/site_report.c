/* SPDX-License-Identifier: BSD-3-Clause */
/* `fathom site report`: summaries of a site's jobs, or all of one job. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/printing.h"
#include "cli/site.h"
#include "cli/site_store.h"
#include "site/insights/insight.h"
#include "site/job/job.h"
#include "site/store/classes.h"
#include "site/summary/estimates.h"
#include "site/summary/html.h"
#include "site/summary/period.h"
#include "site/summary/summary.h"

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_HTML };

struct site_report_request {
    const char *config, *store, *output, *sheet, *job, *calibration_path;
    struct fm_period_request period;
    struct fm_scope scope;
    enum format format;
    bool all;
    size_t top;
    struct fm_calibration calibration;
    bool calibrated;
};

static void print_help(void)
{
    puts(
        "fathom site report [OPTION...]: what the jobs of a site, or of a user, did; or all of one job.\n"
        "\n"
        "  --week W          week W: 2026-W46, or last, the last whole one\n"
        "  --month M         month M: 2026-11, or last\n"
        "  --from D, --to D  days D: 2026-11-01; both belong to it. Default: the last 7 days\n"
        "  --user U          only jobs of this user\n"
        "  --language L      only programs in this language: C, C++, Fortran, Python\n"
        "  --ranks N         only jobs of the class of N ranks: 64 alone, or 65 to 127 for N between\n"
        "  --cpu-time S      only jobs of the class of S seconds of CPU time: from one power of ten to the next\n"
        "  --critical        only jobs that spend more than 15 % of their time in MPI\n"
        "  --job ID          one job: everything that is known of it, and its program's other runs. ID is that of the\n"
        "                    batch system, or else the number in the database; #N is that number\n"
        "  --processors N    number of cores of the machine (default: that of the configuration)\n"
        "  --calibration F   split the time in MPI into latency, transfer and synchronisation with a file of\n"
        "                    fathom calibrate (default: that of the configuration, if it exists)\n"
        "  --table T         only this table: users, users_by_rate, programs, languages, ranks, cpu_classes, groups,\n"
        "                    routines, findings, hosts, mpi_libraries, compilers, variables, tools, critical_jobs,\n"
        "                    estimates, estimate_groups, insights (what the last 'fathom site analyse' found); with\n"
        "                    --job: findings, routines, estimates, regions, timers, hosts, settings, compared, runs\n"
        "  --top N           rows of each table (default 20)\n"
        "  --all             all rows\n"
        "  --format F        text (default), html (one page without scripts), json, or csv (with --table)\n"
        "  -o, --output F    write to file F instead of standard output\n"
        "  --store ADDRESS   database (default: FATHOM_STORE, else that of the configuration)\n"
        "  --config FILE     configuration (default: /etc/fathom/site.conf)\n"
        "  -h, --help        show this help\n"
        "\n"
        "Examples:\n"
        "  fathom site report --month 2026-11 --user u0123\n"
        "  fathom site report --job 481516 --format html -o job.html");
}

static bool is_job_sheet(const char *name)
{
    for (size_t i = 0; fm_job_sheets[i]; i++)
        if (strcmp(fm_job_sheets[i], name) == 0)
            return true;
    return false;
}

static bool is_estimate(const char *name)
{
    return strcmp(name, FM_ESTIMATES_KEY) == 0 || strcmp(name, FM_ESTIMATE_GROUPS_KEY) == 0;
}

static bool is_sheet(const struct site_report_request *request, const char *name)
{
    if (request->job)
        return is_job_sheet(name);
    return fm_sheet_kind_of(name) || is_estimate(name) || strcmp(name, FM_INSIGHTS_KEY) == 0 ||
           strcmp(name, FM_CRITICAL_KEY) == 0;
}

/* Of one job there are neither days nor classes. */
static int check_job(const struct site_report_request *request, bool of_some)
{
    const struct fm_period_request *period = &request->period;
    if (request->job && (of_some || period->week || period->month || period->from || period->to))
        return fm_usage_error("site report", "--job cannot be combined with options that choose jobs");
    return FM_EXIT_NOT_YET;
}

static int parse(struct site_report_request *request, int argc, char **argv)
{
    static const char *const formats[] = {"text", "json", "csv", "html", NULL};
    *request = (struct site_report_request){.top = 20};
    double processors = 0, cpu_s = 0;
    size_t ranks = 0;
    struct fm_scope *scope = &request->scope;
    const struct fm_option options[] = {
        {"output", .text = &request->output},
        {"store", .text = &request->store},
        {"config", .text = &request->config},
        {"week", .text = &request->period.week},
        {"month", .text = &request->period.month},
        {"from", .text = &request->period.from},
        {"to", .text = &request->period.to},
        {"user", .text = &scope->user},
        {"language", .text = &scope->language},
        {"ranks", .count = &ranks, .given = &scope->of_ranks},
        {"cpu-time", .number = &cpu_s, .most = 1e13, .given = &scope->of_cpu},
        {"critical", .on = &scope->critical},
        {"job", .text = &request->job},
        {"processors", .number = &processors, .most = 1e9},
        {"calibration", .text = &request->calibration_path},
        {"table", .text = &request->sheet},
        {"top", .count = &request->top},
        {"all", .on = &request->all},
        {"format", .word = (unsigned *)&request->format, FM_WORDS(formats)},
        {0},
    };
    int status = fm_parse_options("site report", options, print_help, argc, argv);
    if (status != FM_EXIT_NOT_YET)
        return status;
    if (optind < argc)
        return fm_usage_error("site report", "unexpected argument '%s'", argv[optind]);
    if (request->format == FORMAT_CSV && !request->sheet)
        return fm_usage_error("site report", "--format csv needs --table");
    if (request->sheet && !is_sheet(request, request->sheet))
        return fm_usage_error("site report", "there is no table '%s'", request->sheet);
    scope->processors = processors;
    scope->ranks_class = fm_ranks_class((int64_t)ranks);
    scope->cpu_class = fm_cpu_class(cpu_s);
    struct fm_error error;
    if (fm_period_find(&request->period, &scope->from, &scope->until, &error))
        return fm_usage_error("site report", "%s", error.text);
    return check_job(request, scope->user || scope->language || scope->of_ranks || scope->of_cpu || scope->critical);
}

/* A file that was named must be there and valid; that of the configuration is used if it exists. */
static enum fm_status read_calibration(struct site_report_request *request, const struct fm_site_config *config,
                                       struct fm_error *error)
{
    const char *named = request->calibration_path;
    const char *path = named ? named : config->calibration;
    bool needed = request->sheet && is_estimate(request->sheet);
    if (!named && (!*path || access(path, F_OK) != 0)) {
        if (needed)
            return fm_fail(error, FM_ERR_USAGE, "the table '%s' needs a calibration: --calibration FILE",
                           request->sheet);
        return FM_OK;
    }
    enum fm_status status = fm_calibration_read(&request->calibration, path, error);
    request->calibrated = !status;
    if (status && !named && !needed) {
        fm_say((void *)"site report", error->text);
        return FM_OK;
    }
    return status;
}

/* ---- summaries ---- */

static void print_made(const struct site_report_request *request, struct fm_site_summary *summary, FILE *out)
{
    size_t rows = request->all ? 0 : request->top;
    if (request->format == FORMAT_TEXT)
        fm_site_summary_text(summary, rows, out);
    else if (request->format == FORMAT_HTML)
        fm_site_summary_html(summary, rows, out);
    else if (request->format == FORMAT_JSON)
        fm_site_summary_json(summary, out);
    else
        fm_site_summary_csv(summary, request->sheet, out);
}

/* Insights are those of the last analysis, whatever the interval. They do not tell languages or classes of jobs apart. */
static enum fm_status add_insights(const struct site_report_request *request, struct fm_db *db,
                                   struct fm_site_summary *summary, struct fm_insight_list *insights,
                                   struct fm_error *error)
{
    const struct fm_scope *scope = &request->scope;
    *insights = (struct fm_insight_list){.analysed = -1};
    bool wanted = request->sheet ? strcmp(request->sheet, FM_INSIGHTS_KEY) == 0
                                 : !scope->language && !scope->critical && !scope->of_ranks && !scope->of_cpu;
    if (!wanted)
        return FM_OK;
    enum fm_status status = fm_insights_read(db, scope->user, NULL, &summary->arena, insights, error);
    if (status || request->format == FORMAT_TEXT) /* sentences do not fit into a table for a terminal */
        return status;
    return fm_insights_sheet(insights, &summary->sheets[summary->n_sheets++], &summary->arena, error);
}

static enum fm_status print_summary(struct site_report_request *request, struct fm_store *store, FILE *out,
                                    struct fm_error *error)
{
    struct fm_site_summary summary;
    struct fm_db *db = fm_store_db(store);
    const char *sheet = request->sheet;
    bool estimates = sheet && is_estimate(sheet), critical = sheet && strcmp(sheet, FM_CRITICAL_KEY) == 0;
    bool only_insights = sheet && strcmp(sheet, FM_INSIGHTS_KEY) == 0, none = estimates || critical || only_insights;
    struct fm_insight_list insights;
    /* languages: a small one, in place of none at all */
    enum fm_status status = fm_site_summary_make(&summary, db, &request->scope, none ? "languages" : sheet, error);
    if (none)
        summary.n_sheets = 0;
    if (!status && request->calibrated && (!sheet || estimates))
        status = fm_site_summary_estimate(&summary, db, &request->calibration, error);
    if (!status && (!sheet || critical))
        status = fm_site_summary_add_critical(&summary, store, request->all ? FM_CRITICAL_ROWS : request->top, error);
    if (!status)
        status = add_insights(request, db, &summary, &insights, error);
    if (!status && !(only_insights && request->format == FORMAT_TEXT))
        print_made(request, &summary, out);
    if (!status && request->format == FORMAT_TEXT && (only_insights || insights.n))
        fm_insights_text(&insights, request->all ? 0 : request->top, out);
    fm_site_summary_close(&summary);
    return status;
}

/* ---- one job ---- */

static enum fm_status print_job(const struct site_report_request *request, struct fm_store *store, int64_t id,
                                struct fm_json *json, struct fm_error *error)
{
    struct fm_job_report report;
    size_t rows = request->all ? 0 : request->top;
    enum fm_status status = fm_job_report_make(&report, store, id, request->calibrated ? &request->calibration : NULL,
                                               error);
    if (status)
        return status;
    if (request->sheet)
        fm_job_report_select(&report, request->sheet);
    if (request->format == FORMAT_TEXT)
        fm_job_report_text(&report, rows, json->out);
    else if (request->format == FORMAT_HTML)
        fm_job_report_html(&report, rows, json->out);
    else if (request->format == FORMAT_CSV)
        fm_job_report_csv(&report, request->sheet, json->out);
    else {
        fm_json_object(json, NULL, FM_JSON_LINES);
        fm_job_report_json(&report, json);
        fm_json_end(json);
    }
    fm_job_report_close(&report);
    return FM_OK;
}

static void start_jobs(const struct site_report_request *request, struct fm_json *json)
{
    if (request->format == FORMAT_HTML)
        fm_summary_page_start(json->out, "A job and its program");
    else if (request->format == FORMAT_JSON) {
        fm_json_object(json, NULL, FM_JSON_LINES);
        fm_json_whole(json, "fathom", 1);
        fm_json_object(json, "site", FM_JSON_LINES);
        fm_json_array(json, "jobs", FM_JSON_LINES);
    }
}

static void end_jobs(const struct site_report_request *request, struct fm_json *json)
{
    if (request->format == FORMAT_HTML)
        fm_summary_page_end(json->out);
    for (int i = 0; request->format == FORMAT_JSON && i < 3; i++)
        fm_json_end(json);
}

static enum fm_status print_jobs(const struct site_report_request *request, struct fm_store *store, FILE *out,
                                 struct fm_error *error)
{
    int64_t ids[FM_JOBS_NAMED];
    size_t n;
    enum fm_status status = fm_jobs_named(store, request->job, ids, &n, error);
    if (status)
        return status;
    if (!n)
        return fm_fail(error, FM_ERR_INPUT, "there is no job '%s' in the database", request->job);
    if (request->format == FORMAT_CSV && n > 1)
        return fm_fail(error, FM_ERR_INPUT, "%zu jobs have the id '%s'; name one by its number: --job '#%lld'", n,
                       request->job, (long long)ids[0]);
    struct fm_json json = {.out = out};
    start_jobs(request, &json);
    for (size_t i = 0; i < n && !status; i++)
        status = print_job(request, store, ids[i], &json, error);
    end_jobs(request, &json);
    return status;
}

static enum fm_status print_report(void *context, FILE *out, struct fm_error *error)
{
    struct site_report_request *request = context;
    struct fm_site_store site;
    enum fm_status status = fm_site_store_open(&site, request->config, request->store, FM_DB_READ, error);
    if (status)
        return status;
    if (!(request->scope.processors > 0))
        request->scope.processors = (double)site.config.processors;
    status = read_calibration(request, &site.config, error);
    if (!status && request->job)
        status = print_jobs(request, site.store, out, error);
    else if (!status)
        status = print_summary(request, site.store, out, error);
    if (request->calibrated)
        fm_calibration_destroy(&request->calibration);
    fm_site_store_close(&site);
    return status;
}

int fm_site_cmd_report(int argc, char **argv)
{
    struct site_report_request request;
    int status = parse(&request, argc, argv);
    if (status != FM_EXIT_NOT_YET)
        return status;
    struct fm_error error;
    if (fm_print_to(request.output, print_report, &request, &error))
        return fm_command_error("site report", &error);
    return FM_EXIT_OK;
}
