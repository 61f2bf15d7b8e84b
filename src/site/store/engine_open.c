/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "base/names.h"
#include "site/store/engine_ops.h"

enum fm_status fm_db_open(struct fm_db **db, const char *address, enum fm_db_access access, struct fm_error *error)
{
    *db = NULL;
    if (fm_begins_with(address, "postgresql://") || fm_begins_with(address, "postgres://"))
        return fm_postgres_open(db, address, access, error);
    if (fm_begins_with(address, "sqlite:"))
        address += strlen("sqlite:");
    else if (strstr(address, "://"))
        return fm_fail(error, FM_ERR_USAGE, "the database must be sqlite:PATH or postgresql://..., not '%.*s...'",
                       (int)strcspn(address, ":"), address);
    if (!*address)
        return fm_fail(error, FM_ERR_USAGE, "the address of the database has no path");
    return fm_sqlite_open(db, address, access, error);
}
