/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/store/rollup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "site/store/cells.h"
#include "site/store/classes.h"

/* Cells of one roll-up in memory before they are written; routines whose group is remembered. */
enum { FULL_CELLS = 100000, KNOWN_ROUTINES = 2000 };
/* What one job may add to a sum: beyond anything real, and far from what a double cannot hold. */
#define MOST_PER_JOB 1e22

struct fm_rollups {
    struct fm_db *db;
    struct fm_names *names;
    struct fm_cells cells[FM_ROLLUP_FINE];
    struct fm_arena arena;
    struct fm_intern groups; /* routines, with their group + 1: matching patterns takes longer than all the rest */
};

/* ---- columns ---- */

/* Names of summed fields: seconds become microseconds. */
static const char *sum_name(struct fm_rollup_table *table, size_t field)
{
    const struct fm_record_field *of = &fm_record_fields[field];
    char *name = table->names[field];
    size_t length = strlen(of->column);
    if (of->kind == FM_RECORD_KIND_SECONDS && length > 2 && strcmp(of->column + length - 2, "_s") == 0)
        snprintf(name, sizeof table->names[field], "%.*s_us", (int)(length - 2), of->column);
    else
        snprintf(name, sizeof table->names[field], "%s", of->column);
    return name;
}

static void add_column(struct fm_rollup_table *table, const char *name, enum fm_value_kind kind)
{
    if (table->n_columns < FM_ROLLUP_COLUMNS)
        table->columns[table->n_columns++] = (struct fm_bulk_column){name, kind};
}

void fm_rollup_describe(enum fm_rollup rollup, struct fm_rollup_table *table)
{
    static const struct {
        const char *name, *keys[FM_ROLLUP_KEYS], *values[8]; /* values: of the fine ones */
        enum fm_rollup of;                                   /* of the coarse ones */
    } tables[FM_ROLLUPS] = {
        [FM_ROLLUP_JOBS] = {"jobs",
                            {"day", "user_id", "program_id", "language_id", "ranks_class", "cpu_class", "critical"},
                            .values = {"jobs", "complete_jobs", "wasted_us", "ranks_cpu_us"}},
        [FM_ROLLUP_ROUTINES] = {"routines",
                                {"day", "user_id", "language_id", "ranks_class", "cpu_class", "critical", "routine_id"},
                                .values = {"jobs", "ranks", "calls", "time_us", "bytes", "counts", "comm_calls"}},
        [FM_ROLLUP_GROUPS] = {"groups",
                              {"day", "user_id", "language_id", "ranks_class", "cpu_class", "critical", "group_number"},
                              .values = {"jobs", "cpu_us"}},
        [FM_ROLLUP_RULES] = {"rules", {"day", "user_id", "program_id", "rule_id"}, .values = {"jobs", "cost_us"}},
        [FM_ROLLUP_HOSTS] = {"hosts",
                             {"day", "host_id"},
                             .values = {"jobs", "ranks", "slowness_jobs", "slowness_ppm", "slowness_squares_ppm"}},
        [FM_ROLLUP_SETTINGS] = {"settings", {"day", "user_id", "kind", "name_id"}, .values = {"jobs", "cpu_us"}},
        [FM_ROLLUP_CLASSES] = {"classes",
                               {"day", "language_id", "ranks_class", "cpu_class", "critical"},
                               .of = FM_ROLLUP_JOBS},
        [FM_ROLLUP_USERS] = {"users", {"day", "user_id"}, .of = FM_ROLLUP_JOBS},
        [FM_ROLLUP_PROGRAMS] = {"programs", {"day", "program_id", "user_id"}, .of = FM_ROLLUP_JOBS},
        [FM_ROLLUP_ALL_ROUTINES] = {"all_routines",
                                    {"day", "language_id", "ranks_class", "routine_id"},
                                    .of = FM_ROLLUP_ROUTINES},
        [FM_ROLLUP_ALL_GROUPS] = {"all_groups", {"day", "group_number"}, .of = FM_ROLLUP_GROUPS},
        [FM_ROLLUP_ALL_RULES] = {"all_rules", {"day", "rule_id"}, .of = FM_ROLLUP_RULES},
        [FM_ROLLUP_ALL_SETTINGS] = {"all_settings", {"day", "kind", "name_id"}, .of = FM_ROLLUP_SETTINGS},
    };
    enum fm_rollup of = rollup < FM_ROLLUP_FINE ? rollup : tables[rollup].of;
    *table = (struct fm_rollup_table){.name = tables[rollup].name, .of = of};
    for (size_t i = 0; i < FM_ROLLUP_KEYS && tables[rollup].keys[i]; i++)
        add_column(table, tables[rollup].keys[i], FM_VALUE_WHOLE);
    table->n_keys = table->n_columns;
    for (size_t i = 0; tables[of].values[i]; i++)
        add_column(table, tables[of].values[i], FM_VALUE_REAL);
    for (size_t i = 0; of == FM_ROLLUP_JOBS && i < FM_RECORD_N_FIELDS; i++)
        if (fm_record_fields[i].summed)
            add_column(table, sum_name(table, i), FM_VALUE_REAL);
}

