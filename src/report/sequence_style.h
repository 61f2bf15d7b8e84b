/* SPDX-License-Identifier: BSD-3-Clause */
/* How views of the sequence show modules: by letter or colour (report/module_style.h), and in a headline. */
#ifndef FM_REPORT_SEQUENCE_STYLE_H
#define FM_REPORT_SEQUENCE_STYLE_H

#include "report/module_style.h"
#include "report/report_modules.h"

enum { FM_SEQUENCE_OTHER_WAITS = '.', FM_SEQUENCE_TRANSFER = '=' };

/* letters[i], colours[i]: of module i of n_named. Return false if out of memory. */
bool fm_sequence_letters(const struct fm_module_sequence *sequence, struct fm_arena *arena, char *letters);
bool fm_sequence_colours(const struct fm_module_sequence *sequence, struct fm_arena *arena, unsigned *colours);
/* colours[i]: of item i, the same as in the sequence; FM_CHART_OTHER if it is not there, such as "mpi", whose time the
 * sequence attributes to callers. */
enum fm_status fm_breakdown_colours(struct fm_report *report, const struct fm_module_breakdown *modules,
                                    unsigned *colours, struct fm_error *error);
/* The letter in upper case for work, in lower case for waiting; the same character for transfer of all modules; ' ' if
 * unknown. */
char fm_sequence_sign(const char *letters, const struct fm_module_moment *moment);

/* "pop: waiting 38 % of the time, most on rank 3, mostly in calls from coupler; transfer 4 %; most work is in ocean
 * (30 %)." Shares are those of the view of modules. */
const char *fm_sequence_headline(struct fm_report *report, const struct fm_module_sequence *sequence);
/* The message for profiles without a sequence. */
extern const char fm_no_sequence[];

#endif
