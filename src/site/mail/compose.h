/* SPDX-License-Identifier: BSD-3-Clause */
/* What mails say: of a user's jobs, and of all jobs for the staff. The first line and the subject have what matters most,
 * everything else follows by importance. */
#ifndef FM_SITE_MAIL_COMPOSE_H
#define FM_SITE_MAIL_COMPOSE_H

#include "site/mail/details.h"
#include "site/mail/page.h"
#include "site/mail/people.h"

/* What the site adds; "" is nothing. */
struct fm_mail_texts {
    const char *machine;     /* name of the machine */
    const char *url;         /* of the pages */
    const char *footer;      /* a sentence of the site's own */
    const char *unsubscribe; /* where to say that no mails are wanted */
};

/* What became of the users' mails. */
struct fm_mail_counts {
    size_t sent, failed, small, refused, unknown; /* small: too few core-hours; unknown: no address */
};

/* Fills the page, which is empty and has an arena. `user` is a row of people->users. */
enum fm_status fm_mail_compose(struct fm_page *page, struct fm_mail_people *people, const struct fm_mail_row *user,
                               const struct fm_mail_details *details, const struct fm_mail_texts *texts,
                               struct fm_error *error);
/* counts: NULL if no mails were sent; refused: records that were not taken into the database. */
enum fm_status fm_mail_compose_staff(struct fm_page *page, struct fm_mail_people *people, double refused,
                                     const struct fm_mail_counts *counts, const struct fm_mail_texts *texts,
                                     struct fm_error *error);

#endif
