/* SPDX-License-Identifier: BSD-3-Clause */
/* The job list, a job, and its tags. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/findings/finding.h"
#include "site/http/answers.h"
#include "site/http/kept.h"
#include "site/insights/references.h"
#include "site/store/rollup.h"
#include "site/store/tags.h"

enum { PAGE = 50, PAGE_MOST = 200 };

/* ---- the members of a job ---- */

/* -1: unknown. */
static void write_whole(struct fm_json *json, const char *key, int64_t number)
{
    if (number >= 0)
        fm_json_signed(json, key, number);
    else
        fm_json_null(json, key);
}

static void write_texts(struct fm_json *json, const struct fm_site_job *job)
{
    const struct fm_record *record = &job->record;
    fm_json_signed(json, "id", job->id);
    fm_json_signed(json, "uid", job->uid);
    fm_json_text(json, "key", record->key);
    fm_site_text_or_null(json, "job_id", record->job_id);
    fm_site_text_or_null(json, "user", record->user);
    fm_site_text_or_null(json, "account", record->account);
    fm_site_text_or_null(json, "partition", record->partition);
    fm_site_text_or_null(json, "program", record->program);
    fm_site_text_or_null(json, "end", record->end);
    write_whole(json, "started_at", record->started);
    write_whole(json, "ended_at", record->ended);
    if (record->complete >= 0)
        fm_json_bool(json, "complete", record->complete == 1);
    else
        fm_json_null(json, "complete");
}

/* Of a host: all of its ranks taken to be as large as the largest one. */
static double memory_fraction(const struct fm_record *record)
{
    if (record->memory_bytes < 0 || record->host_memory_bytes <= 0 || record->ranks <= 0 || record->hosts <= 0)
        return NAN;
    double fraction = (double)record->memory_bytes * (double)record->ranks / (double)record->hosts /
                      (double)record->host_memory_bytes;
    return fraction > 1 ? 1 : fraction;
}

