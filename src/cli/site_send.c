/* SPDX-License-Identifier: BSD-3-Clause */
/* `fathom site send`: sends the records of profiles: of those in the spool, or of those that are given. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/printing.h"
#include "cli/site.h"
#include "cli/site_child.h"
#include "cli/site_make.h"
#include "cli/site_spool.h"
#include "render/text.h"

struct sending {
    struct fm_site_config config;
    struct fm_record_rules rules;
    char spool[PATH_MAX]; /* absolute */
    size_t counts[FM_SENT_LEFT + 1];
    size_t not_removed;
};

static void print_help(void)
{
    puts("fathom site send [SPOOL|PROFILE...] [OPTION...]: send the records of jobs.\n"
         "\n"
         "Makes the record of each profile in SPOOL (default: that of the configuration), as the user who owns it,\n"
         "and sends it to the log daemon. A profile whose record was sent is removed or, if the configuration has\n"
         "'keep', moved there. What could not be sent stays and is tried again by the next 'send'. A PROFILE that is\n"
         "given by name is sent and stays.\n"
         "\n"
         "  --config FILE   configuration (default: /etc/fathom/site.conf)\n"
         "  --quiet         print only errors\n"
         "  -h, --help      show this help; more in fathom-site(1)\n"
         "\n"
         "Exit status: 1 if something could not be sent.\n"
         "\n"
         "Example:\n"
         "  fathom site send /var/spool/fathom");
}

static void send_file(void *context, const struct fm_spool_file *file)
{
    struct sending *sending = context;
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", sending->spool, file->name) >= (int)sizeof path)
        return;
    enum fm_sent sent = fm_site_send_profile(path, file->st.st_uid, file->st.st_gid, &sending->config, &sending->rules);
    bool done = true;
    if (sent == FM_SENT && *sending->config.keep)
        done = fm_spool_keep(file, sending->config.keep);
    else if (sent == FM_SENT || sent == FM_SENT_EXCLUDED)
        done = fm_spool_remove(file);
    else if (sent == FM_SENT_REFUSED)
        done = fm_spool_refuse(file);
    if (!done) {
        sending->not_removed++;
        fm_print_line(stderr, "fathom site send: %s was sent but stays in the spool: %s.\n", path, strerror(errno));
    }
    sending->counts[sent]++;
}

static enum fm_status send_spool(struct sending *sending, const char *spool, struct fm_error *error)
{
    if (!realpath(spool, sending->spool))
        return fm_fail(error, FM_ERR_SYSTEM, "cannot read the spool %s: %s", spool, strerror(errno));
    /* before anything is sent: what cannot be moved away would be sent again and again */
    if (*sending->config.keep && fm_spool_make_keep(sending->config.keep, error))
        return error->status;
    return fm_spool_visit(sending->spool, send_file, sending, error);
}

static enum fm_status send_named(struct sending *sending, const char *path, struct fm_error *error)
{
    struct stat st;
    char absolute[PATH_MAX];
    if (stat(path, &st) != 0 || !realpath(path, absolute))
        return fm_fail(error, FM_ERR_SYSTEM, "%s: %s", path, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return send_spool(sending, path, error);
    sending->counts[fm_site_send_profile(absolute, st.st_uid, st.st_gid, &sending->config, &sending->rules)]++;
    return FM_OK;
}

static void print_counts(const struct sending *sending)
{
    static const char *const words[] = {"sent", "excluded", "refused", "left"}; /* enum fm_sent */
    for (size_t i = 0; i <= FM_SENT_LEFT; i++)
        printf("%s%zu %s", i ? ", " : "", sending->counts[i], words[i]);
    putchar('\n');
}

static enum fm_status send_all(struct sending *sending, char **paths, struct fm_error *error)
{
    enum fm_status status = fm_site_rules(&sending->config, &sending->rules, error);
    if (!status && !*paths)
        return send_spool(sending, sending->config.spool, error);
    for (; !status && *paths; paths++)
        status = send_named(sending, *paths, error);
    return status;
}

int fm_site_cmd_send(int argc, char **argv)
{
    static struct sending sending;
    const char *config = NULL;
    bool quiet = false;
    struct fm_error error = {0};
    const struct fm_option options[] = {{"config", .text = &config}, {"quiet", .on = &quiet}, {0}};
    int status = fm_parse_options("site send", options, print_help, argc, argv);
    if (status != FM_EXIT_NOT_YET)
        return status;
    if (fm_site_config_read(&sending.config, config, &error))
        return fm_command_error("site send", &error);
    enum fm_status failed = send_all(&sending, argv + optind, &error);
    fm_site_config_destroy(&sending.config);
    if (failed)
        return fm_command_error("site send", &error);
    if (!quiet)
        print_counts(&sending);
    return sending.counts[FM_SENT_LEFT] || sending.not_removed ? FM_EXIT_FAILED : FM_EXIT_OK;
}
