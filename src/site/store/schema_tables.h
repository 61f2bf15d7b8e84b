/* SPDX-License-Identifier: BSD-3-Clause */
/* The statements that make the tables, and the lock of those who write. For schema.c; the lock for all who write. */
#ifndef FM_SITE_STORE_SCHEMA_TABLES_H
#define FM_SITE_STORE_SCHEMA_TABLES_H

#include "site/store/engine.h"

/* Writers of a PostgreSQL database take this advisory lock, one at a time, as SQLite has it by itself: roll-ups are sums,
 * and two who add to the same cells in different orders would wait for each other. */
#define FM_STORE_LOCK "7233281"

/* Version 1. */
enum fm_status fm_schema_create(struct fm_db *db, struct fm_error *error);
/* Version 2: what people are told and what they say: insights, mails, tags; jobs by the id of the batch system; and the coarse
 * roll-ups, filled from the others. */
enum fm_status fm_schema_to_2(struct fm_db *db, struct fm_error *error);
/* Version 3: roll-ups by week and by quarter, filled from those by day. */
enum fm_status fm_schema_to_3(struct fm_db *db, struct fm_error *error);
/* Whether columns of fields are missing. */
enum fm_status fm_schema_missing(struct fm_db *db, bool *missing, struct fm_error *error);
/* Adds them, and makes the views anew. Within a transaction. */
enum fm_status fm_schema_complete(struct fm_db *db, struct fm_error *error);
/* Makes the views and the tables of classes anew. */
enum fm_status fm_schema_views(struct fm_db *db, struct fm_error *error);

#endif
