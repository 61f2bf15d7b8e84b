/* SPDX-License-Identifier: BSD-3-Clause */
/* The jobs that spend much of their time in MPI, the largest first. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "site/store/classes.h"
#include "site/store/jobs.h"
#include "site/summary/summary.h"

enum { DAY_S = 86400, PAGE = 200, PAGES = 50 };

static const struct fm_column columns[] = {
    {"job", "number", FM_COLUMN_RANK},
    {"batch id", "id", FM_COLUMN_KEY},
    {"user", "user", FM_COLUMN_KEY},
    {"program", "program", FM_COLUMN_TEXT},
    {"ended", "ended", FM_COLUMN_KEY},
    {"ranks", "ranks", FM_COLUMN_COUNT},
    {"CPU time", "cpu_s", FM_COLUMN_TIME},
    {"MPI time", "mpi_s", FM_COLUMN_TIME},
    {"% MPI", "mpi_fraction", FM_COLUMN_PERCENT},
    {"% efficient", "efficiency", FM_COLUMN_PERCENT},
    {"wasted", "wasted_s", FM_COLUMN_TIME},
    {"costs most", "finding", FM_COLUMN_KEY},
    {NULL, "finding_text", FM_COLUMN_TEXT},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static const char *kept(struct fm_arena *arena, const char *text)
{
    const char *copy = fm_arena_strndup(arena, text, strlen(text));
    return copy ? copy : "";
}

static bool add_row(struct fm_sheet *sheet, const struct fm_site_job *job, struct fm_arena *arena)
{
    const struct fm_record *record = &job->record;
    char ended[FM_UNIT_CHARS];
    struct fm_sheet_value *row;
    if (!fm_sheet_row(sheet, arena, &row))
        return false;
    fm_date_iso(ended, record->ended > 0 ? (uint64_t)record->ended * 1000000000 : 0);
    ended[strcspn(ended, "T")] = 0;
    row[0].number = (double)job->id;
    row[1].text = kept(arena, record->job_id);
    row[2].text = kept(arena, record->user);
    row[3].text = kept(arena, record->program);
    row[4].text = kept(arena, ended);
    row[5].number = record->ranks > 0 ? (double)record->ranks : NAN;
    row[6].number = record->cpu_s * 1e9;
    row[7].number = record->mpi_s * 1e9;
    row[8].number = job->mpi_fraction;
    row[9].number = record->parallel;
    row[10].number = job->wasted_s * 1e9;
    row[11].text = job->finding ? kept(arena, job->finding->rule) : "";
    row[12].text = job->finding ? kept(arena, job->finding->text) : "";
    return true;
}

static bool belongs(const struct fm_site_job *job, const struct fm_scope *scope)
{
    const struct fm_record *record = &job->record;
    return (!scope->language || strcmp(record->language, scope->language) == 0) &&
           (!scope->of_cpu || fm_cpu_class(record->cpu_s) == scope->cpu_class) && job->mpi_fraction > FM_CRITICAL_MPI;
}

enum fm_status fm_site_summary_add_critical(struct fm_site_summary *summary, struct fm_store *store, size_t rows,
                                            struct fm_error *error)
{
    const struct fm_scope *scope = &summary->scope;
    struct fm_jobs_filter filter = FM_JOBS_ALL;
    struct fm_jobs_cursor after = {""};
    struct fm_sheet *sheet = &summary->sheets[summary->n_sheets++];
    fm_sheet_start(sheet, FM_CRITICAL_KEY, "Jobs with more than 15 % MPI, the largest first", columns, COLUMNS);
    filter.user = scope->user;
    filter.from = scope->from * DAY_S;
    filter.to = scope->until * DAY_S;
    filter.least_mpi = FM_CRITICAL_MPI;
    if (scope->of_ranks)
        fm_ranks_class_bounds(scope->ranks_class, &filter.least_ranks, &filter.most_ranks);
    for (int page = 0; page < PAGES; page++) {
        struct fm_jobs_page list;
        enum fm_status status = fm_jobs_page(store, &filter, FM_JOBS_BY_CPU, true, page ? &after : NULL, PAGE,
                                             &summary->arena, &list, error);
        if (status)
            return status;
        for (size_t i = 0; i < list.n && sheet->n_rows < rows; i++)
            if (belongs(&list.jobs[i], scope) && !add_row(sheet, &list.jobs[i], &summary->arena))
                return fm_fail(error, FM_ERR_MEMORY, "not enough memory for a table of the summary");
        after = list.next;
        if (sheet->n_rows >= rows || !*after.text)
            break;
    }
    return FM_OK;
}
