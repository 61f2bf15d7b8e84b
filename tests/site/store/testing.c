#include "site/store/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/writer.h"
#include "site/store/rollup.h"

static char directory[200], address[256];

static void give_up(const char *what, const struct fm_error *error)
{
    printf("Bail out! %s: %s\n", what, error->text);
    exit(1);
}

bool fm_test_is_postgres(void)
{
    return getenv("FATHOM_TEST_DATABASE") != NULL;
}

static void empty_postgres(void)
{
    struct fm_error error = {0};
    struct fm_db *db;
    snprintf(address, sizeof address, "%s", getenv("FATHOM_TEST_DATABASE"));
    if (fm_db_open(&db, address, FM_DB_CREATE, &error) ||
        fm_db_run(db, "DROP SCHEMA public CASCADE; CREATE SCHEMA public", &error))
        give_up("cannot empty the database", &error);
    fm_db_close(db);
}

const char *fm_test_database(void)
{
    static unsigned number;
    if (fm_test_is_postgres()) {
        empty_postgres();
        return address;
    }
    if (!*directory) {
        snprintf(directory, sizeof directory, "%s/store-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
        if (!mkdtemp(directory)) {
            printf("Bail out! no directory\n");
            exit(1);
        }
    }
    snprintf(address, sizeof address, "sqlite:%s/%u.db", directory, number++);
    return address;
}

void fm_test_database_end(void)
{
    char command[256];
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    if (*directory && system(command) != 0)
        printf("# cannot remove %s\n", directory);
}

struct fm_store *fm_test_store(const char *where, enum fm_db_access access)
{
    struct fm_error error = {0};
    struct fm_store *store;
    if (fm_store_open(&store, where, access, &error))
        give_up("cannot open the store", &error);
    return store;
}

enum fm_status fm_test_add(struct fm_store *store, const struct fm_record *record, enum fm_store_origin origin,
                           double weight, struct fm_error *error)
{
    char text[FM_RECORD_BYTES + 1];
    size_t length = fm_record_write(record, text);
    struct fm_record again;
    enum fm_status status = fm_record_read(&again, text, length, NULL, error);
    if (status)
        return status;
    status = fm_store_add(
        store, &again,
        &(struct fm_store_source){.origin = origin, .uid = 1000, .weight = weight, .text = text, .length = length},
        error);
    fm_record_destroy(&again);
    return status;
}

static struct fm_query *first_row(struct fm_store *store, const char *sql, bool *row)
{
    struct fm_error error = {0};
    struct fm_query *query;
    if (fm_query_open(&query, fm_store_db(store), sql, &error) || fm_query_next(query, row, &error))
        give_up(sql, &error);
    return query;
}

double fm_test_number(struct fm_store *store, const char *sql)
{
    bool row;
    struct fm_query *query = first_row(store, sql, &row);
    double number = row ? fm_column_real(query, 0) : NAN;
    fm_query_close(query);
    return number;
}

void fm_test_text(struct fm_store *store, const char *sql, char *text, unsigned size)
{
    bool row;
    struct fm_query *query = first_row(store, sql, &row);
    snprintf(text, size, "%s", row ? fm_column_text(query, 0) : "");
    fm_query_close(query);
}

static void print_rows(struct fm_store *store, const char *sql, FILE *out)
{
    struct fm_error error = {0};
    bool row;
    struct fm_query *query = first_row(store, sql, &row);
    while (row) {
        for (int i = 0; i < fm_query_columns(query); i++)
            if (fm_column_kind_of(query, i) == FM_VALUE_REAL)
                fprintf(out, "%.17g|", fm_column_real(query, i));
            else
                fprintf(out, "%s|", fm_column_text(query, i));
        fputc('\n', out);
        if (fm_query_next(query, &row, &error))
            give_up(sql, &error);
    }
    fm_query_close(query);
}

char *fm_test_rows(struct fm_store *store, const char *sql)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    print_rows(store, sql, out);
    fclose(out);
    return text;
}

/* In the order of names, not of their numbers, which depend on what was seen first. */
static void print_rollup(struct fm_store *store, enum fm_rollup rollup, enum fm_step step, FILE *out)
{
    const char *name = fm_step_name(step);
    struct fm_rollup_table table;
    char sql[512];
    fm_rollup_describe(rollup, &table);
    int length = snprintf(sql, sizeof sql, "SELECT * FROM %s_by_%s ORDER BY 1", table.name, name);
    for (size_t i = 2; i <= table.n_keys + 3 && rollup != FM_ROLLUP_HOSTS; i++)
        length += snprintf(sql + length, sizeof sql - (size_t)length, ", %zu", i);
    if (rollup == FM_ROLLUP_HOSTS)
        snprintf(sql + length, sizeof sql - (size_t)length, ", 2, 3");
    fprintf(out, "%s %s\n", table.name, name);
    print_rows(store, sql, out);
}

static void write_list(struct fm_writer *sql, const struct fm_rollup_table *table, bool sums)
{
    for (size_t i = 0; i < table->n_columns; i++)
        fm_write(sql, sums && i >= table->n_keys ? "%sSUM(%s)" : "%s%s", i ? ", " : "", table->columns[i].name);
}

static double differences(struct fm_store *store, enum fm_rollup rollup, const char *period, bool back)
{
    struct fm_rollup_table table, of;
    struct fm_arena arena = {0};
    struct fm_writer sums = {.arena = &arena}, own = {.arena = &arena}, sql = {.arena = &arena};
    fm_rollup_describe(rollup, &table);
    fm_rollup_describe(table.of, &of);
    fm_write(&sums, "SELECT ");
    write_list(&sums, &table, true);
    fm_write(&sums, " FROM %s_%s GROUP BY ", period, of.name);
    for (size_t i = 0; i < table.n_keys; i++)
        fm_write(&sums, "%s%s", i ? ", " : "", table.columns[i].name);
    fm_write(&own, "SELECT ");
    write_list(&own, &table, false);
    fm_write(&own, " FROM %s_%s", period, table.name);
    const char *first = fm_writer_text(back ? &own : &sums), *second = fm_writer_text(back ? &sums : &own);
    fm_write(&sql, "SELECT COUNT(*) FROM (SELECT * FROM (%s) a EXCEPT SELECT * FROM (%s) b) c", first, second);
    double found = fm_test_number(store, fm_writer_text(&sql));
    fm_arena_destroy(&arena);
    return found;
}

double fm_test_coarse_differences(struct fm_store *store)
{
    double found = 0;
    for (int i = FM_ROLLUP_FINE; i < FM_ROLLUPS; i++)
        for (int back = 0; back < 2; back++)
            found += differences(store, (enum fm_rollup)i, "day", back) +
                     differences(store, (enum fm_rollup)i, "month", back);
    return found;
}

char *fm_test_rollups(struct fm_store *store)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (enum fm_rollup rollup = 0; rollup < FM_ROLLUPS; rollup++)
        for (enum fm_step step = FM_STEP_DAY; step < FM_STEPS; step++)
            if (fm_rollup_is_by(rollup, step))
                print_rollup(store, rollup, step, out);
    fclose(out);
    return text;
}
