/* SPDX-License-Identifier: BSD-3-Clause */
/* The style of modules in the views of the sequence: a letter, if possible one of its name, and a colour. Both depend
 * on names, and cost decides only which modules get them at all, so that pictures of two runs can be compared. */
#ifndef FM_REPORT_SEQUENCE_STYLE_H
#define FM_REPORT_SEQUENCE_STYLE_H

#include "report/report_modules.h"

/* Modules beyond this number share a character and a colour. */
enum { FM_SEQUENCE_LETTERS = 20, FM_SEQUENCE_OTHER = '*', FM_SEQUENCE_OTHER_WAITS = '.', FM_SEQUENCE_TRANSFER = '=' };

/* letters[i]: of module i of n_named, upper case; the first letter of its name unless a module with higher priority has
 * it. */
void fm_sequence_letters(const struct fm_module_sequence *sequence, char *letters);
/* colours[i]: of module i of n_named, a style of fm_chart_colour. */
void fm_sequence_colours(const struct fm_module_sequence *sequence, unsigned *colours);
/* The letter in upper case for work, in lower case for waiting; the same character for transfer of all modules; ' ' if
 * unknown. */
char fm_sequence_sign(const char *letters, const struct fm_module_moment *moment);

/* "pop: waiting 38 % of the time, highest on rank 3 (61 %), mostly in calls from coupler; transfer 4 %; most work is in
 * ocean (30 %)." */
const char *fm_sequence_headline(struct fm_report *report, const struct fm_module_sequence *sequence);
/* The message for profiles without a sequence. */
extern const char fm_no_sequence[];

#endif
