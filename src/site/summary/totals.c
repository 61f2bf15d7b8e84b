/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums over a whole scope. */
#include <math.h>
#include <stddef.h>

#include "site/summary/sheet.h"

enum { DAY_S = 86400 };

/* What is selected from which roll-up, under which key it is told apart, and where it goes. */
enum sum_group { OF_JOBS, OF_USERS, OF_PROGRAMS, OF_ROUTINES, GROUPS };
static const struct {
    enum fm_rollup rollup;
    const char *key;
} groups[GROUPS] = {
    [OF_JOBS] = {FM_ROLLUP_JOBS, "critical"},
    [OF_USERS] = {FM_ROLLUP_JOBS, "user_id"},
    [OF_PROGRAMS] = {FM_ROLLUP_JOBS, "program_id"},
    [OF_ROUTINES] = {FM_ROLLUP_ROUTINES, "routine_id"},
};
static const struct {
    enum sum_group group;
    const char *sql;
    size_t offset;
} sums[] = {
    {OF_JOBS, "SUM(jobs)", offsetof(struct fm_totals, jobs)},
    {OF_JOBS, "SUM(ranks)", offsetof(struct fm_totals, ranks)},
    {OF_JOBS, "SUM(complete_jobs)", offsetof(struct fm_totals, complete_jobs)},
    {OF_JOBS, "SUM(cpu_us) / 1e6", offsetof(struct fm_totals, cpu_s)},
    {OF_JOBS, "SUM(mpi_us) / 1e6", offsetof(struct fm_totals, mpi_s)},
    {OF_JOBS, "SUM(overhead_us) / 1e6", offsetof(struct fm_totals, overhead_s)},
    {OF_JOBS, "SUM(program_us) / 1e6", offsetof(struct fm_totals, program_s)},
    {OF_JOBS, "SUM(waiting_us) / 1e6", offsetof(struct fm_totals, waiting_s)},
    {OF_JOBS, "SUM(io_us) / 1e6", offsetof(struct fm_totals, io_s)},
    {OF_JOBS, "SUM(no_cpu_us) / 1e6", offsetof(struct fm_totals, no_cpu_s)},
    {OF_JOBS, "SUM(wasted_us) / 1e6", offsetof(struct fm_totals, wasted_s)},
    {OF_JOBS, "SUM(ranks_cpu_us) / 1e6", offsetof(struct fm_totals, ranks_cpu_s)},
    {OF_JOBS, "SUM(instructions)", offsetof(struct fm_totals, instructions)},
    {OF_JOBS, "SUM(fp_instructions)", offsetof(struct fm_totals, fp_instructions)},
    {OF_JOBS, "SUM(l2_misses)", offsetof(struct fm_totals, l2_misses)},
    {OF_JOBS, "SUM(counted_us) / 1e6", offsetof(struct fm_totals, counted_s)},
    {OF_JOBS, "SUM(CASE WHEN critical = 1 THEN jobs ELSE 0 END)", offsetof(struct fm_totals, critical_jobs)},
    {OF_JOBS, "SUM(CASE WHEN critical = 1 THEN cpu_us ELSE 0 END) / 1e6", offsetof(struct fm_totals, critical_cpu_s)},
    {OF_USERS, "COUNT(DISTINCT user_id)", offsetof(struct fm_totals, users)},
    {OF_PROGRAMS, "COUNT(DISTINCT program_id)", offsetof(struct fm_totals, programs)},
    {OF_ROUTINES, "COUNT(DISTINCT routine_id)", offsetof(struct fm_totals, routines)},
};
enum { SUMS = sizeof sums / sizeof *sums };

static enum fm_status select_into(struct fm_db *db, const struct fm_scope *scope, enum sum_group group,
                                  struct fm_totals *totals, struct fm_error *error)
{
    enum fm_rollup rollup = fm_scope_rollup(scope, groups[group].rollup, groups[group].key, NULL);
    struct fm_arena arena = {0};
    struct fm_writer sql = {.arena = &arena};
    fm_write(&sql, "SELECT ");
    int n = 0;
    for (size_t i = 0; i < SUMS; i++)
        if (sums[i].group == group)
            fm_write(&sql, "%s%s", n++ ? ", " : "", sums[i].sql);
    fm_write(&sql, " FROM ");
    fm_scope_write(&sql, scope, rollup);
    fm_write(&sql, " WHERE jobs > 0");
    const char *statement = fm_writer_text(&sql);
    struct fm_query *query = NULL;
    enum fm_status status = statement ? fm_query_open(&query, db, statement, error)
                                      : fm_fail(error, FM_ERR_MEMORY, "not enough memory for the sums");
    bool row = false;
    if (!status) {
        fm_scope_bind(query, scope, rollup);
        status = fm_query_next(query, &row, error);
    }
    n = 0;
    for (size_t i = 0; !status && row && i < SUMS; i++) {
        if (sums[i].group != group)
            continue;
        double value = fm_column_real(query, n++);
        *(double *)((char *)totals + sums[i].offset) = isnan(value) ? 0 : value;
    }
    fm_query_close(query);
    fm_arena_destroy(&arena);
    return status;
}

enum fm_status fm_totals_find(struct fm_db *db, const struct fm_scope *scope, bool counts, struct fm_totals *totals,
                              struct fm_error *error)
{
    *totals = (struct fm_totals){
        .latency_s = NAN, .transfer_s = NAN, .synchronisation_s = NAN, .local_s = NAN, .not_estimated_s = NAN};
    enum fm_status status = FM_OK;
    for (int group = 0; group < (counts ? GROUPS : OF_JOBS + 1) && !status; group++)
        status = select_into(db, scope, (enum sum_group)group, totals, error);
    if (totals->cpu_s > 0 && !(totals->program_s > 0))
        totals->wasted_s = NAN; /* no job whose efficiency is known */
    totals->capacity_s = scope->processors > 0 ? scope->processors * DAY_S * (double)(scope->until - scope->from) : NAN;
    return status;
}
