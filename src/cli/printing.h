/* SPDX-License-Identifier: BSD-3-Clause */
/* Common steps of commands that print a profile: look up symbols, open the output, report errors. */
#ifndef FM_CLI_PRINTING_H
#define FM_CLI_PRINTING_H

#include "report/views.h"

struct fm_printing {
    const char *command;
    const char *output;     /* a file; NULL: standard output */
    const char *debug_path; /* or NULL */
    bool names_matter;      /* otherwise nothing is said about symbols that cannot be found */
    struct fm_report_options options;
    enum fm_status (*print)(const void *context, struct fm_report *report, FILE *out, struct fm_error *error);
    const void *context;
};

void fm_say(void *command, const char *sentence); /* "fathom report: <sentence>." on stderr */

/* Prints to a file; output NULL: to standard output. */
enum fm_status fm_print_to(const char *output,
                           enum fm_status (*print)(void *context, FILE *out, struct fm_error *error), void *context,
                           struct fm_error *error);

enum fm_status fm_print_profile(const struct fm_printing *printing, const struct fm_profile *profile,
                                struct fm_error *error);

#endif
