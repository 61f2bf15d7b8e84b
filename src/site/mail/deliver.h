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

#endif
