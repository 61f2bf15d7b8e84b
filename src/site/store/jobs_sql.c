/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/store/jobs_sql.h"

#include <stdlib.h>
#include <string.h>

const char *const fm_jobs_orders[FM_JOBS_ORDERS + 1] = {"ended", "cpu", "wasted", "efficiency", "mpi", NULL};

const char *fm_jobs_order_column(enum fm_jobs_order order)
{
    static const char *const columns[FM_JOBS_ORDERS] = {"ended", "cpu_s", "wasted_s", "parallel", "mpi_fraction"};
    return columns[order];
}

/* ---- what selects few ---- */

/* How many jobs a condition selects, counted up to FM_JOBS_FEW. */
static enum fm_status count_few(struct fm_db *db, const char *sql, const char *text, int64_t from, int64_t to,
                                int64_t *jobs, struct fm_error *error)
{
    struct fm_query *query;
    bool row;
    enum fm_status status = fm_query_open(&query, db, sql, error);
    if (status)
        return status;
    if (text) {
        fm_query_text(query, 1, text);
    } else {
        fm_query_whole(query, 1, from < 0 ? 0 : from);
        fm_query_whole(query, 2, to < 0 ? INT64_MAX : to);
    }
    status = fm_query_next(query, &row, error);
    *jobs = status ? 0 : fm_column_whole(query, 0);
    fm_query_close(query);
    return status;
}

static enum fm_status choose_among(struct fm_db *db, const struct fm_jobs_filter *filter, enum fm_jobs_lead *lead,
                                   int64_t *fewest, struct fm_error *error)
{
#define FEW(from_where) "SELECT COUNT(*) FROM (SELECT 1 FROM " from_where " LIMIT 20000) AS few"
    const struct {
        enum fm_jobs_lead lead;
        const char *text;
        bool given;
        const char *sql;
    } leads[] = {
        {FM_LEAD_USER, filter->owner, filter->owner, FEW("jobs WHERE user_name = $1")},
        {FM_LEAD_USER, filter->user, filter->user, FEW("jobs WHERE user_name = $1")},
        {FM_LEAD_PROGRAM, filter->program, filter->program, FEW("jobs WHERE program = $1")},
        {FM_LEAD_RULE, filter->rule, filter->rule, FEW("findings WHERE rule = $1")},
        {FM_LEAD_HOST, filter->host, filter->host, FEW("hosts WHERE host = $1")},
        {FM_LEAD_TAG, filter->tag, filter->tag, FEW("tags WHERE tag = $1")},
        {FM_LEAD_TIME, NULL, filter->from >= 0 || filter->to >= 0, FEW("jobs WHERE ended >= $1 AND ended < $2")},
    };
#undef FEW
    enum fm_status status = FM_OK;
    for (size_t i = 0; i < sizeof leads / sizeof *leads && !status; i++) {
        int64_t jobs = FM_JOBS_FEW;
        if (leads[i].given)
            status = count_few(db, leads[i].sql, leads[i].text, filter->from, filter->to, &jobs, error);
        if (!status && jobs < *fewest) {
            *fewest = jobs;
            *lead = leads[i].lead;
        }
    }
    return status;
}

enum fm_status fm_jobs_choose_lead(struct fm_db *db, const struct fm_jobs_filter *filter, enum fm_jobs_lead *lead,
                                   struct fm_error *error)
{
    int64_t fewest = FM_JOBS_FEW;
    enum fm_status status = FM_OK;
    *lead = FM_LEAD_NONE;
    for (; filter && !status; filter = filter->among)
        status = choose_among(db, filter, lead, &fewest, error);
    return status;
}

/* ---- filters ---- */

/* Text conditions on columns of `jobs`; numbers on them. */
static const struct {
    const char *column;
    size_t offset;
    enum fm_jobs_lead lead;
} text_conditions[] = {
    {"user_name", offsetof(struct fm_jobs_filter, owner), FM_LEAD_USER},
    {"user_name", offsetof(struct fm_jobs_filter, user), FM_LEAD_USER},
    {"program", offsetof(struct fm_jobs_filter, program), FM_LEAD_PROGRAM},
    {"account", offsetof(struct fm_jobs_filter, account), FM_LEAD_NONE},
    {"partition", offsetof(struct fm_jobs_filter, partition), FM_LEAD_NONE},
};
static const struct {
    const char *condition;
    size_t offset;
} whole_conditions[] = {
    {"uid = ", offsetof(struct fm_jobs_filter, uid)},
    {"ranks >= ", offsetof(struct fm_jobs_filter, least_ranks)},
    {"ranks <= ", offsetof(struct fm_jobs_filter, most_ranks)},
    {"ended >= ", offsetof(struct fm_jobs_filter, from)},
    {"ended < ", offsetof(struct fm_jobs_filter, to)},
};
enum {
    TEXT_CONDITIONS = sizeof text_conditions / sizeof *text_conditions,
    WHOLE_CONDITIONS = sizeof whole_conditions / sizeof *whole_conditions
};

static const char *text_of(const struct fm_jobs_filter *filter, size_t i)
{
    return *(const char *const *)(const void *)((const char *)filter + text_conditions[i].offset);
}

static int64_t whole_of(const struct fm_jobs_filter *filter, size_t i)
{
    return *(const int64_t *)(const void *)((const char *)filter + whole_conditions[i].offset);
}

