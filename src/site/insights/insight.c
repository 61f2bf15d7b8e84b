/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/insights/insight.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "render/text.h"
#include "site/store/schema.h"
#include "site/store/schema_tables.h"

#define X(kind, word, title) word,
const char *const fm_insight_words[FM_N_INSIGHT_KINDS + 1] = {FM_INSIGHT_KINDS(X) NULL};
#undef X
#define X(kind, word, title) title,
const char *const fm_insight_titles[FM_N_INSIGHT_KINDS] = {FM_INSIGHT_KINDS(X)};
#undef X

static enum fm_status no_memory(struct fm_error *error)
{
    return fm_fail(error, FM_ERR_MEMORY, "not enough memory for insights");
}

/* ---- reading ---- */

/* NULL stays NULL; *failed if out of memory. */
static const char *copy(const struct fm_query *query, int column, struct fm_arena *arena, bool *failed)
{
    if (fm_column_is_null(query, column))
        return NULL;
    const char *text = fm_column_text(query, column);
    const char *copied = fm_arena_strndup(arena, text, strlen(text));
    *failed = *failed || !copied;
    return copied;
}

static enum fm_status read_rows(struct fm_query *query, struct fm_arena *arena, struct fm_insight_list *list,
                                struct fm_error *error)
{
    size_t capacity = 0;
    for (;;) {
        bool row, failed = false;
        enum fm_status status = fm_query_next(query, &row, error);
        if (status || !row)
            return status;
        if (list->n == capacity) {
            struct fm_insight *grown = fm_arena_grow(arena, list->insights, &capacity, list->n + 1, sizeof *grown);
            if (!grown)
                return no_memory(error);
            list->insights = grown;
        }
        list->insights[list->n++] = (struct fm_insight){
            .kind = copy(query, 0, arena, &failed),
            .user = copy(query, 1, arena, &failed),
            .program = copy(query, 2, arena, &failed),
            .host = copy(query, 3, arena, &failed),
            .day = fm_column_is_null(query, 4) ? -1 : fm_column_whole(query, 4),
            .cost_s = fm_column_real(query, 5),
            .certainty = fm_column_real(query, 6),
            .sentence = copy(query, 7, arena, &failed),
            .document = copy(query, 8, arena, &failed),
        };
        if (failed)
            return no_memory(error);
    }
}

static enum fm_status read_time(struct fm_db *db, int64_t *analysed, struct fm_error *error)
{
    char *value;
    enum fm_status status = fm_schema_get(db, "analysed", &value, error);
    if (status)
        return status;
    *analysed = value ? strtoll(value, NULL, 10) : -1;
    free(value);
    return FM_OK;
}

enum fm_status fm_insights_read(struct fm_db *db, const char *user, const char *program, struct fm_arena *arena,
                                struct fm_insight_list *list, struct fm_error *error)
{
    *list = (struct fm_insight_list){.analysed = -1};
    char sql[320];
    int n = 0;
    int length = snprintf(sql, sizeof sql,
                          "SELECT kind, user_name, program, host, day, cost_s, certainty, sentence, document "
                          "FROM insights WHERE 1 = 1");
    if (user)
        length += snprintf(sql + length, sizeof sql - (size_t)length, " AND user_name = $%d", ++n);
    if (program)
        length += snprintf(sql + length, sizeof sql - (size_t)length, " AND program = $%d", ++n);
    snprintf(sql + length, sizeof sql - (size_t)length, " ORDER BY number");
    struct fm_query *query = NULL;
    enum fm_status status = read_time(db, &list->analysed, error);
    if (!status)
        status = fm_query_open(&query, db, sql, error);
    if (!status) {
        n = 0;
        if (user)
            fm_query_text(query, ++n, user);
        if (program)
            fm_query_text(query, ++n, program);
        status = read_rows(query, arena, list, error);
    }
    fm_query_close(query);
    return status;
}

/* ---- to readers ---- */

enum { DAY_S = 86400 };

static const char *day_text(int64_t day, char text[FM_UNIT_CHARS])
{
    fm_date_iso(text, (uint64_t)day * DAY_S * UINT64_C(1000000000));
    text[strcspn(text, "T")] = '\0';
    return text;
}

