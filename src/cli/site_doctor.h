/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of `fathom site doctor`; each prints lines by fm_doctor_say (doctor.h). */
#ifndef FM_CLI_SITE_DOCTOR_H
#define FM_CLI_SITE_DOCTOR_H

#include "cli/doctor.h"
#include "site/config/config.h"

struct fm_site_doctor {
    struct fm_doctor doctor;
    struct fm_site_config config;
    const char *store;     /* --store; NULL */
    const char *plugstack; /* Slurm's plugstack.conf; NULL: none was found */
    const char *rsyslog;   /* directory of rsyslog's configuration */
    bool is_node;          /* jobs run here */
    bool has_database;
};

void fm_site_doctor_config(struct fm_site_doctor *site); /* configuration, key, tokens, calibration, switch, library */
void fm_site_doctor_spool(struct fm_site_doctor *site);  /* profiles that wait, and where records go */
void fm_site_doctor_system(struct fm_site_doctor *site); /* Slurm, rsyslog, units of systemd */
void fm_site_doctor_store(struct fm_site_doctor *site);  /* database, log, what was refused, analysis, mails */

/* Warns if the file system of a directory is nearly full. */
void fm_site_doctor_space(struct fm_site_doctor *site, const char *what, const char *directory);

#endif