static void write_satellite(struct fm_writer *sql, bool leads, const char *table, const char *column, int parameter)
{
    if (leads)
        fm_write(sql, " AND id IN (SELECT job FROM %s WHERE %s = $%d)", table, column, parameter);
    else
        fm_write(sql,
                 " AND EXISTS (SELECT 1 FROM %s s WHERE s.job = jobs.id AND s.started = jobs.started AND s.%s = $%d)",
                 table, column, parameter);
}

void fm_jobs_write_filter(struct fm_writer *sql, const struct fm_db *db, const struct fm_jobs_filter *filter,
                          enum fm_jobs_lead lead, enum fm_jobs_order order, int *parameter)
{
    bool sqlite = fm_db_kind(db) == FM_DB_SQLITE;
    for (size_t i = 0; i < TEXT_CONDITIONS; i++)
        if (text_of(filter, i)) {
            /* (user_name, ended) and (program, ended) are in the order of time, too */
            bool by_index = !sqlite || text_conditions[i].lead == lead || (order == FM_JOBS_BY_ENDED && !lead);
            fm_write(sql, " AND %s%s = $%d", by_index ? "" : "+", text_conditions[i].column, (*parameter)++);
        }
    for (size_t i = 0; i < WHOLE_CONDITIONS; i++)
        if (whole_of(filter, i) >= 0) {
            bool by_index = !sqlite || lead == FM_LEAD_TIME || order == FM_JOBS_BY_ENDED;
            fm_write(sql, " AND %s%s$%d", by_index ? "" : "+", whole_conditions[i].condition, (*parameter)++);
        }
    if (filter->complete >= 0)
        fm_write(sql, " AND complete = $%d", (*parameter)++);
    if (filter->least_mpi >= 0)
        fm_write(sql, " AND %smpi_fraction >= $%d", sqlite && order != FM_JOBS_BY_MPI ? "+" : "", (*parameter)++);
    if (filter->rule)
        write_satellite(sql, lead == FM_LEAD_RULE, "findings", "rule", (*parameter)++);
    if (filter->host)
        write_satellite(sql, lead == FM_LEAD_HOST, "hosts", "host", (*parameter)++);
    if (filter->tag && lead == FM_LEAD_TAG)
        fm_write(sql, " AND id IN (SELECT job FROM tags WHERE tag = $%d)", (*parameter)++);
    else if (filter->tag)
        fm_write(sql, " AND EXISTS (SELECT 1 FROM tags t WHERE t.job = jobs.id AND t.tag = $%d)", (*parameter)++);
    if (filter->among)
        fm_jobs_write_filter(sql, db, filter->among, lead, order, parameter);
}

void fm_jobs_bind_filter(struct fm_query *query, const struct fm_jobs_filter *filter, int *parameter)
{
    for (size_t i = 0; i < TEXT_CONDITIONS; i++)
        if (text_of(filter, i))
            fm_query_text(query, (*parameter)++, text_of(filter, i));
    for (size_t i = 0; i < WHOLE_CONDITIONS; i++)
        if (whole_of(filter, i) >= 0)
            fm_query_whole(query, (*parameter)++, whole_of(filter, i));
    if (filter->complete >= 0)
        fm_query_whole(query, (*parameter)++, filter->complete);
    if (filter->least_mpi >= 0)
        fm_query_real(query, (*parameter)++, filter->least_mpi);
    if (filter->rule)
        fm_query_text(query, (*parameter)++, filter->rule);
    if (filter->host)
        fm_query_text(query, (*parameter)++, filter->host);
    if (filter->tag)
        fm_query_text(query, (*parameter)++, filter->tag);
    if (filter->among)
        fm_jobs_bind_filter(query, filter->among, parameter);
}

/* ---- pages ---- */

void fm_jobs_write_page(struct fm_writer *sql, const struct fm_db *db, const struct fm_jobs_filter *filter,
                        enum fm_jobs_lead lead, enum fm_jobs_order order, bool descending, enum fm_jobs_phase phase)
{
    const char *column = fm_jobs_order_column(order), *before = descending ? "<" : ">",
               *way = descending ? " DESC" : "";
    /* with few jobs the index of the order must not be used */
    bool sort = fm_db_kind(db) == FM_DB_SQLITE && lead &&
                !(order == FM_JOBS_BY_ENDED &&
                  (lead == FM_LEAD_USER || lead == FM_LEAD_PROGRAM || lead == FM_LEAD_TIME));
    int parameter = 1;
    fm_write(sql, "SELECT id, started, %s FROM jobs WHERE %s%s IS %sNULL", column, sort ? "+" : "", column,
             phase == FM_PHASE_UNKNOWN ? "" : "NOT ");
    fm_jobs_write_filter(sql, db, filter, lead, order, &parameter);
    if (phase == FM_PHASE_AFTER) {
        fm_write(sql, " AND (%s%s, id) %s ($%d, $%d)", sort ? "+" : "", column, before, parameter, parameter + 1);
        parameter += 2;
    }
    if (phase == FM_PHASE_UNKNOWN)
        fm_write(sql, " AND id %s $%d ORDER BY id%s", before, parameter++, way);
    else
        fm_write(sql, " ORDER BY %s%s%s, id%s", sort ? "+" : "", column, way, way);
    fm_write(sql, " LIMIT $%d", parameter);
}
