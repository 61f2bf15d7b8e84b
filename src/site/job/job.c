/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/job/job.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static enum fm_status find_batch_id(struct fm_store *store, const char *text, int64_t ids[FM_JOBS_NAMED], size_t *n,
                                    struct fm_error *error)
{
    struct fm_query *query;
    enum fm_status status = fm_query_open(&query, fm_store_db(store),
                                          "SELECT id FROM jobs WHERE job_id = $1 ORDER BY ended DESC, id DESC LIMIT 20",
                                          error);
    if (status)
        return status;
    fm_query_text(query, 1, text);
    for (bool more = true; !status && more;) {
        status = fm_query_next(query, &more, error);
        if (!status && more && *n < FM_JOBS_NAMED)
            ids[(*n)++] = fm_column_whole(query, 0);
    }
    fm_query_close(query);
    return status;
}

static bool read_number(const char *text, int64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoll(text, &end, 10);
    return isdigit((unsigned char)*text) && !*end && !errno;
}

enum fm_status fm_jobs_named(struct fm_store *store, const char *text, int64_t ids[FM_JOBS_NAMED], size_t *n,
                             struct fm_error *error)
{
    bool number_only = *text == '#';
    int64_t number;
    *n = 0;
    enum fm_status status = number_only ? FM_OK : find_batch_id(store, text, ids, n, error);
    if (status || *n || !read_number(text + number_only, &number))
        return status;
    struct fm_arena arena = {0};
    struct fm_site_job job;
    bool found;
    status = fm_site_job_find(store, number, NULL, &arena, &job, &found, error);
    if (!status && found)
        ids[(*n)++] = number;
    fm_arena_destroy(&arena);
    return status;
}

enum fm_status fm_job_report_make(struct fm_job_report *report, struct fm_store *store, int64_t id,
                                  const struct fm_calibration *calibration, struct fm_error *error)
{
    bool found = false;
    *report = (struct fm_job_report){0};
    report->facts.arena = &report->arena;
    enum fm_status status = fm_store_record(store, id, &report->record, error);
    if (status)
        return status;
    status = fm_site_job_find(store, id, NULL, &report->arena, &report->job, &found, error);
    if (!status && !found)
        status = fm_fail(error, FM_ERR_USAGE, "there is no job %lld", (long long)id);
    if (!status) {
        fm_job_report_facts(report);
        status = fm_job_report_fill(report, calibration, error);
    }
    if (!status)
        status = fm_job_report_compare(report, store, error);
    if (!status && report->facts.failed)
        status = fm_fail(error, FM_ERR_MEMORY, "not enough memory for the report of a job");
    if (status)
        fm_job_report_close(report);
    return status;
}

void fm_job_report_close(struct fm_job_report *report)
{
    fm_record_destroy(&report->record);
    fm_arena_destroy(&report->arena);
}
