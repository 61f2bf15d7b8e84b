/* SPDX-License-Identifier: BSD-3-Clause */
/* `fathom report DIRECTORY`: the history of the programs whose profiles are there (report/history.h), as a page or as
 * JSON. */
#ifndef FM_CLI_REPORT_HISTORY_H
#define FM_CLI_REPORT_HISTORY_H

#include <stdbool.h>

/* output NULL: standard output. Returns the exit status: profiles that cannot be read are reported and left out. */
int fm_report_history(const char *directory, bool html, const char *output, const char *debug_path);

#endif