bool fm_rollup_is_by(enum fm_rollup rollup, enum fm_step step)
{
    return step == FM_STEP_DAY || step == FM_STEP_MONTH || rollup >= FM_ROLLUP_FINE || rollup == FM_ROLLUP_HOSTS;
}

/* ---- derived figures ---- */

double fm_site_job_wasted_s(const struct fm_record *record)
{
    double wasted = record->cpu_s * (1 - record->parallel);
    return wasted < 0 ? 0 : wasted;
}

double fm_site_job_mpi_fraction(const struct fm_record *record)
{
    return record->cpu_s > 0 ? record->mpi_s / record->cpu_s : NAN;
}

int64_t fm_site_job_day(const struct fm_record *record)
{
    return fm_day_of(record->ended >= record->started ? record->ended : record->started);
}

double fm_weight_rounded(double weight)
{
    double rounded = rint(weight * 1024) / 1024;
    return rounded > 0 ? rounded : 1.0 / 1024;
}

/* ---- counting ---- */

/* A job on its way into cells. `sign` is in all of its sums. */
struct counted_job {
    const struct fm_record *record;
    double weight, sign;
    int64_t day, user, program, language, ranks_class, cpu_class, critical;
    double cpu_us, ranks;
};

static double sum_of(const struct counted_job *job, double value, double units)
{
    if (!(value > 0)) /* unknown, too */
        return 0;
    return job->sign * rint(fmin(value * units * job->weight, MOST_PER_JOB));
}

static enum fm_status no_memory(struct fm_error *error)
{
    return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the roll-ups of a batch");
}

static double *cell(struct fm_rollups *rollups, enum fm_rollup rollup, const int64_t *key,
                    const struct counted_job *job)
{
    double *values = fm_cells_at(&rollups->cells[rollup], key);
    if (values)
        values[0] += job->sign * job->weight;
    return values;
}

static bool count_job(struct fm_rollups *rollups, const struct counted_job *job)
{
    const struct fm_record *record = job->record;
    int64_t key[] = {job->day, job->user, job->program, job->language, job->ranks_class, job->cpu_class, job->critical};
    double *values = cell(rollups, FM_ROLLUP_JOBS, key, job);
    if (!values)
        return false;
    values[1] += record->complete == 1 ? job->sign * job->weight : 0;
    values[2] += sum_of(job, fm_site_job_wasted_s(record), 1e6);
    values[3] += sum_of(job, record->cpu_s * (double)record->ranks, 1e6);
    size_t at = 4;
    for (size_t i = 0; i < FM_RECORD_N_FIELDS; i++) {
        const struct fm_record_field *field = &fm_record_fields[i];
        if (!field->summed)
            continue;
        if (field->kind == FM_RECORD_KIND_SECONDS)
            values[at++] += sum_of(job, *fm_record_real(record, field), 1e6);
        else
            values[at++] += sum_of(job, (double)*fm_record_whole(record, field), 1);
    }
    return true;
}

static enum fm_routine_group group_of(struct fm_rollups *rollups, const char *routine)
{
    struct fm_intern_slot *slot = fm_intern_find(&rollups->groups, routine);
    if (slot)
        return (enum fm_routine_group)((int)slot->number - 1);
    enum fm_routine_group group = fm_routine_group(routine);
    if (rollups->groups.n < KNOWN_ROUTINES)
        slot = fm_intern_put(&rollups->groups, &rollups->arena, routine, true);
    if (slot)
        slot->number = (uint32_t)(group + 1);
    return group;
}

