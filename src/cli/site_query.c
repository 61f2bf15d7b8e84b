/* SPDX-License-Identifier: BSD-3-Clause */
/* `fathom site query "SQL"`: questions that no report answers. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/printing.h"
#include "cli/site.h"
#include "cli/site_store.h"
#include "render/text.h"
#include "site/store/print.h"

static void print_help(void)
{
    puts("fathom site query \"SQL\" [OPTION...]: ask the database of a site; nothing can be changed.\n"
         "\n"
         "  --format F       table (default), csv or json\n"
         "  --store ADDRESS  database (default: FATHOM_STORE, else that of the configuration)\n"
         "  --config FILE    configuration (default: /etc/fathom/site.conf)\n"
         "  -o, --output F   write to file F instead of standard output\n"
         "  -h, --help       show this help; tables and views: doc/SITE.md\n"
         "\n"
         "Example:\n"
         "  fathom site query \"SELECT user_name, SUM(cpu_s) / 3600 AS hours FROM jobs_by_month GROUP BY user_name\"");
}

struct query_request {
    const char *output, *store, *config, *sql;
    unsigned format;
    struct fm_site_store site;
};

static enum fm_status print(void *context, FILE *out, struct fm_error *error)
{
    struct query_request *request = context;
    struct fm_db *db = fm_store_db(request->site.store);
    struct fm_query *query;
    enum fm_status status = fm_db_only_read(db, error);
    if (!status)
        status = fm_query_open(&query, db, request->sql, error);
    if (status)
        return status;
    fm_query_stream(query);
    status = fm_query_print(query, (enum fm_query_format)request->format, out, error);
    fm_query_close(query);
    return status;
}

int fm_site_cmd_query(int argc, char **argv)
{
    static const char *const formats[] = {"table", "csv", "json", NULL};
    struct query_request request = {0};
    struct fm_error error = {0};
    const struct fm_option options[] = {
        {"output", .text = &request.output},
        {"format", .word = &request.format, FM_WORDS(formats)},
        {"store", .text = &request.store},
        {"config", .text = &request.config},
        {0},
    };
    int done = fm_parse_options("site query", options, print_help, argc, argv);
    if (done != FM_EXIT_NOT_YET)
        return done;
    if (argc - optind != 1)
        return fm_usage_error("site query", "give one statement, in quotes");
    request.sql = argv[optind];
    enum fm_status status = fm_site_store_open(&request.site, request.config, request.store, FM_DB_READ, &error);
    if (!status) {
        status = fm_print_to(request.output, print, &request, &error);
        fm_site_store_close(&request.site);
    }
    return status ? fm_command_error("site query", &error) : FM_EXIT_OK;
}
