/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/store/names.h"

/* Beyond this many the least recent are not worth finding: all are forgotten. */
enum { KNOWN_NAMES = 200000 };

static enum fm_status ask(struct fm_db *db, const char *sql, const char *name, int64_t *number, bool *found,
                          struct fm_error *error)
{
    struct fm_query *query;
    enum fm_status status = fm_query_open(&query, db, sql, error);
    if (status)
        return status;
    fm_query_text(query, 1, name);
    status = fm_query_next(query, found, error);
    if (!status && *found)
        *number = fm_column_whole(query, 0);
    /* a row that is inserted is there only when the statement has ended */
    bool more = *found;
    while (!status && more)
        status = fm_query_next(query, &more, error);
    fm_query_close(query);
    return status;
}

enum fm_status fm_names_number(struct fm_names *names, const char *name, int64_t *number, struct fm_error *error)
{
    struct fm_intern_slot *slot = fm_intern_find(&names->known, name);
    if (slot) {
        *number = slot->number;
        return FM_OK;
    }
    bool found = false;
    enum fm_status status = ask(names->db, "SELECT id FROM names WHERE name = $1", name, number, &found, error);
    if (!status && !found)
        status = ask(names->db, "INSERT INTO names (name) VALUES ($1) RETURNING id", name, number, &found, error);
    if (status)
        return status;
    if (names->known.n >= KNOWN_NAMES)
        fm_names_forget(names);
    slot = fm_intern_put(&names->known, &names->arena, name, true);
    if (!slot)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the names of a site");
    slot->number = (uint32_t)*number;
    return FM_OK;
}

void fm_names_forget(struct fm_names *names)
{
    fm_arena_destroy(&names->arena);
    names->known = (struct fm_intern){0};
}