enum fm_status fm_insights_sheet(const struct fm_insight_list *list, struct fm_sheet *sheet, struct fm_arena *arena,
                                 struct fm_error *error)
{
    static const struct fm_column columns[] = {
        {"kind", "kind", FM_COLUMN_KEY},
        {"user", "user", FM_COLUMN_KEY},
        {"program", "program", FM_COLUMN_KEY},
        {"host", "host", FM_COLUMN_KEY},
        {"day", "day", FM_COLUMN_KEY},
        {"costs", "cost_s", FM_COLUMN_TIME},
        {"certain", "certainty", FM_COLUMN_PERCENT},
        {"what", "sentence", FM_COLUMN_TEXT},
    };
    *sheet = (struct fm_sheet){
        .key = FM_INSIGHTS_KEY, .title = "Insights", .n_columns = sizeof columns / sizeof *columns};
    memcpy(sheet->columns, columns, sizeof columns);
    for (size_t i = 0; i < list->n; i++) {
        const struct fm_insight *insight = &list->insights[i];
        char day[FM_UNIT_CHARS];
        struct fm_sheet_value *row;
        if (!fm_sheet_row(sheet, arena, &row))
            return no_memory(error);
        row[0].text = insight->kind;
        row[1].text = insight->user;
        row[2].text = insight->program;
        row[3].text = insight->host;
        row[4].text = insight->day < 0 ? NULL : fm_format(arena, "%s", day_text(insight->day, day));
        row[5].number = insight->cost_s * 1e9;
        row[6].number = insight->certainty;
        row[7].text = insight->sentence;
    }
    return FM_OK;
}

void fm_insights_text(const struct fm_insight_list *list, size_t rows, FILE *out)
{
    char date[FM_UNIT_CHARS], hours[FM_UNIT_CHARS];
    if (list->analysed < 0) {
        fputs("Nothing has been analysed yet: 'fathom site analyse' does it.\n", out);
        return;
    }
    fprintf(out, "Insights of the analysis of %s%s\n",
            fm_date_text(date, (uint64_t)list->analysed * UINT64_C(1000000000)),
            list->n ? "; CPU time that each of them costs:" : ": none");
    for (size_t i = 0; i < list->n && (!rows || i < rows); i++) {
        char head[FM_UNIT_CHARS + 8];
        snprintf(head, sizeof head, "%12s h  ", fm_decimal_text(hours, list->insights[i].cost_s / 3600, 0));
        fm_print_hanging(out, head, list->insights[i].sentence);
    }
    if (rows && rows < list->n)
        fprintf(out, "+ %zu more (--all shows them)\n", list->n - rows);
}

/* ---- writing ---- */

static enum fm_status insert_all(struct fm_db *db, const struct fm_insight_list *list, struct fm_error *error)
{
    struct fm_query *query;
    enum fm_status status = fm_query_open(
        &query, db,
        "INSERT INTO insights (number, kind, user_name, program, host, day, cost_s, "
        "certainty, sentence, document) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        error);
    if (status)
        return status;
    for (size_t i = 0; i < list->n && !status; i++) {
        const struct fm_insight *insight = &list->insights[i];
        fm_query_whole(query, 1, (int64_t)i);
        fm_query_text(query, 2, insight->kind);
        fm_query_text(query, 3, insight->user);
        fm_query_text(query, 4, insight->program);
        fm_query_text(query, 5, insight->host);
        if (insight->day >= 0)
            fm_query_whole(query, 6, insight->day);
        else
            fm_query_null(query, 6);
        fm_query_real(query, 7, insight->cost_s);
        fm_query_real(query, 8, insight->certainty);
        fm_query_text(query, 9, insight->sentence);
        fm_query_text(query, 10, insight->document);
        status = fm_query_run(query, error);
    }
    fm_query_close(query);
    return status;
}

enum fm_status fm_insights_write(struct fm_db *db, const struct fm_insight_list *list, struct fm_error *error)
{
    char analysed[32];
    snprintf(analysed, sizeof analysed, "%" PRId64, list->analysed);
    enum fm_status status = fm_db_begin(db, error);
    if (status)
        return status;
    if (fm_db_kind(db) == FM_DB_POSTGRES) /* two analyses at once would insert the same numbers */
        status = fm_db_run(db, "SELECT pg_advisory_xact_lock(" FM_STORE_LOCK ")", error);
    if (!status)
        status = fm_db_run(db, "DELETE FROM insights", error);
    if (!status)
        status = insert_all(db, list, error);
    if (!status)
        status = fm_schema_set(db, "analysed", analysed, error);
    if (!status)
        status = fm_db_commit(db, error);
    if (status)
        fm_db_rollback(db);
    return status;
}
