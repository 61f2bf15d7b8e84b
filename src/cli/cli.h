/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands of `fathom`, one per file, and their common helpers. A command gets its own argv (argv[0] is its name)
 * and returns the exit status: 0, 1 if Fathom itself failed, 2 for incorrect usage; `check` returns 3 if a
 * limit does not hold, `run` the status of the command it ran. Errors go to stderr as one sentence. */
#ifndef FM_CLI_CLI_H
#define FM_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { FM_EXIT_OK = 0, FM_EXIT_FAILED = 1, FM_EXIT_USAGE = 2, FM_EXIT_LIMIT = 3 };

int fm_cmd_run(int argc, char **argv);
int fm_cmd_report(int argc, char **argv);
int fm_cmd_scale(int argc, char **argv);
int fm_cmd_check(int argc, char **argv);
int fm_cmd_list(int argc, char **argv);
int fm_cmd_export(int argc, char **argv);
int fm_cmd_modules(int argc, char **argv);
int fm_cmd_attach(int argc, char **argv);
int fm_cmd_collect(int argc, char **argv);
int fm_cmd_serve(int argc, char **argv);
int fm_cmd_calibrate(int argc, char **argv);
int fm_cmd_doctor(int argc, char **argv);
int fm_cmd_site(int argc, char **argv);

/* ---- shared helpers, common.c ---- */

/* "fathom report: <sentence>; try 'fathom report --help'." on stderr; returns FM_EXIT_USAGE. */
int fm_usage_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "fathom report: <sentence of the error>." on stderr; returns the matching exit status. */
int fm_command_error(const char *command, const struct fm_error *error);
/* Reports an option that getopt_long (with opterr = 0 and a leading ':') rejected; `result` is '?' or ':'. */
int fm_option_error(const char *command, int result, char **argv);
/* Parses an integer between least and most, and nothing else. */
bool fm_parse_number(const char *text, size_t least, size_t most, size_t *number);

#endif