static enum fm_status count_routines(struct fm_rollups *rollups, const struct counted_job *job, struct fm_error *error)
{
    bool groups[FM_N_ROUTINE_GROUPS] = {false};
    int64_t key[] = {job->day, job->user, job->language, job->ranks_class, job->cpu_class, job->critical, 0};
    for (size_t i = 0; i < job->record->n_routines; i++) {
        const struct fm_record_routine *routine = &job->record->routines[i];
        enum fm_status status = fm_names_number(rollups->names, routine->name, &key[6], error);
        if (status)
            return status;
        double *values = cell(rollups, FM_ROLLUP_ROUTINES, key, job);
        if (!values)
            return no_memory(error);
        values[1] += job->ranks;
        values[2] += sum_of(job, (double)routine->calls, 1);
        values[3] += sum_of(job, routine->time_s, 1e6);
        values[4] += sum_of(job, (double)routine->bytes, 1);
        values[5] += sum_of(job, (double)routine->counts, 1);
        values[6] += sum_of(job, (double)routine->comm_calls, 1);
        enum fm_routine_group group = group_of(rollups, routine->name);
        if (group != FM_GROUP_NONE)
            groups[group] = true;
    }
    for (int i = 0; i < FM_N_ROUTINE_GROUPS; i++) {
        key[6] = i;
        double *values = groups[i] ? cell(rollups, FM_ROLLUP_GROUPS, key, job) : NULL;
        if (groups[i] && !values)
            return no_memory(error);
        if (values)
            values[1] += job->cpu_us;
    }
    return FM_OK;
}

/* A rule counts a job once, whatever the number of its findings. */
static enum fm_status count_findings(struct fm_rollups *rollups, const struct counted_job *job, struct fm_error *error)
{
    int64_t key[] = {job->day, job->user, job->program, 0};
    const struct fm_record_finding *findings = job->record->findings;
    for (size_t i = 0; i < job->record->n_findings; i++) {
        enum fm_status status = fm_names_number(rollups->names, findings[i].rule, &key[3], error);
        if (status)
            return status;
        bool again = false;
        for (size_t j = 0; j < i; j++)
            again |= strcmp(findings[i].rule, findings[j].rule) == 0;
        double *values = again ? fm_cells_at(&rollups->cells[FM_ROLLUP_RULES], key)
                               : cell(rollups, FM_ROLLUP_RULES, key, job);
        if (!values)
            return no_memory(error);
        values[1] += sum_of(job, findings[i].cost_s, 1e6);
    }
    return FM_OK;
}

static enum fm_status count_hosts(struct fm_rollups *rollups, const struct counted_job *job, struct fm_error *error)
{
    int64_t key[] = {job->day, 0};
    for (size_t i = 0; i < job->record->n_host_list; i++) {
        const struct fm_record_host *host = &job->record->host_list[i];
        enum fm_status status = fm_names_number(rollups->names, host->name, &key[1], error);
        if (status)
            return status;
        double *values = cell(rollups, FM_ROLLUP_HOSTS, key, job);
        if (!values)
            return no_memory(error);
        values[1] += sum_of(job, (double)host->ranks, 1);
        if (isnan(host->slowness))
            continue;
        values[2] += job->sign * job->weight;
        values[3] += sum_of(job, host->slowness, 1e6);
        values[4] += sum_of(job, host->slowness * host->slowness, 1e6);
    }
    return FM_OK;
}

static enum fm_status count_setting(struct fm_rollups *rollups, const struct counted_job *job,
                                    enum fm_setting_kind kind, const char *name, struct fm_error *error)
{
    int64_t key[] = {job->day, job->user, kind, 0};
    if (!*name)
        return FM_OK;
    enum fm_status status = fm_names_number(rollups->names, name, &key[3], error);
    if (status)
        return status;
    double *values = cell(rollups, FM_ROLLUP_SETTINGS, key, job);
    if (!values)
        return no_memory(error);
    values[1] += job->cpu_us;
    return FM_OK;
}

static enum fm_status count_settings(struct fm_rollups *rollups, const struct counted_job *job, struct fm_error *error)
{
    const struct fm_record *record = job->record;
    enum fm_status status = count_setting(rollups, job, FM_SETTING_MPI, record->mpi, error);
    if (!status)
        status = count_setting(rollups, job, FM_SETTING_COMPILER, record->compiler, error);
    if (!status)
        status = count_setting(rollups, job, FM_SETTING_TOOL, record->tool, error);
    if (!status)
        status = count_setting(rollups, job, FM_SETTING_LAUNCHER, record->launcher, error);
    for (size_t i = 0; i < record->n_settings && !status; i++)
        status = count_setting(rollups, job, FM_SETTING_VARIABLE, record->settings[i].name, error);
    return status;
}

