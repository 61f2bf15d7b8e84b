/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the PostgreSQL engine share. */
#ifndef FM_SITE_STORE_ENGINE_POSTGRES_H
#define FM_SITE_STORE_ENGINE_POSTGRES_H

#include <libpq-fe.h>

#include "site/store/engine_ops.h"

struct fm_postgres_db {
    struct fm_db common;
    PGconn *connection;
    unsigned n_prepared; /* for names of statements */
};

PGconn *fm_postgres_connection(const struct fm_db *db);
/* An error with the server's message; clears the result, which may be NULL. */
enum fm_status fm_postgres_failed(struct fm_db *db, PGresult *result, struct fm_error *error);

enum fm_status fm_postgres_bulk_open(struct fm_bulk **bulk, struct fm_db *db, const struct fm_bulk_target *target,
                                     struct fm_error *error);
void fm_postgres_bulk_value(struct fm_bulk *bulk, enum fm_value_kind kind, int64_t whole, double real,
                            const void *bytes, size_t size);
enum fm_status fm_postgres_bulk_row(struct fm_bulk *bulk, struct fm_error *error);
enum fm_status fm_postgres_bulk_end(struct fm_bulk *bulk, struct fm_error *error);
void fm_postgres_bulk_abandon(struct fm_bulk *bulk);

#endif
