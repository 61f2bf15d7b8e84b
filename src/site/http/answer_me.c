/* SPDX-License-Identifier: BSD-3-Clause */
/* Who asks, what filters can choose from, and the reference values of the list. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/writer.h"
#include "site/http/answers.h"
#include "site/insights/references.h"
#include "site/store/classes.h"

enum { REFERENCE_DAYS = 90, REFUSED_DAYS = 30 };

/* ---- statements ---- */

#define OWNER "(SELECT id FROM names WHERE name = $1)"
#define MONTHS "{months}" /* stands for fm_site_months in a statement */
#define MOST "LIMIT 1000"

/* Runs a statement whose first parameter, if it has any, is the owner, and calls a function for each row. */
typedef void row_function(struct fm_json *json, const struct fm_query *query);

static enum fm_status each_row(struct fm_site_answering *answering, const char *sql, const char *owner,
                               row_function *function, struct fm_json *json, struct fm_error *error)
{
    struct fm_writer text = {.arena = &answering->arena};
    struct fm_query *query = NULL;
    const char *months, *place = strstr(sql, MONTHS);
    bool row;
    enum fm_status status = place ? fm_site_months(answering, &months, error) : FM_OK;
    if (status)
        return status;
    if (place) {
        fm_write(&text, "%.*s%s%s", (int)(place - sql), sql, months, place + strlen(MONTHS));
        sql = fm_writer_text(&text);
    }
    status = sql ? fm_query_open(&query, answering->db, sql, error)
                 : fm_fail(error, FM_ERR_MEMORY, "not enough memory for a statement");
    if (status)
        return status;
    if (owner)
        fm_query_text(query, 1, owner);
    while (!(status = fm_query_next(query, &row, error)) && row)
        function(json, query);
    fm_query_close(query);
    return status;
}

static void write_name(struct fm_json *json, const struct fm_query *query)
{
    if (*fm_column_text(query, 0))
        fm_json_text(json, NULL, fm_column_text(query, 0));
}

static enum fm_status write_names(struct fm_site_answering *answering, struct fm_json *json, const char *key,
                                  const char *of_all, const char *of_owner, struct fm_error *error)
{
    const char *owner = answering->scope.owner;
    fm_json_array(json, key, FM_JSON_INLINE);
    enum fm_status status = each_row(answering, owner ? of_owner : of_all, owner, write_name, json, error);
    fm_json_end(json);
    return status;
}

