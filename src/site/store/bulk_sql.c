/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "base/arena.h"
#include "base/writer.h"
#include "site/store/engine_ops.h"

char *fm_bulk_insert_sql(const struct fm_bulk_target *target, const char *source)
{
    struct fm_arena arena = {0};
    struct fm_writer sql = {.arena = &arena};
    fm_write(&sql, "INSERT INTO %s (", target->table);
    for (size_t i = 0; i < target->n_columns; i++)
        fm_write(&sql, "%s%s", i ? ", " : "", target->columns[i].name);
    fm_write(&sql, ") %s", source);
    if (target->n_keys) {
        fm_write(&sql, " ON CONFLICT (");
        for (size_t i = 0; i < target->n_keys; i++)
            fm_write(&sql, "%s%s", i ? ", " : "", target->columns[i].name);
        fm_write(&sql, ") DO UPDATE SET ");
        for (size_t i = target->n_keys; i < target->n_columns; i++)
            fm_write(&sql, "%s%s = %s.%s + excluded.%s", i > target->n_keys ? ", " : "", target->columns[i].name,
                     target->table, target->columns[i].name, target->columns[i].name);
    }
    const char *text = fm_writer_text(&sql);
    char *copy = text ? strdup(text) : NULL;
    fm_arena_destroy(&arena);
    return copy;
}
