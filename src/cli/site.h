/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands of `fathom site`, one per file, in the way of cli.h. */
#ifndef FM_CLI_SITE_H
#define FM_CLI_SITE_H

int fm_site_cmd_analyse(int argc, char **argv);
int fm_site_cmd_doctor(int argc, char **argv);
int fm_site_cmd_export(int argc, char **argv);
int fm_site_cmd_ingest(int argc, char **argv);
int fm_site_cmd_init(int argc, char **argv);
int fm_site_cmd_mail(int argc, char **argv);
int fm_site_cmd_query(int argc, char **argv);
int fm_site_cmd_record(int argc, char **argv);
int fm_site_cmd_report(int argc, char **argv);
int fm_site_cmd_send(int argc, char **argv);
int fm_site_cmd_simulate(int argc, char **argv);
int fm_site_cmd_thin(int argc, char **argv);
int fm_site_cmd_token(int argc, char **argv);

#endif