static enum fm_status write_lists(struct fm_site_answering *answering, struct fm_json *json, struct fm_error *error)
{
    static const struct {
        const char *key, *of_all, *of_owner;
    } lists[] = {
        {"users",
         "SELECT n.name FROM (SELECT user_id, SUM(cpu_us) AS c FROM month_users GROUP BY user_id ORDER BY c DESC " MOST
         ") r JOIN names n ON n.id = r.user_id ORDER BY r.c DESC, n.name",
         "SELECT CAST($1 AS TEXT)"},
        {"programs",
         "SELECT n.name FROM (SELECT program_id, SUM(cpu_us) AS c FROM month_programs GROUP BY program_id ORDER BY c "
         "DESC " MOST ") r JOIN names n ON n.id = r.program_id ORDER BY r.c DESC, n.name",
         "SELECT n.name FROM (SELECT program_id, SUM(cpu_us) AS c FROM month_jobs WHERE day IN (" MONTHS
         ") AND user_id = " OWNER " GROUP BY program_id ORDER BY c DESC " MOST
         ") r JOIN names n ON n.id = r.program_id ORDER BY r.c DESC, n.name"},
        /* roll-ups do not have these: of the latest jobs */
        {"accounts",
         "SELECT account FROM (SELECT account, cpu_s FROM jobs ORDER BY ended DESC LIMIT 5000) AS latest "
         "WHERE account IS NOT NULL GROUP BY account ORDER BY SUM(cpu_s) DESC, account " MOST,
         "SELECT account FROM (SELECT account, cpu_s FROM jobs WHERE user_name = $1 ORDER BY ended DESC LIMIT 5000) AS latest "
         "WHERE account IS NOT NULL GROUP BY account ORDER BY SUM(cpu_s) DESC, account " MOST},
        {"partitions",
         "SELECT partition FROM (SELECT partition, cpu_s FROM jobs ORDER BY ended DESC LIMIT 5000) AS latest "
         "WHERE partition IS NOT NULL GROUP BY partition ORDER BY SUM(cpu_s) DESC, partition " MOST,
         "SELECT partition FROM (SELECT partition, cpu_s FROM jobs WHERE user_name = $1 ORDER BY ended DESC LIMIT 5000) AS latest "
         "WHERE partition IS NOT NULL GROUP BY partition ORDER BY SUM(cpu_s) DESC, partition " MOST},
        {"rules",
         "SELECT n.name FROM (SELECT rule_id, SUM(cost_us) AS c FROM month_all_rules GROUP BY rule_id ORDER BY c DESC " MOST
         ") r JOIN names n ON n.id = r.rule_id ORDER BY r.c DESC, n.name",
         "SELECT n.name FROM (SELECT rule_id, SUM(cost_us) AS c FROM month_rules WHERE day IN (" MONTHS
         ") AND user_id = " OWNER " GROUP BY rule_id ORDER BY c DESC " MOST
         ") r JOIN names n ON n.id = r.rule_id ORDER BY r.c DESC, n.name"},
    };
    enum fm_status status = FM_OK;
    for (size_t i = 0; i < sizeof lists / sizeof *lists && !status; i++)
        status = write_names(answering, json, lists[i].key, lists[i].of_all, lists[i].of_owner, error);
    if (status)
        return status;
    const struct fm_site_tag_rules *rules = &answering->server->tag_rules;
    const char *owner = answering->scope.owner;
    fm_json_array(json, "tags", FM_JSON_INLINE);
    for (size_t i = 0; i < rules->n; i++)
        fm_json_text(json, NULL, rules->items[i].tag);
    status = each_row(answering,
                      owner ? "SELECT DISTINCT t.tag FROM tags t JOIN jobs j ON j.id = t.job WHERE j.user_name = $1 "
                              "ORDER BY t.tag " MOST
                            : "SELECT DISTINCT tag FROM tags ORDER BY tag " MOST,
                      owner, write_name, json, error);
    fm_json_end(json);
    return status;
}

/* ---- numbers ---- */

static void write_numbers(struct fm_json *json, const struct fm_query *query)
{
    fm_json_real(json, "jobs", fm_column_is_null(query, 0) ? 0 : fm_column_real(query, 0));
    if (fm_column_is_null(query, 1)) {
        fm_json_null(json, "first_day");
        fm_json_null(json, "last_day");
        return;
    }
    fm_site_json_day(json, "first_day", fm_column_whole(query, 1));
    fm_site_json_day(json, "last_day", fm_column_whole(query, 2));
}

static void write_latest(struct fm_json *json, const struct fm_query *query)
{
    if (fm_column_is_null(query, 0))
        fm_json_null(json, "latest_at");
    else
        fm_json_signed(json, "latest_at", fm_column_whole(query, 0));
}

static void write_refused(struct fm_json *json, const struct fm_query *query)
{
    fm_json_object(json, NULL, FM_JSON_INLINE);
    fm_json_text(json, "why", fm_column_text(query, 0));
    fm_json_real(json, "records", fm_column_real(query, 1));
    fm_json_end(json);
}

