/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that roll-ups have as numbers: users, programs, routines, hosts, ... (table `names`). Those in use are kept in
 * memory. New ones are added in the transaction that needs them: forget them all after a rollback. */
#ifndef FM_SITE_STORE_NAMES_H
#define FM_SITE_STORE_NAMES_H

#include "base/arena.h"
#include "base/intern.h"
#include "site/store/engine.h"

struct fm_names {
    struct fm_db *db;
    struct fm_arena arena;
    struct fm_intern known;
};

enum fm_status fm_names_number(struct fm_names *names, const char *name, int64_t *number, struct fm_error *error);
void fm_names_forget(struct fm_names *names);

#endif
