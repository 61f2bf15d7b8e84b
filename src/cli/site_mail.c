/* SPDX-License-Identifier: BSD-3-Clause */
/* `fathom site mail`: tells users what their jobs did. */
#include "cli/site_mail.h"

#include <getopt.h>
#include <stdio.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/printing.h"
#include "cli/site.h"
#include "render/text.h"
#include "site/mail/address.h"
#include "site/mail/state.h"
#include "site/store/classes.h"
#include "site/summary/period.h"

struct mail_options {
    const char *config, *store, *refuse, *accept;
    struct fm_period_request period;
    struct fm_site_mail_request request;
};

static void print_help(void)
{
    puts("fathom site mail [OPTION...]: mail users what their jobs did, and what can be done about it.\n"
         "\n"
         "Each mail is sent once, however often this is run. What failed is tried again by the next run.\n"
         "\n"
         "  --week W          week W: 2026-W46, or last, the last whole one (default)\n"
         "  --month M         month M: 2026-11, or last\n"
         "  --from D, --to D  days D: 2026-11-01; both belong to it\n"
         "  --user U          only the mail of this user, and none to the staff\n"
         "  --limit N         at most N mails to users, beginning with those who used most\n"
         "  --dry-run         only list the addresses and subjects\n"
         "  -o, --output DIR  write each mail to a file USER.eml in DIR instead of sending it\n"
         "  --test ADDRESS    send to ADDRESS instead, one mail unless --limit or --user says otherwise\n"
         "  --retry           also send what was being sent when a run was killed; it may arrive twice\n"
         "  --refuse USER     this user wants no mails from now on\n"
         "  --accept USER     this user wants mails again\n"
         "  --store ADDRESS   database (default: FATHOM_STORE, else that of the configuration)\n"
         "  --config FILE     configuration (default: /etc/fathom/site.conf)\n"
         "  -h, --help        show this help; more in fathom-site(1)\n"
         "\n"
         "Example:\n"
         "  fathom site mail --week last --dry-run");
}

static int check(struct mail_options *options, bool limit_given)
{
    struct fm_site_mail_request *request = &options->request;
    struct fm_error error;
    int64_t from, until;
    if (request->dry_run + !!request->directory + !!request->test + !!options->refuse + !!options->accept > 1)
        return fm_usage_error("site mail", "give one of --dry-run, --output, --test, --refuse and --accept");
    if (request->retry && !fm_site_mail_is_real(request))
        return fm_usage_error("site mail", "--retry is only for mails that are sent");
    if (request->test && !fm_mail_address_good(request->test))
        return fm_usage_error("site mail", "'%.80s' is not an address", request->test);
    const struct fm_period_request *period = &options->period;
    if (!period->week && !period->month && !period->from && !period->to)
        options->period.week = "last";
    if (fm_period_find(period, &from, &until, &error))
        return fm_usage_error("site mail", "%s", error.text);
    if (fm_site_mail_is_real(request) && !options->refuse && !options->accept && until > fm_day_of((int64_t)time(NULL)))
        return fm_usage_error("site mail", "this time is not over yet, and each mail is sent only once");
    if (request->test && !limit_given && !request->user)
        request->limit = 1;
    fm_mail_period_describe(&request->period, from, until);
    return FM_EXIT_NOT_YET;
}

static int parse(struct mail_options *to, int argc, char **argv)
{
    *to = (struct mail_options){0};
    bool limit_given = false;
    const struct fm_option options[] = {
        {"output", .text = &to->request.directory},
        {"store", .text = &to->store},
        {"config", .text = &to->config},
        {"week", .text = &to->period.week},
        {"month", .text = &to->period.month},
        {"from", .text = &to->period.from},
        {"to", .text = &to->period.to},
        {"user", .text = &to->request.user},
        {"limit", .count = &to->request.limit, .given = &limit_given},
        {"dry-run", .on = &to->request.dry_run},
        {"test", .text = &to->request.test},
        {"retry", .on = &to->request.retry},
        {"refuse", .text = &to->refuse},
        {"accept", .text = &to->accept},
        {0},
    };
    int status = fm_parse_options("site mail", options, print_help, argc, argv);
    if (status != FM_EXIT_NOT_YET)
        return status;
    if (optind < argc)
        return fm_usage_error("site mail", "unexpected argument '%s'", argv[optind]);
    return check(to, limit_given);
}

static enum fm_status refuse(struct fm_site_store *site, const struct mail_options *options, struct fm_error *error)
{
    const char *user = options->refuse ? options->refuse : options->accept;
    enum fm_status status = fm_mail_refuse(fm_store_db(site->store), user, options->refuse, (int64_t)time(NULL), error);
    if (!status)
        fm_print_line(stdout, options->refuse ? "%s gets no mails from now on\n" : "%s gets mails again\n", user);
    return status;
}

int fm_site_cmd_mail(int argc, char **argv)
{
    struct mail_options options;
    struct fm_site_store site;
    struct fm_error error = {0};
    int done = parse(&options, argc, argv);
    if (done != FM_EXIT_NOT_YET)
        return done;
    bool writes = fm_site_mail_is_real(&options.request), complete = true;
    enum fm_status status = fm_site_store_open(&site, options.config, options.store, writes ? FM_DB_WRITE : FM_DB_READ,
                                               &error);
    if (!status) {
        status = options.refuse || options.accept ? refuse(&site, &options, &error)
                                                  : fm_site_mail_run(&site, &options.request, &complete, &error);
        fm_site_store_close(&site);
    }
    if (status)
        return fm_command_error("site mail", &error);
    return complete ? FM_EXIT_OK : FM_EXIT_FAILED;
}
