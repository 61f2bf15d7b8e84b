/* SPDX-License-Identifier: BSD-3-Clause */
/* `fathom site doctor`: whether the parts of a site's installation on this host work, and what to do if not. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/site.h"
#include "cli/site_doctor.h"
#include "mpi/launchers.h"

static void print_help(void)
{
    puts(
        "fathom site doctor [OPTION...]: check the installation of a site on this host, and how to fix what is wrong.\n"
        "\n"
        "Prints one line per check: ok, warn or bad. Run it as root; other users cannot look into the spool.\n"
        "\n"
        "  --no-database     this host is a node: nothing of the database is checked\n"
        "  --no-spool        this host only has the database: nothing of measuring and sending is checked\n"
        "  --plugstack FILE  configuration of Slurm's plug-ins (default: plugstack.conf in /etc/slurm or /etc/slurm-llnl)\n"
        "  --rsyslog DIR     configuration of rsyslog (default: /etc/rsyslog.d)\n"
        "  --store ADDRESS   database (default: FATHOM_STORE, else that of the configuration)\n"
        "  --config FILE     configuration (default: /etc/fathom/site.conf)\n"
        "  -h, --help        show this help; more in fathom-site(1)\n"
        "\n"
        "The exit status is 0 unless a check is bad.");
}

static const char *find_plugstack(void)
{
    for (const char *place = FM_SLURM_PLUGSTACK; *place; place += strlen(place) + 1)
        if (access(place, F_OK) == 0)
            return place;
    return NULL;
}

static int parse(struct fm_site_doctor *site, const char **config, int argc, char **argv)
{
    bool no_database = false, no_spool = false;
    const char *environment = getenv("FATHOM_STORE");
    *site = (struct fm_site_doctor){.plugstack = find_plugstack(), .rsyslog = "/etc/rsyslog.d"};
    if (environment && *environment)
        site->store = environment;
    const struct fm_option options[] = {
        {"config", .text = config},
        {"store", .text = &site->store},
        {"no-database", .on = &no_database},
        {"no-spool", .on = &no_spool},
        {"plugstack", .text = &site->plugstack},
        {"rsyslog", .text = &site->rsyslog},
        {0},
    };
    int status = fm_parse_options("site doctor", options, print_help, argc, argv);
    if (status != FM_EXIT_NOT_YET)
        return status;
    if (optind < argc)
        return fm_usage_error("site doctor", "unexpected argument '%s'", argv[optind]);
    if (no_database && no_spool)
        return fm_usage_error("site doctor", "--no-database and --no-spool leave nothing to check");
    site->is_node = !no_spool;
    site->has_database = !no_database;
    return FM_EXIT_NOT_YET;
}

static void check_all(struct fm_site_doctor *site)
{
    fm_site_doctor_config(site);
    if (site->is_node)
        fm_site_doctor_spool(site);
    fm_site_doctor_system(site);
    if (site->has_database)
        fm_site_doctor_store(site);
}

int fm_site_cmd_doctor(int argc, char **argv)
{
    struct fm_site_doctor site;
    const char *config = NULL;
    int status = parse(&site, &config, argc, argv);
    if (status != FM_EXIT_NOT_YET)
        return status;
    struct fm_error error;
    if (fm_site_config_read(&site.config, config, &error)) {
        fm_doctor_say(&site.doctor, FM_DOCTOR_BAD, "correct the line, or move the file away and run fathom site init",
                      "configuration: %s; other checks were skipped", error.text);
    } else {
        check_all(&site);
        fm_site_config_destroy(&site.config);
    }
    const size_t *counts = site.doctor.counts;
    printf("%zu ok, %zu warn, %zu bad\n", counts[FM_DOCTOR_OK], counts[FM_DOCTOR_WARN], counts[FM_DOCTOR_BAD]);
    return counts[FM_DOCTOR_BAD] ? FM_EXIT_FAILED : FM_EXIT_OK;
}
