/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses of the site's pages (web/src/site/site.tsx), for mails. NULL if the site has not said where its pages are
 * (mail_url), or if the address would be longer than programs pass on. Texts belong to the page. */
#ifndef FM_SITE_MAIL_LINKS_H
#define FM_SITE_MAIL_LINKS_H

#include "site/mail/compose.h"

/* Jobs that ended in the period, most wasted first. user: NULL: of all. */
const char *fm_mail_link_jobs(struct fm_page *page, const struct fm_mail_texts *texts,
                              const struct fm_mail_period *period, const char *user);
const char *fm_mail_link_job(struct fm_page *page, const struct fm_mail_texts *texts, int64_t job);
const char *fm_mail_link_program(struct fm_page *page, const struct fm_mail_texts *texts, const char *program,
                                 const char *user);
const char *fm_mail_link_host(struct fm_page *page, const struct fm_mail_texts *texts, const char *host);

/* Adds to the message of an insight where there is more about it. */
void fm_mail_link_insight(struct fm_page *page, const struct fm_mail_texts *texts, const struct fm_insight *insight);

#endif