static enum fm_status write_all_numbers(struct fm_site_answering *answering, struct fm_json *json,
                                        struct fm_error *error)
{
    const char *owner = answering->scope.owner;
    enum fm_status status = each_row(
        answering,
        /* least and greatest are two statements: each is a look at one end of an index */
        owner ? "SELECT (SELECT SUM(jobs) FROM month_users WHERE user_id = " OWNER "), "
                "(SELECT MIN(day) FROM day_users WHERE user_id = " OWNER "), "
                "(SELECT MAX(day) FROM day_users WHERE user_id = " OWNER ")"
              : "SELECT (SELECT SUM(jobs) FROM month_classes), (SELECT MIN(day) FROM day_classes), "
                "(SELECT MAX(day) FROM day_classes)",
        owner, write_numbers, json, error);
    if (!status)
        status = each_row(answering,
                          owner ? "SELECT MAX(ended) FROM jobs WHERE user_name = $1" : "SELECT MAX(ended) FROM jobs",
                          owner, write_latest, json, error);
    return status;
}

static enum fm_status write_all_refused(struct fm_site_answering *answering, struct fm_json *json,
                                        struct fm_error *error)
{
    char sql[200];
    snprintf(sql, sizeof sql,
             "SELECT why, SUM(records) FROM refused WHERE day > %lld GROUP BY why ORDER BY SUM(records) DESC, why",
             (long long)fm_day_of((int64_t)time(NULL)) - REFUSED_DAYS);
    fm_json_array(json, "refused", FM_JSON_INLINE);
    enum fm_status status = each_row(answering, sql, NULL, write_refused, json, error);
    fm_json_end(json);
    return status;
}

/* ---- reference values ---- */

/* On which the latest job of all ended: of a site that has been quiet for long there is something to compare with, too. */
static enum fm_status last_day(struct fm_db *db, int64_t *day, struct fm_error *error)
{
    struct fm_query *query = NULL;
    bool row;
    *day = fm_day_of((int64_t)time(NULL));
    enum fm_status status = fm_query_open(&query, db, "SELECT MAX(day) FROM day_classes", error);
    if (status)
        return status;
    if (!(status = fm_query_next(query, &row, error)) && row && !fm_column_is_null(query, 0))
        *day = fm_column_whole(query, 0);
    fm_query_close(query);
    return status;
}

static enum fm_status write_references(struct fm_site_answering *answering, struct fm_json *json,
                                       struct fm_error *error)
{
    const char *owner = answering->scope.owner;
    struct fm_references *references;
    struct fm_reference found[FM_REFERENCE_FIGURES];
    int64_t last;
    enum fm_status status = last_day(answering->db, &last, error);
    if (!status)
        status = fm_references_open(&references, answering->db, last - REFERENCE_DAYS, last + 1, error);
    if (status)
        return status;
    if (owner) {
        fm_references_user(references, owner, found);
    } else {
        const double none[FM_REFERENCE_FIGURES] = {NAN, NAN, NAN, NAN, NAN};
        fm_references_among_users(references, NULL, none, found);
    }
    fm_site_hide_few(answering, found);
    fm_json_object(json, "reference", FM_JSON_LINES);
    for (int i = 0; i < FM_REFERENCE_FIGURES; i++)
        fm_reference_json(json, fm_reference_kinds[i].key, &found[i], owner != NULL);
    fm_json_end(json);
    fm_references_close(references);
    return FM_OK;
}

enum fm_status fm_site_answer_me(struct fm_site_answering *answering, struct fm_error *error)
{
    const struct fm_site_viewer *viewer = &answering->request->viewer;
    struct fm_json json = {.out = answering->out};
    fm_json_object(&json, NULL, FM_JSON_LINES);
    fm_json_text(&json, "user", viewer->name);
    fm_json_bool(&json, "staff", viewer->staff);
    fm_json_text(&json, "known_by", fm_site_ways[answering->server->who.way]);
    enum fm_status status = write_all_numbers(answering, &json, error);
    if (answering->server->config->processors > 0)
        fm_json_signed(&json, "processors", answering->server->config->processors);
    else
        fm_json_null(&json, "processors");
    if (!status)
        status = write_lists(answering, &json, error);
    if (!status)
        status = write_references(answering, &json, error);
    if (!status && viewer->staff)
        status = write_all_refused(answering, &json, error);
    fm_json_end(&json);
    return status;
}
