/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/site_hand_over.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/site_child.h"
#include "cli/site_make.h"
#include "cli/site_spool.h"
#include "render/text.h"

/* The spool keeps what cannot be sent now. */
static enum fm_status send_or_spool(const struct fm_site_config *config, const char *profile, struct fm_error *error)
{
    struct fm_record_rules rules;
    if (fm_site_rules(config, &rules, error) == FM_OK &&
        fm_site_send_profile(profile, geteuid(), getegid(), config, &rules) != FM_SENT_LEFT)
        return FM_OK;
    return fm_spool_add(config->spool, profile, error);
}

void fm_site_hand_over(const char *profile, bool quiet)
{
    struct fm_site_config config;
    struct fm_error error = {0};
    const char *set = getenv("FATHOM_SITE");
    if (set && !strcmp(set, "off"))
        return;
    enum fm_status status = fm_site_config_read(&config, NULL, &error);
    const char *how = set && *set ? set : config.run;
    if (!status && !strcmp(how, "spool"))
        status = fm_spool_add(config.spool, profile, &error);
    else if (!status && !strcmp(how, "send"))
        status = send_or_spool(&config, profile, &error);
    if (status && !quiet)
        fm_print_line(stderr, "fathom: %s\n", error.text);
    fm_site_config_destroy(&config);
}
