/* SPDX-License-Identifier: BSD-3-Clause */
/* What has become of mails: the table `mails` has a row for each user and period that a mail was tried for, and
 * `mail_refusals` the users who want none.
 *
 *   (no row) --claim--> sending --settle--> sent
 *                          |                          failed --claim--> sending
 *                          +-----settle---> failed
 *
 * `sending` is committed before the mail leaves. Who is killed then leaves it behind: nobody knows whether the mail went
 * out, so it is not sent again by itself. */
#ifndef FM_SITE_MAIL_STATE_H
#define FM_SITE_MAIL_STATE_H

#include <stdbool.h>

#include "base/arena.h"
#include "site/store/engine.h"

#define FM_MAIL_SENDING "sending"
#define FM_MAIL_SENT "sent"
#define FM_MAIL_FAILED "failed"

/* In place of a user: the summary for the staff. No user with this name has an address. */
#define FM_MAIL_STAFF "*"

/* Takes over the mail of a user: *claimed is false if it was sent, or is being sent by somebody else. With retry_before
 * above 0 also one that has been `sending` since before this time. */
enum fm_status fm_mail_claim(struct fm_db *db, const char *period, const char *user, int64_t now, int64_t retry_before,
                             bool *claimed, struct fm_error *error);
enum fm_status fm_mail_settle(struct fm_db *db, const char *period, const char *user, bool sent, int64_t now,
                              struct fm_error *error);

/* When the next mail may start, at so many a minute (0: no limit), whoever sends it: mails of all runs take turns at equal
 * intervals. Times are microseconds since 1970. The turn is taken even if no mail is sent then. */
enum fm_status fm_mail_turn(struct fm_db *db, double per_minute, int64_t now_us, int64_t *start_us,
                            struct fm_error *error);

struct fm_mail_state {
    const char *user, *state;
    int64_t at;
};
struct fm_mail_states {
    struct fm_mail_state *items; /* by user */
    size_t n;
};
/* Those of a period. Memory comes from the arena. */
enum fm_status fm_mail_states_read(struct fm_db *db, const char *period, struct fm_arena *arena,
                                   struct fm_mail_states *states, struct fm_error *error);
/* The users who refused, with an empty state. */
enum fm_status fm_mail_refusals_read(struct fm_db *db, struct fm_arena *arena, struct fm_mail_states *refusals,
                                     struct fm_error *error);
/* NULL if there is none. */
const struct fm_mail_state *fm_mail_state_of(const struct fm_mail_states *states, const char *user);

enum fm_status fm_mail_refuse(struct fm_db *db, const char *user, bool refuse, int64_t now, struct fm_error *error);

#endif
