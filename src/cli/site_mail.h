/* SPDX-License-Identifier: BSD-3-Clause */
/* One run of `fathom site mail`: goes through the users and sends, writes or lists their mails. */
#ifndef FM_CLI_SITE_MAIL_H
#define FM_CLI_SITE_MAIL_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/site_store.h"
#include "site/mail/compose.h"

struct fm_site_mail_request {
    struct fm_mail_period period;
    const char *user;      /* NULL: all */
    const char *directory; /* write files instead of sending */
    const char *test;      /* send to this address instead, and remember nothing */
    bool dry_run, retry;
    size_t limit; /* 0: none */
};

/* Whether mails are really sent to users, and remembered. */
static inline bool fm_site_mail_is_real(const struct fm_site_mail_request *request)
{
    return !request->dry_run && !request->directory && !request->test;
}

/* What is wrong with single mails goes to stderr; *complete is false then. */
enum fm_status fm_site_mail_run(struct fm_site_store *site, const struct fm_site_mail_request *request, bool *complete,
                                struct fm_error *error);

#endif