static void write_numbers(struct fm_json *json, const struct fm_site_job *job)
{
    const struct fm_record *record = &job->record;
    double values[FM_REFERENCE_FIGURES];
    fm_reference_values_of_job(record, values);
    write_whole(json, "ranks", record->ranks);
    write_whole(json, "hosts", record->hosts);
    const struct {
        const char *key;
        double value;
    } numbers[] = {
        {"wall_s", record->wall_s},
        {"cpu_s", record->cpu_s},
        {"weight", job->weight},
        {"wasted_s", job->wasted_s},
        {"mpi_fraction", job->mpi_fraction},
        {"parallel", record->parallel},
        {"load_balance", record->load_balance},
        {"communication", record->communication},
        {"transfer", record->transfer},
        {"io_fraction", record->io_s / record->cpu_s},
        {"waiting_fraction", record->waiting_s / record->cpu_s},
        {"memory_fraction", memory_fraction(record)},
        {"instruction_rate", values[FM_REFERENCE_INSTRUCTIONS]},
        {"fp_rate", values[FM_REFERENCE_FP]},
        {"l2_miss_rate", values[FM_REFERENCE_L2_MISSES]},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        fm_json_number_or_null(json, numbers[i].key, isfinite(numbers[i].value), numbers[i].value);
}

static void write_finding(struct fm_json *json, const struct fm_record_finding *finding)
{
    if (!finding) {
        fm_json_null(json, "finding");
        return;
    }
    fm_json_object(json, "finding", FM_JSON_INLINE);
    fm_json_text(json, "rule", finding->rule);
    fm_json_text(json, "text", finding->text);
    fm_json_number_or_null(json, "cost_s", isfinite(finding->cost_s), finding->cost_s);
    fm_site_text_or_null(json, "function", finding->function);
    fm_site_text_or_null(json, "file", finding->file);
    write_whole(json, "line", finding->line > 0 ? finding->line : -1);
    fm_json_end(json);
}

static enum fm_status write_tags(struct fm_site_answering *answering, struct fm_json *json,
                                 const struct fm_site_job *job, struct fm_error *error)
{
    const struct fm_site_tag_rules *rules = &answering->server->tag_rules;
    const char *tags[FM_TAGS_OF_JOB];
    size_t n;
    enum fm_status status = fm_tags_of(answering->db, job->id, &answering->arena, tags, &n, error);
    if (status)
        return status;
    fm_json_array(json, "tags", FM_JSON_INLINE);
    for (size_t i = 0; i < n; i++)
        if (!fm_site_tag_rule(rules, tags[i]))
            fm_json_text(json, NULL, tags[i]);
    for (size_t i = 0; i < rules->n; i++)
        if (fm_jobs_filter_fits(&rules->items[i].filter, job))
            fm_json_text(json, NULL, rules->items[i].tag);
    fm_json_end(json);
    return FM_OK;
}

enum fm_status fm_site_write_job(struct fm_site_answering *answering, struct fm_json *json,
                                 const struct fm_site_job *job, struct fm_error *error)
{
    write_texts(json, job);
    write_numbers(json, job);
    write_finding(json, job->finding);
    fm_json_bool(json, "profile", fm_site_kept_has(answering->server, job));
    return write_tags(answering, json, job, error);
}

/* ---- the list ---- */

static bool read_order(const char *text, enum fm_jobs_order *order)
{
    for (int i = 0; text && i < FM_JOBS_ORDERS; i++)
        if (strcmp(fm_jobs_orders[i], text) == 0) {
            *order = (enum fm_jobs_order)i;
            return true;
        }
    return !text;
}

static bool read_limit(const char *text, size_t *limit)
{
    char *end;
    unsigned long number = text ? strtoul(text, &end, 10) : PAGE;
    *limit = number;
    return !text || (*text >= '0' && *text <= '9' && !*end && number >= 1 && number <= PAGE_MOST);
}

static bool read_switch(const char *text, bool *on)
{
    *on = text && strcmp(text, "1") == 0;
    return !text || *on || strcmp(text, "0") == 0;
}

static enum fm_status write_list(struct fm_site_answering *answering, const struct fm_jobs_page *page, bool counted,
                                 double jobs, bool exact, struct fm_error *error)
{
    struct fm_json json = {.out = answering->out};
    enum fm_status status = FM_OK;
    fm_json_object(&json, NULL, FM_JSON_LINES);
    fm_json_array(&json, "jobs", FM_JSON_LINES);
    for (size_t i = 0; i < page->n && !status; i++) {
        fm_json_object(&json, NULL, FM_JSON_INLINE);
        status = fm_site_write_job(answering, &json, &page->jobs[i], error);
        fm_json_end(&json);
    }
    fm_json_end(&json);
    fm_site_text_or_null(&json, "next", page->next.text);
    write_whole(&json, "count", counted ? (int64_t)jobs : -1);
    if (counted)
        fm_json_bool(&json, "exact", exact);
    else
        fm_json_null(&json, "exact");
    fm_json_end(&json);
    return status;
}

enum fm_status fm_site_answer_jobs(struct fm_site_answering *answering, struct fm_error *error)
{
    const char *const *values = answering->request->parameters.values;
    const char *tag = values[FM_SITE_PARAMETER_tag], *after = values[FM_SITE_PARAMETER_after];
    struct fm_jobs_filter filter;
    struct fm_jobs_cursor cursor = {""};
    struct fm_jobs_page page;
    enum fm_jobs_order order = FM_JOBS_BY_ENDED;
    size_t limit;
    bool ascending, counts, exact = false;
    double jobs = 0;
    const char *wrong = fm_site_filter_make(&filter, &answering->request->parameters);
    if (!wrong && !read_order(values[FM_SITE_PARAMETER_order], &order))
        wrong = "order must be ended, cpu, wasted, efficiency or mpi";
    if (!wrong && !read_limit(values[FM_SITE_PARAMETER_limit], &limit))
        wrong = "limit must be from 1 to 200";
    if (!wrong && (!read_switch(values[FM_SITE_PARAMETER_up], &ascending) ||
                   !read_switch(values[FM_SITE_PARAMETER_count], &counts)))
        wrong = "up and count must be 0 or 1";
    if (!wrong && after && strlen(after) >= sizeof cursor.text)
        wrong = "after must be the 'next' of a page";
    if (wrong)
        return fm_site_refuse(answering, 400, wrong);
    strcpy(cursor.text, after ? after : "");
    filter.owner = answering->scope.owner;
    filter.among = tag ? fm_site_tag_rule(&answering->server->tag_rules, tag) : NULL;
    filter.tag = filter.among ? NULL : tag;
    enum fm_status status = fm_jobs_page(answering->store, &filter, order, !ascending, &cursor, limit,
                                         &answering->arena, &page, error);
    if (status == FM_ERR_USAGE)
        return fm_site_refuse(answering, 400, "after must be the 'next' of a page");
    if (!status && counts)
        status = fm_jobs_count(answering->store, &filter, &jobs, &exact, error);
    return status ? status : write_list(answering, &page, counts, jobs, exact, error);
}

/* ---- a job ---- */

static void write_references(struct fm_json *json, const struct fm_reference site[],
                             const struct fm_reference program[])
{
    fm_json_object(json, "reference", FM_JSON_LINES);
    for (int i = 0; i < FM_REFERENCE_FIGURES; i++) {
        fm_json_object(json, fm_reference_kinds[i].key, FM_JSON_INLINE);
        fm_json_number_or_null(json, "value", isfinite(site[i].value), site[i].value);
        fm_json_text(json, "better", fm_reference_kinds[i].high_is_better ? "high" : "low");
        fm_reference_json(json, "program", &program[i], false);
        fm_reference_json(json, "site", &site[i], false);
        fm_json_end(json);
    }
    fm_json_end(json);
}

/* What to try, for each finding of the record in its order; null for rules that this version does not know. */
static void write_advice(struct fm_json *json, const json_t *findings)
{
    size_t i;
    const json_t *finding;
    fm_json_array(json, "advice", FM_JSON_INLINE);
    json_array_foreach(findings, i, finding)
    {
        const char *rule = json_string_value(json_object_get(finding, "rule"));
        fm_site_text_or_null(json, NULL, rule ? fm_finding_advice(rule) : NULL);
    }
    fm_json_end(json);
}

/* It was checked when it was stored; but a document that is not JSON would spoil the whole answer. */
static void write_record(struct fm_json *json, const char *document)
{
    json_t *parsed = json_loads(document, 0, NULL);
    char *text = parsed ? json_dumps(parsed, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
    if (text)
        fm_json_raw(json, "record", text);
    else
        fm_json_null(json, "record");
    free(text);
    write_advice(json, json_object_get(parsed, "findings"));
    json_decref(parsed);
}

enum fm_status fm_site_answer_job(struct fm_site_answering *answering, struct fm_error *error)
{
    enum { DAYS = 90 };
    struct fm_site_job job;
    struct fm_references *references = NULL;
    struct fm_reference site[FM_REFERENCE_FIGURES], program[FM_REFERENCE_FIGURES];
    double values[FM_REFERENCE_FIGURES];
    char *document = NULL;
    bool found;
    enum fm_status status = fm_site_job_find(answering->store, answering->request->route.job, answering->scope.owner,
                                             &answering->arena, &job, &found, error);
    if (!status && !found)
        return fm_site_refuse(answering, 404, FM_SITE_NOT_FOUND);
    int64_t day = status ? 0 : fm_site_job_day(&job.record);
    if (!status)
        status = fm_store_document(answering->store, job.id, &document, error);
    if (!status)
        status = fm_references_open(&references, answering->db, day - DAYS, day + 1, error);
    if (!status) {
        fm_reference_values_of_job(&job.record, values);
        fm_references_among_users(references, answering->scope.owner, values, site);
        status = fm_references_among_runs(references, job.record.program, answering->scope.owner, values, program,
                                          error);
    }
    fm_references_close(references);
    if (!status) {
        fm_site_hide_few(answering, site);
        fm_site_hide_few(answering, program);
    }
    struct fm_json json = {.out = answering->out};
    if (!status) {
        fm_json_object(&json, NULL, FM_JSON_LINES);
        fm_json_object(&json, "job", FM_JSON_INLINE);
        status = fm_site_write_job(answering, &json, &job, error);
        fm_json_end(&json);
        write_references(&json, site, program);
        write_record(&json, document);
        fm_json_end(&json);
    }
    free(document);
    return status;
}

/* ---- tags ---- */

enum fm_status fm_site_answer_tag(struct fm_site_answering *answering, struct fm_error *error)
{
    const struct fm_site_request *request = answering->request;
    const char *tag = request->parameters.values[FM_SITE_PARAMETER_tag];
    bool adds = request->route.kind == FM_SITE_TAG;
    struct fm_json json = {.out = answering->out};
    enum fm_tagging became;
    if (!tag || !fm_tag_is_valid(tag))
        return fm_site_refuse(answering, 400, "tag must have 1 to 40 bytes of text that can be shown");
    if (fm_site_tag_rule(&answering->server->tag_rules, tag))
        return fm_site_refuse(answering, 400, "this tag is given by a rule of the site");
    enum fm_status status = adds ? fm_tag_set(answering->db, request->route.job, answering->scope.owner, tag,
                                              request->viewer.name, &became, error)
                                 : fm_tag_remove(answering->db, request->route.job, answering->scope.owner, tag,
                                                 &became, error);
    if (status)
        return status;
    if (became == FM_TAG_NO_JOB)
        return fm_site_refuse(answering, 404, FM_SITE_NOT_FOUND);
    if (became == FM_TAG_TOO_MANY)
        return fm_site_refuse(answering, 400, "a job has at most 20 tags");
    const char *tags[FM_TAGS_OF_JOB];
    size_t n;
    status = fm_tags_of(answering->db, request->route.job, &answering->arena, tags, &n, error);
    fm_json_object(&json, NULL, FM_JSON_LINES);
    fm_json_array(&json, "tags", FM_JSON_INLINE);
    for (size_t i = 0; i < n && !status; i++)
        fm_json_text(&json, NULL, tags[i]);
    fm_json_end(&json);
    fm_json_end(&json);
    return status;
}