enum fm_status fm_rollups_count(struct fm_rollups *rollups, const struct fm_record *record, const char *user,
                                double weight, bool subtract, struct fm_error *error)
{
    struct counted_job job = {
        .record = record,
        .weight = fm_weight_rounded(weight),
        .sign = subtract ? -1 : 1,
        .day = fm_site_job_day(record),
        .ranks_class = fm_ranks_class(record->ranks),
        .cpu_class = fm_cpu_class(record->cpu_s),
        .critical = fm_site_job_mpi_fraction(record) > FM_CRITICAL_MPI,
    };
    job.cpu_us = sum_of(&job, record->cpu_s, 1e6);
    job.ranks = sum_of(&job, (double)record->ranks, 1);
    enum fm_status status = fm_names_number(rollups->names, user, &job.user, error);
    if (!status)
        status = fm_names_number(rollups->names, record->program, &job.program, error);
    if (!status)
        status = fm_names_number(rollups->names, record->language, &job.language, error);
    if (!status && !count_job(rollups, &job))
        status = no_memory(error);
    if (!status)
        status = count_routines(rollups, &job, error);
    if (!status)
        status = count_findings(rollups, &job, error);
    if (!status)
        status = count_hosts(rollups, &job, error);
    if (!status)
        status = count_settings(rollups, &job, error);
    return status;
}

/* ---- writing ---- */

static enum fm_status write_cells(struct fm_db *db, const struct fm_bulk_target *target, const struct fm_cells *cells,
                                  const uint32_t *order, struct fm_error *error)
{
    struct fm_bulk *bulk;
    enum fm_status status = fm_bulk_open(&bulk, db, target, error);
    if (status)
        return status;
    for (size_t i = 0; i < cells->n && !status; i++) {
        for (size_t k = 0; k < cells->n_keys; k++)
            fm_bulk_whole(bulk, cells->keys[order[i] * cells->n_keys + k]);
        for (size_t k = 0; k < cells->n_values; k++)
            fm_bulk_real(bulk, cells->values[order[i] * cells->n_values + k]);
        status = fm_bulk_row(bulk, error);
    }
    if (status) {
        fm_bulk_abandon(bulk);
        return status;
    }
    return fm_bulk_end(bulk, error);
}

/* Removes cells from which the last job was subtracted. */
static enum fm_status remove_empty(struct fm_db *db, const struct fm_bulk_target *target, const struct fm_cells *cells,
                                   struct fm_error *error)
{
    char sql[512];
    int length = snprintf(sql, sizeof sql, "DELETE FROM %s WHERE jobs = 0", target->table);
    for (size_t k = 0; k < cells->n_keys; k++)
        length += snprintf(sql + length, sizeof sql - (size_t)length, " AND %s = $%zu", target->columns[k].name, k + 1);
    struct fm_query *query = NULL;
    enum fm_status status = FM_OK;
    for (size_t i = 0; i < cells->n && !status; i++) {
        if (cells->values[i * cells->n_values] >= 0)
            continue;
        if (!query)
            status = fm_query_open(&query, db, sql, error);
        for (size_t k = 0; k < cells->n_keys && !status; k++)
            fm_query_whole(query, (int)k + 1, cells->keys[i * cells->n_keys + k]);
        if (!status)
            status = fm_query_run(query, error);
    }
    fm_query_close(query);
    return status;
}

static enum fm_status write_table(struct fm_db *db, enum fm_step step, const struct fm_rollup_table *table,
                                  const struct fm_cells *cells, struct fm_error *error)
{
    char name[64];
    snprintf(name, sizeof name, "%s_%s", fm_step_name(step), table->name);
    struct fm_bulk_target target = {name, table->columns, table->n_columns, table->n_keys};
    uint32_t *order = fm_cells_order(cells);
    if (!order)
        return no_memory(error);
    enum fm_status status = write_cells(db, &target, cells, order, error);
    free(order);
    return status ? status : remove_empty(db, &target, cells, error);
}

static bool sum_steps(struct fm_cells *sums, enum fm_step step, const struct fm_cells *days)
{
    int64_t key[FM_ROLLUP_KEYS];
    for (size_t i = 0; i < days->n; i++) {
        memcpy(key, days->keys + i * days->n_keys, days->n_keys * sizeof *key);
        key[0] = fm_step_first(step, key[0]);
        double *values = fm_cells_at(sums, key);
        if (!values)
            return false;
        for (size_t k = 0; k < days->n_values; k++)
            values[k] += days->values[i * days->n_values + k];
    }
    return true;
}

