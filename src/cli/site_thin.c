/* SPDX-License-Identifier: BSD-3-Clause */
/* `fathom site thin`: deletes and thins out old jobs. */
#include <getopt.h>
#include <stdio.h>
#include <time.h>

#include "base/units.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/site.h"
#include "cli/site_store.h"
#include "site/store/retention.h"

enum { DAY_S = 86400 };

static void print_help(void)
{
    puts("fathom site thin [OPTION...]: delete old jobs, and keep a sample of tiny ones before.\n"
         "\n"
         "Roll-ups, and all reports that are made from them, stay as they are. Meant to be run once a day.\n"
         "\n"
         "  --keep-days N    delete jobs that are older (default: keep_days of the configuration; 0: never)\n"
         "  --thin-days N    thin out jobs that are older (default: thin_days; 0: never)\n"
         "  --one-of N       keep one of N tiny jobs (default: thin_one_of)\n"
         "  --store ADDRESS  database (default: FATHOM_STORE, else that of the configuration)\n"
         "  --config FILE    configuration (default: /etc/fathom/site.conf)\n"
         "  -h, --help       show this help; more in fathom-site(1)\n"
         "\n"
         "Tiny is a job with less than 1 h of CPU time, 10 min of wall time and 64 ranks.\n"
         "\n"
         "Example:\n"
         "  fathom site thin --keep-days 730 --thin-days 90");
}

struct thin_request {
    double keep_days, thin_days;
    size_t one_of;
    bool keep_given, thin_given;
};

static enum fm_status thin(struct fm_site_store *site, const struct thin_request *request, struct fm_error *error)
{
    char text[FM_UNIT_CHARS];
    uint64_t deleted = 0;
    int64_t now = (int64_t)time(NULL);
    double keep = request->keep_given ? request->keep_days : (double)site->config.keep_days;
    double after = request->thin_given ? request->thin_days : (double)site->config.thin_days;
    enum fm_status status = FM_OK;
    if (keep > 0) {
        status = fm_store_delete(site->store, now - (int64_t)(keep * DAY_S), &deleted, error);
        printf("%s jobs deleted, older than %.0f days\n", fm_count_text(text, deleted), keep);
    }
    if (!status && after > 0) {
        struct fm_thinning thinning = FM_THINNING_DEFAULT;
        thinning.one_of = (unsigned)(request->one_of ? request->one_of : (size_t)site->config.thin_one_of);
        thinning.one_of += thinning.one_of == 0;
        thinning.before = now - (int64_t)(after * DAY_S);
        status = fm_store_thin(site->store, &thinning, &deleted, error);
        printf("%s tiny jobs deleted, older than %.0f days; one of %u is kept\n", fm_count_text(text, deleted), after,
               thinning.one_of);
    }
    if (!status && !(keep > 0) && !(after > 0))
        puts("nothing to do: jobs are kept for ever (keep_days, thin_days)");
    return status;
}

int fm_site_cmd_thin(int argc, char **argv)
{
    const char *config = NULL, *store = NULL;
    struct thin_request request = {0};
    struct fm_error error = {0};
    struct fm_site_store site;
    const struct fm_option options[] = {
        {"keep-days", .number = &request.keep_days, .most = 36500, .given = &request.keep_given},
        {"thin-days", .number = &request.thin_days, .most = 36500, .given = &request.thin_given},
        {"one-of", .count = &request.one_of, .most = 1000},
        {"store", .text = &store},
        {"config", .text = &config},
        {0},
    };
    int done = fm_parse_options("site thin", options, print_help, argc, argv);
    if (done != FM_EXIT_NOT_YET)
        return done;
    if (optind < argc)
        return fm_usage_error("site thin", "unexpected argument '%s'", argv[optind]);
    enum fm_status status = fm_site_store_open(&site, config, store, FM_DB_WRITE, &error);
    if (!status) {
        status = thin(&site, &request, &error);
        fm_site_store_close(&site);
    }
    return status ? fm_command_error("site thin", &error) : FM_EXIT_OK;
}
