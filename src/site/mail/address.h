/* SPDX-License-Identifier: BSD-3-Clause */
/* Where mails go: a user's address is in a file of the site ("user address" in each line), else it is user@domain. Names
 * of users come from records: one that is not a plain name has no address. */
#ifndef FM_SITE_MAIL_ADDRESS_H
#define FM_SITE_MAIL_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"

/* One address of printable ASCII that needs no quotes in a header. */
bool fm_mail_address_good(const char *address);
/* What may stand in List-Unsubscribe: "mailto:..." or "https://...". */
bool fm_mail_unsubscribe_good(const char *text);
/* What may stand in a link: "http://..." or "https://...". */
bool fm_mail_url_good(const char *text);

struct fm_mail_addresses {
    const char *domain; /* "": only users of the file have one */
    struct fm_mail_address {
        const char *user, *address;
    } * items; /* by user */
    size_t n;
    struct fm_arena arena;
};

/* file: "" for none. To be closed in any case. */
enum fm_status fm_mail_addresses_open(struct fm_mail_addresses *addresses, const char *file, const char *domain,
                                      struct fm_error *error);
void fm_mail_addresses_close(struct fm_mail_addresses *addresses);
/* NULL if the user has none. Memory comes from the arena. */
const char *fm_mail_address_of(const struct fm_mail_addresses *addresses, const char *user, struct fm_arena *arena);

/* The addresses of a list separated by blanks or commas, ended by NULL. FM_ERR_INPUT names the one that is none. */
enum fm_status fm_mail_address_list(const char *list, const char *key, struct fm_arena *arena,
                                    const char *const **addresses, struct fm_error *error);

#endif
