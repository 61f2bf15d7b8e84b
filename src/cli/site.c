/* SPDX-License-Identifier: BSD-3-Clause */
/* `fathom site COMMAND ...`: what the administrators of a machine run. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/dispatch.h"
#include "cli/site.h"

static const struct fm_command commands[] = {
    {"init", "make the configuration, the spool and the database", fm_site_cmd_init},
    {"record", "show the record of a job: fathom site record pop.1234.fathom", fm_site_cmd_record},
    {"send", "send the records of the profiles in the spool", fm_site_cmd_send},
    {"ingest", "put records into the database: fathom site ingest --follow records.log", fm_site_cmd_ingest},
    {"report", "show what jobs did: fathom site report --week last", fm_site_cmd_report},
    {"analyse", "find what became slower, stops scaling, or is a slow host", fm_site_cmd_analyse},
    {"mail", "mail users what their jobs did: fathom site mail --week last", fm_site_cmd_mail},
    {"query", "ask the database: fathom site query \"SELECT ...\"", fm_site_cmd_query},
    {"export", "write the tables for other tools: fathom site export november", fm_site_cmd_export},
    {"thin", "delete old jobs, and keep a sample of tiny ones before", fm_site_cmd_thin},
    {"token", "give a user a token for the pages: fathom site token ann", fm_site_cmd_token},
    {"doctor", "check the installation of a site, and how to fix it", fm_site_cmd_doctor},
    {"simulate", "a made-up site, for trying: fathom site simulate --store trial.db", fm_site_cmd_simulate},
    {0},
};

static void print_help(void)
{
    puts("fathom site COMMAND [OPTION...] [ARGUMENT...]: records of all jobs of a machine.\n");
    fm_commands_print(commands);
    puts("\n"
         "  fathom site COMMAND --help   help for a command; more in fathom-site(1)\n"
         "\n"
         "The configuration is /etc/fathom/site.conf, or the file named by FATHOM_SITE_CONFIG or --config.");
}

int fm_cmd_site(int argc, char **argv)
{
    if (argc < 2)
        return fm_usage_error("site", "no command given");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help();
        return FM_EXIT_OK;
    }
    return fm_commands_run(commands, "site", argc, argv);
}
