/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "site/store/engine_postgres.h"

PGconn *fm_postgres_connection(const struct fm_db *db)
{
    return ((const struct fm_postgres_db *)db)->connection;
}

enum fm_status fm_postgres_failed(struct fm_db *db, PGresult *result, struct fm_error *error)
{
    const char *message = result ? PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : NULL;
    if (!message || !*message)
        message = PQerrorMessage(fm_postgres_connection(db));
    const char *code = result ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;
    if (code && strcmp(code, "57014") == 0) { /* query_canceled */
        PQclear(result);
        db->was_late = true;
        return fm_fail(error, FM_ERR_SYSTEM, "the database '%s' took too long for an answer", db->name);
    }
    enum fm_status status = fm_fail(error, FM_ERR_SYSTEM, "the database '%s' says: %.*s", db->name,
                                    (int)strcspn(message, "\n"), *message ? message : "unexpected answer");
    PQclear(result);
    return status;
}
