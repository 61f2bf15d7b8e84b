/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers and places as mails write them, and what the mails to users and to the staff have in common. Texts belong to the
 * page. */
#ifndef FM_SITE_MAIL_WORDS_H
#define FM_SITE_MAIL_WORDS_H

#include "site/mail/compose.h"

extern const char *const fm_words_figure_names[FM_REFERENCE_FIGURES];

const char *fm_words_count(struct fm_page *page, double number);              /* "1,234" */
const char *fm_words_hours(struct fm_page *page, double seconds);             /* "1,100", "12.3", "0.04", "<0.01" */
const char *fm_words_wasted(struct fm_page *page, double seconds);            /* or "unknown" */
const char *fm_words_percent(struct fm_page *page, double fraction);          /* "34 %"; "" if unknown, also the next */
const char *fm_words_change(struct fm_page *page, double now, double before); /* "+11 %" */
const char *fm_words_points(struct fm_page *page, double now, double before); /* of fractions: "-3 points" */
const char *fm_words_figure(struct fm_page *page, int figure, double value);  /* "68 %", "1.23 G/s" */
/* Than how many: "25 % of users". */
const char *fm_words_better(struct fm_page *page, int figure, double percentile, const char *whom);
/* "pop.f90:118", or the function */
const char *fm_words_place(struct fm_page *page, const char *file, int64_t line, const char *function);
const char *fm_words_date(struct fm_page *page, int64_t day); /* "2026-11-03" */
/* Safe to show, cut in the middle. */
const char *fm_words_name(struct fm_page *page, const char *name, size_t columns);
/* "Week 46 on jupiter", and with the days "(9 to 15 November 2026)" */
const char *fm_words_when(struct fm_page *page, const struct fm_mail_period *period, const struct fm_mail_texts *texts,
                          bool with_days);

/* Whether a figure of a user deserves attention. */
bool fm_mail_is_critical(int figure, const struct fm_reference *reference);

/* Parts of both mails. */
void fm_mail_bar(struct fm_page *page, const struct fm_mail_sums *sums);
void fm_mail_insight(struct fm_page *page, const struct fm_insight *insight, double cpu_s, bool with_user);
void fm_mail_changes(struct fm_page *page, const struct fm_mail_people *people, const struct fm_mail_sums *now,
                     const struct fm_mail_sums *before);
/* jobs: address of the jobs of this time; NULL: none. */
void fm_mail_end(struct fm_page *page, const struct fm_mail_texts *texts, const char *jobs, bool staff);

#endif
