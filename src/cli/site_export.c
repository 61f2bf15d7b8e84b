/* SPDX-License-Identifier: BSD-3-Clause */
/* `fathom site export`: the tables of a site for other tools. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/site.h"
#include "cli/site_store.h"
#include "render/text.h"
#include "site/store/classes.h"
#include "site/store/export.h"

enum { DAY_S = 86400 };

static void print_help(void)
{
    puts("fathom site export DIRECTORY [OPTION...]: write the tables of a site for other tools.\n"
         "\n"
         "Each table is a file NAME.csv with a header, one column per field, and beside it NAME.schema.json with the\n"
         "type and unit of each column, from which Parquet or a data frame can be made without guessing.\n"
         "\n"
         "  --to csv         format (default)\n"
         "  --from DAY       only jobs that ended on this day (UTC) or later: 2026-11-01\n"
         "  --until DAY      only jobs that ended on this day or earlier\n"
         "  --table NAME     only this table; may be given several times\n"
         "  --store ADDRESS  database (default: FATHOM_STORE, else that of the configuration)\n"
         "  --config FILE    configuration (default: /etc/fathom/site.conf)\n"
         "  -h, --help       show this help; more in fathom-site(1)\n"
         "\n"
         "Tables: jobs, findings, hosts, routines (of each job), and the roll-ups by day and by month.\n"
         "\n"
         "Example:\n"
         "  fathom site export --from 2026-11-01 --until 2026-11-30 november");
}

static int parse_day(const char *option, const char *text, int64_t *day)
{
    if (text && !fm_day_parse(text, day))
        return fm_usage_error("site export", "%s needs a day such as 2026-11-15, not '%s'", option, text);
    return FM_EXIT_NOT_YET;
}

static int parse_days(const char *from, const char *until, struct fm_tables_export *request)
{
    int64_t first = 0, last = INT64_MAX / DAY_S - 1;
    int done = parse_day("--from", from, &first);
    if (done == FM_EXIT_NOT_YET)
        done = parse_day("--until", until, &last);
    if (done == FM_EXIT_NOT_YET && first > last)
        done = fm_usage_error("site export", "the first day is after the last one");
    request->from = first * DAY_S;
    request->until = until ? (last + 1) * DAY_S : INT64_MAX;
    return done;
}

int fm_site_cmd_export(int argc, char **argv)
{
    static const char *const formats[] = {"csv", NULL};
    const char *config = NULL, *store = NULL, *from = NULL, *until = NULL, *tables[64];
    unsigned format = 0;
    struct fm_option_texts chosen = {.items = tables};
    struct fm_tables_export request = {0};
    struct fm_error error = {0};
    struct fm_site_store site;
    if (argc > 64)
        return fm_usage_error("site export", "too many options");
    const struct fm_option options[] = {
        {"to", .word = &format, FM_WORDS(formats), .what = "format"},
        {"from", .text = &from},
        {"until", .text = &until},
        {"table", .texts = &chosen},
        {"store", .text = &store},
        {"config", .text = &config},
        {0},
    };
    int done = fm_parse_options("site export", options, print_help, argc, argv);
    if (done == FM_EXIT_NOT_YET)
        done = parse_days(from, until, &request);
    if (done != FM_EXIT_NOT_YET)
        return done;
    if (argc - optind != 1)
        return fm_usage_error("site export", "give one directory to write to");
    request.directory = argv[optind];
    request.tables = chosen.items;
    request.n_tables = chosen.n;
    enum fm_status status = fm_site_store_open(&site, config, store, FM_DB_READ, &error);
    if (!status) {
        status = fm_store_export(site.store, &request, &error);
        fm_site_store_close(&site);
    }
    if (status)
        return fm_command_error("site export", &error);
    fm_print_line(stdout, "%llu rows in %u tables in %s\n", (unsigned long long)request.rows, request.written,
                  request.directory);
    return FM_EXIT_OK;
}