static enum fm_status write_step(struct fm_db *db, enum fm_step step, const struct fm_rollup_table *table,
                                 const struct fm_cells *days, struct fm_error *error)
{
    struct fm_cells sums = {.n_keys = days->n_keys, .n_values = days->n_values};
    if (step == FM_STEP_DAY)
        return write_table(db, step, table, days, error);
    enum fm_status status = sum_steps(&sums, step, days) ? write_table(db, step, table, &sums, error)
                                                         : no_memory(error);
    fm_cells_destroy(&sums);
    return status;
}

static enum fm_status write_steps(struct fm_db *db, enum fm_rollup rollup, const struct fm_rollup_table *table,
                                  const struct fm_cells *days, struct fm_error *error)
{
    enum fm_status status = FM_OK;
    for (enum fm_step step = FM_STEP_DAY; step < FM_STEPS && !status; step++)
        if (fm_rollup_is_by(rollup, step))
            status = write_step(db, step, table, days, error);
    return status;
}

/* Where the fine roll-up has a key of the coarse one. */
static size_t key_in(const struct fm_rollup_table *fine, const char *name)
{
    size_t i = 0;
    while (i + 1 < fine->n_keys && strcmp(fine->columns[i].name, name) != 0)
        i++;
    return i;
}

/* Sums up the cells of a fine roll-up under the keys of a coarser one. */
static bool sum_coarse(struct fm_cells *coarse, const struct fm_rollup_table *table, const struct fm_cells *fine,
                       const struct fm_rollup_table *of)
{
    int64_t key[FM_ROLLUP_KEYS];
    size_t from[FM_ROLLUP_KEYS];
    for (size_t k = 0; k < table->n_keys; k++)
        from[k] = key_in(of, table->columns[k].name);
    for (size_t i = 0; i < fine->n; i++) {
        for (size_t k = 0; k < table->n_keys; k++)
            key[k] = fine->keys[i * fine->n_keys + from[k]];
        double *values = fm_cells_at(coarse, key);
        if (!values)
            return false;
        for (size_t k = 0; k < fine->n_values; k++)
            values[k] += fine->values[i * fine->n_values + k];
    }
    return true;
}

static enum fm_status flush_one(struct fm_rollups *rollups, enum fm_rollup rollup, struct fm_error *error)
{
    struct fm_rollup_table table, fine;
    fm_rollup_describe(rollup, &table);
    fm_rollup_describe(table.of, &fine);
    const struct fm_cells *days = &rollups->cells[table.of];
    if (!days->n)
        return FM_OK;
    if (rollup == table.of)
        return write_steps(rollups->db, rollup, &table, days, error);
    struct fm_cells coarse = {.n_keys = table.n_keys, .n_values = days->n_values};
    enum fm_status status = sum_coarse(&coarse, &table, days, &fine)
                                ? write_steps(rollups->db, rollup, &table, &coarse, error)
                                : no_memory(error);
    fm_cells_destroy(&coarse);
    return status;
}

enum fm_status fm_rollups_flush(struct fm_rollups *rollups, struct fm_error *error)
{
    enum fm_status status = FM_OK;
    for (int i = 0; i < FM_ROLLUPS && !status; i++)
        status = flush_one(rollups, (enum fm_rollup)i, error);
    fm_rollups_clear(rollups);
    return status;
}

enum fm_status fm_rollups_flush_if_full(struct fm_rollups *rollups, struct fm_error *error)
{
    for (int i = 0; i < FM_ROLLUP_FINE; i++)
        if (rollups->cells[i].n >= FULL_CELLS)
            return fm_rollups_flush(rollups, error);
    return FM_OK;
}

void fm_rollups_clear(struct fm_rollups *rollups)
{
    for (int i = 0; i < FM_ROLLUP_FINE; i++)
        fm_cells_clear(&rollups->cells[i]);
}

struct fm_rollups *fm_rollups_create(struct fm_db *db, struct fm_names *names)
{
    struct fm_rollups *rollups = calloc(1, sizeof *rollups);
    if (!rollups)
        return NULL;
    rollups->db = db;
    rollups->names = names;
    for (int i = 0; i < FM_ROLLUP_FINE; i++) {
        struct fm_rollup_table table;
        fm_rollup_describe((enum fm_rollup)i, &table);
        rollups->cells[i] = (struct fm_cells){.n_keys = table.n_keys, .n_values = table.n_columns - table.n_keys};
    }
    return rollups;
}

void fm_rollups_destroy(struct fm_rollups *rollups)
{
    for (int i = 0; rollups && i < FM_ROLLUP_FINE; i++)
        fm_cells_destroy(&rollups->cells[i]);
    if (rollups)
        fm_arena_destroy(&rollups->arena);
    free(rollups);
}
