/* SPDX-License-Identifier: BSD-3-Clause */
/* For people who ask in SQL: roll-ups with names instead of numbers and seconds instead of microseconds. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/writer.h"
#include "site/store/classes.h"
#include "site/store/rollup.h"
#include "site/store/schema_tables.h"

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

static void write_column(struct fm_writer *sql, const struct fm_db *db, const char *name)
{
    int stem = (int)strlen(name) - 3;
    if (strcmp(name, "day") == 0) {
        char date[128];
        snprintf(date, sizeof date, fm_db_sql(db, FM_SQL_DATE), "r.day");
        fm_write(sql, "r.day, %s AS date", date);
    } else if (strcmp(name, "user_id") == 0) {
        fm_write(sql, "n_user_id.name AS user_name");
    } else if (ends_with(name, "_id")) {
        fm_write(sql, "n_%s.name AS %.*s", name, stem, name);
    } else if (strcmp(name, "ranks_class") == 0 || strcmp(name, "cpu_class") == 0) {
        fm_write(sql, "r.%s, c_%s.label AS %s_label", name, name, name);
    } else if (strcmp(name, "group_number") == 0) {
        fm_write(sql, "r.group_number, g.label AS routine_group");
    } else if (ends_with(name, "_us")) {
        fm_write(sql, "r.%s / 1e6 AS %.*s_s", name, stem, name);
    } else if (ends_with(name, "_ppm")) {
        fm_write(sql, "r.%s / 1e6 AS %.*s_sum", name, stem - 1, name);
    } else {
        fm_write(sql, "r.%s", name);
    }
}

static void write_join(struct fm_writer *sql, const char *name)
{
    if (ends_with(name, "_id"))
        fm_write(sql, " JOIN names n_%s ON n_%s.id = r.%s", name, name, name);
    else if (strcmp(name, "ranks_class") == 0)
        fm_write(sql, " JOIN ranks_classes c_%s ON c_%s.number = r.%s", name, name, name);
    else if (strcmp(name, "cpu_class") == 0)
        fm_write(sql, " JOIN cpu_classes c_%s ON c_%s.number = r.%s", name, name, name);
    else if (strcmp(name, "group_number") == 0)
        fm_write(sql, " JOIN routine_groups g ON g.number = r.group_number");
}

static void write_view(struct fm_writer *sql, const struct fm_db *db, enum fm_rollup rollup, enum fm_step step)
{
    const char *name = fm_step_name(step);
    struct fm_rollup_table table;
    fm_rollup_describe(rollup, &table);
    fm_write(sql, "DROP VIEW IF EXISTS %s_by_%s; CREATE VIEW %s_by_%s AS SELECT ", table.name, name, table.name, name);
    for (size_t i = 0; i < table.n_columns; i++) {
        fm_write(sql, "%s", i ? ", " : "");
        write_column(sql, db, table.columns[i].name);
    }
    fm_write(sql, " FROM %s_%s r", name, table.name);
    for (size_t i = 0; i < table.n_keys; i++)
        write_join(sql, table.columns[i].name);
    fm_write(sql, ";");
}

static void write_classes(struct fm_writer *sql)
{
    char label[FM_CLASS_LABEL];
    fm_write(sql, "DELETE FROM ranks_classes; DELETE FROM cpu_classes; DELETE FROM routine_groups;"
                  "INSERT INTO ranks_classes VALUES (-1, 'unknown', NULL, NULL);"
                  "INSERT INTO cpu_classes VALUES (-1, 'unknown', NULL, NULL);");
    for (int i = 0; i < FM_RANKS_CLASSES; i++) {
        int64_t least, most;
        fm_ranks_class_bounds(i, &least, &most);
        if (i != 1) /* nothing is between 1 and 2 */
            fm_write(sql, "INSERT INTO ranks_classes VALUES (%d, '%s', %" PRId64 ", %" PRId64 ");", i,
                     fm_ranks_class_label(i, label), least, most);
    }
    for (int i = 0; i < FM_CPU_CLASSES; i++) {
        double least, below;
        fm_cpu_class_bounds(i, &least, &below);
        fm_write(sql, "INSERT INTO cpu_classes VALUES (%d, '%s', %.1f, ", i, fm_cpu_class_label(i, label), least);
        fm_write(sql, isinf(below) ? "NULL);" : "%.1f);", below);
    }
    for (int i = 0; i < FM_N_ROUTINE_GROUPS; i++)
        fm_write(sql, "INSERT INTO routine_groups VALUES (%d, '%s');", i,
                 fm_routine_group_label((enum fm_routine_group)i));
}

enum fm_status fm_schema_views(struct fm_db *db, struct fm_error *error)
{
    struct fm_arena arena = {0};
    struct fm_writer sql = {.arena = &arena};
    for (enum fm_rollup rollup = 0; rollup < FM_ROLLUPS; rollup++)
        for (enum fm_step step = FM_STEP_DAY; step < FM_STEPS; step++)
            if (fm_rollup_is_by(rollup, step))
                write_view(&sql, db, rollup, step);
    write_classes(&sql);
    const char *text = fm_writer_text(&sql);
    enum fm_status status = text ? fm_db_run(db, text, error)
                                 : fm_fail(error, FM_ERR_MEMORY, "not enough memory for the views");
    fm_arena_destroy(&arena);
    return status;
}
