/* SPDX-License-Identifier: BSD-3-Clause */
/* `fathom site record`: shows what a site would keep of a job. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/printing.h"
#include "cli/site.h"
#include "cli/site_make.h"

static void print_help(void)
{
    puts("fathom site record PROFILE [OPTION...]: show the record of a job.\n"
         "\n"
         "Prints the record that 'fathom site send' would send of this profile: JSON of at most 5,000 bytes.\n"
         "\n"
         "  --pretty        indented, for people\n"
         "  --config FILE   configuration (default: /etc/fathom/site.conf)\n"
         "  -h, --help      show this help; more in fathom-site(1)\n"
         "\n"
         "Example:\n"
         "  fathom site record --pretty pop.1234.fathom");
}

static enum fm_status print_record(const char *profile, const char *config_path, bool pretty, struct fm_error *error)
{
    struct fm_site_config config;
    struct fm_record_rules rules;
    static struct fm_site_text made;
    struct stat st;
    uid_t owner = stat(profile, &st) == 0 ? st.st_uid : geteuid();
    enum fm_status status = fm_site_config_read(&config, config_path, error);
    if (status)
        return status;
    status = fm_site_rules(&config, &rules, error);
    if (!status)
        status = fm_site_make(profile, owner, &rules, &made, error);
    if (!status && !made.wanted)
        fm_say((void *)"site record", "the configuration excludes this job, or leaves it out by thinning: no record");
    else if (!status && pretty)
        fm_record_print(stdout, made.text, made.length);
    else if (!status)
        puts(made.text);
    fm_site_config_destroy(&config);
    return status;
}

int fm_site_cmd_record(int argc, char **argv)
{
    const char *config = NULL, *profile;
    bool pretty = false;
    struct fm_error error = {0};
    const struct fm_option options[] = {{"pretty", .on = &pretty}, {"config", .text = &config}, {0}};
    int status = fm_parse_options("site record", options, print_help, argc, argv);
    if (status != FM_EXIT_NOT_YET)
        return status;
    status = fm_parse_profile("site record", argc, argv, &profile);
    if (status != FM_EXIT_NOT_YET)
        return status;
    return print_record(profile, config, pretty, &error) ? fm_command_error("site record", &error) : FM_EXIT_OK;
}
