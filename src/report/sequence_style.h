/* SPDX-License-Identifier: BSD-3-Clause */
/* How the views of the sequence show modules: each by a letter, if possible one of its name, and a colour. Both depend on
 * names, and cost only decides which modules get them at all, so that pictures of two runs can be compared. */
#ifndef FM_REPORT_SEQUENCE_STYLE_H
#define FM_REPORT_SEQUENCE_STYLE_H

#include "report/report_modules.h"

/* Modules beyond this number share a sign and a colour. */
enum { FM_SEQUENCE_LETTERS = 20, FM_SEQUENCE_OTHER = '*', FM_SEQUENCE_OTHER_WAITS = '.', FM_SEQUENCE_TRANSFER = '=' };

/* letters[i]: of module i of n_named, a capital; the first of its name, unless a module that comes before it by name has that. */
void fm_sequence_letters(const struct fm_module_sequence *sequence, char *letters);
/* colours[i]: of module i of n_named, a style of fm_chart_colour. */
void fm_sequence_colours(const struct fm_module_sequence *sequence, unsigned *colours);
/* Of work, or in small of waiting; the same for transfer of all modules; ' ' where nothing is known. */
char fm_sequence_sign(const char *letters, const struct fm_module_moment *moment);

/* "pop: 38 % of the time is waiting, most on rank 3 (61 %), most of it called by coupler; 4 % is transfer; most work is in
 * ocean (30 %)." */
const char *fm_sequence_headline(struct fm_report *report, const struct fm_module_sequence *sequence);
/* The sentence for profiles without a sequence. */
extern const char fm_no_sequence[];

#endif
