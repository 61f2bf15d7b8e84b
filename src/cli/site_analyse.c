/* SPDX-License-Identifier: BSD-3-Clause */
/* `fathom site analyse`: what the records of many jobs tell together. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/units.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/site.h"
#include "cli/site_store.h"
#include "render/text.h"
#include "site/insights/analyse.h"
#include "site/store/classes.h"
#include "site/summary/period.h"

struct analyse_request {
    const char *config, *store, *until;
    size_t days;
    bool quiet;
    struct fm_analysis_window window;
};

static void print_help(void)
{
    puts(
        "fathom site analyse [OPTION...]: find programs that became slower, programs that stop scaling, and slow hosts.\n"
        "\n"
        "What is found replaces what the last analysis found; 'fathom site report --table insights' shows it, mails and\n"
        "pages use it. Meant to be run once a day.\n"
        "\n"
        "  --days N         look at the jobs of so many days (default 90)\n"
        "  --until DAY      the last one of them: 2026-11-01 (default: today)\n"
        "  --quiet          print nothing\n"
        "  --store ADDRESS  database (default: FATHOM_STORE, else that of the configuration)\n"
        "  --config FILE    configuration (default: /etc/fathom/site.conf)\n"
        "  -h, --help       show this help; more in fathom-site(1)\n"
        "\n"
        "Example:\n"
        "  fathom site analyse --days 30");
}

static int parse(struct analyse_request *request, int argc, char **argv)
{
    *request = (struct analyse_request){.days = 90};
    const struct fm_option options[] = {
        {"quiet", .on = &request->quiet},     {"days", .count = &request->days, .most = 3660},
        {"until", .text = &request->until},   {"store", .text = &request->store},
        {"config", .text = &request->config}, {0},
    };
    int status = fm_parse_options("site analyse", options, print_help, argc, argv);
    if (status != FM_EXIT_NOT_YET)
        return status;
    if (optind < argc)
        return fm_usage_error("site analyse", "unexpected argument '%s'", argv[optind]);
    if (!request->days)
        return fm_usage_error("site analyse", "--days must be at least 1");
    request->window.until = fm_day_of((int64_t)time(NULL)) + 1;
    struct fm_error error;
    const struct fm_period_request period = {.from = request->until, .to = request->until};
    int64_t unused;
    if (request->until && fm_period_find(&period, &unused, &request->window.until, &error))
        return fm_usage_error("site analyse", "--until: %s", error.text);
    request->window.from = request->window.until - (int64_t)request->days;
    return FM_EXIT_NOT_YET;
}

static void print_summary(const struct fm_analysis *analysis)
{
    char jobs[FM_UNIT_CHARS], programs[FM_UNIT_CHARS], hosts[FM_UNIT_CHARS];
    printf("%s jobs, %s programs and %s hosts looked at\n", fm_count_text(jobs, analysis->jobs),
           fm_count_text(programs, analysis->programs), fm_count_text(hosts, analysis->hosts));
    for (size_t i = 0; i < FM_N_INSIGHT_KINDS; i++) {
        size_t n = 0;
        for (size_t k = 0; k < analysis->list.n; k++)
            n += strcmp(analysis->list.insights[k].kind, fm_insight_words[i]) == 0;
        printf("%s: %zu\n", fm_insight_titles[i], n);
    }
    for (size_t i = 0; i < analysis->list.n && i < 5; i++)
        fm_print_hanging(stdout, "  ", analysis->list.insights[i].sentence);
    if (analysis->list.n > 5)
        printf("  ... and %zu more: 'fathom site report --table insights'\n", analysis->list.n - 5);
}

static enum fm_status analyse(struct fm_site_store *site, const struct analyse_request *request, struct fm_error *error)
{
    struct fm_arena arena = {0};
    struct fm_analysis analysis;
    enum fm_status status = fm_analyse(site->store, &request->window, &arena, &analysis, error);
    analysis.list.analysed = (int64_t)time(NULL);
    if (!status)
        status = fm_insights_write(fm_store_db(site->store), &analysis.list, error);
    if (!status && !request->quiet)
        print_summary(&analysis);
    fm_arena_destroy(&arena);
    return status;
}

int fm_site_cmd_analyse(int argc, char **argv)
{
    struct analyse_request request;
    int done = parse(&request, argc, argv);
    if (done != FM_EXIT_NOT_YET)
        return done;
    struct fm_error error = {0};
    struct fm_site_store site;
    enum fm_status status = fm_site_store_open(&site, request.config, request.store, FM_DB_WRITE, &error);
    if (!status) {
        status = analyse(&site, &request, &error);
        fm_site_store_close(&site);
    }
    return status ? fm_command_error("site analyse", &error) : FM_EXIT_OK;
}
