/* SPDX-License-Identifier: BSD-3-Clause */
/* Delivery: a command of the site gets the mail on its standard input, started without a shell. */
#ifndef FM_SITE_MAIL_DELIVER_H
#define FM_SITE_MAIL_DELIVER_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

/* The words of a command, separated by blanks, ended by NULL. The first must be a path from the root. */
enum fm_status fm_mail_command_split(const char *command, struct fm_arena *arena, char *const **words,
                                     struct fm_error *error);

/* Succeeds if the command ends with status 0 within this time. Otherwise the sentence says how it ended, with the first
 * line that it has printed; a command that takes too long is killed. */
enum fm_status fm_mail_deliver(char *const *words, const char *mail, size_t length, double seconds,
                               struct fm_error *error);

/* At most this many mails a minute: how long to wait before the next one, in nanoseconds. */
struct fm_mail_pace {
    double per_minute; /* 0: no limit */
    uint64_t next_ns;  /* when the next one may start */
};
/* Counts a mail that starts as soon as that has passed. */
uint64_t fm_mail_pace_take(struct fm_mail_pace *pace, uint64_t now_ns);

#endif
