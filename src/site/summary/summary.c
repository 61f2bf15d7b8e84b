/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/summary/summary.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/units.h"
#include "render/xml.h"
#include "site/store/classes.h"
#include "site/summary/estimates.h"
#include "site/summary/html.h"

enum { DAY_S = 86400 };

/* How many routines programs in a language use is known from another roll-up than the rest of the row. */
static enum fm_status add_routines(struct fm_sheet *languages, struct fm_db *db, const struct fm_scope *scope,
                                   struct fm_error *error)
{
    struct fm_arena texts = {0};
    struct fm_writer sql = {.arena = &texts};
    fm_write(&sql, "SELECT n.name, s.used FROM (SELECT language_id, COUNT(DISTINCT routine_id) AS used FROM ");
    enum fm_rollup rollup = fm_scope_rollup(scope, FM_ROLLUP_ROUTINES, "language_id", "routine_id");
    fm_scope_write(&sql, scope, rollup);
    fm_write(&sql, " WHERE jobs > 0 GROUP BY language_id) s JOIN names n ON n.id = s.language_id");
    const char *statement = fm_writer_text(&sql);
    struct fm_query *query = NULL;
    enum fm_status status = statement ? fm_query_open(&query, db, statement, error)
                                      : fm_fail(error, FM_ERR_MEMORY, "not enough memory for the languages");
    if (!status)
        fm_scope_bind(query, scope, rollup);
    for (bool more = true; !status && more;) {
        status = fm_query_next(query, &more, error);
        for (size_t i = 0; !status && more && i < languages->n_rows; i++) {
            struct fm_sheet_value *row = &languages->values[i * languages->n_columns];
            const char *name = fm_column_text(query, 0);
            if (strcmp(row[0].text, *name ? name : "unknown") == 0)
                row[languages->n_columns - 1].number = fm_column_real(query, 1);
        }
    }
    fm_query_close(query);
    fm_arena_destroy(&texts);
    return status;
}

/* A table of another one's rows, which may be there already. */
static enum fm_status fill_of(struct fm_site_summary *summary, struct fm_sheet *sheet, struct fm_db *db,
                              const struct fm_sheet_kind *kind, struct fm_error *error)
{
    struct fm_sheet other;
    for (size_t i = 0; i < summary->n_sheets; i++)
        if (strcmp(summary->sheets[i].key, kind->of) == 0)
            return fm_sheet_fill_of(sheet, kind, &summary->sheets[i], &summary->arena, error);
    enum fm_status status = fm_sheet_fill(&other, fm_sheet_kind_of(kind->of), db, &summary->scope, &summary->totals,
                                          &summary->arena, error);
    return status ? status : fm_sheet_fill_of(sheet, kind, &other, &summary->arena, error);
}

static enum fm_status fill(struct fm_site_summary *summary, struct fm_db *db, const struct fm_sheet_kind *kind,
                           struct fm_error *error)
{
    struct fm_sheet *sheet = &summary->sheets[summary->n_sheets];
    enum fm_status status = kind->of ? fill_of(summary, sheet, db, kind, error)
                                     : fm_sheet_fill(sheet, kind, db, &summary->scope, &summary->totals,
                                                     &summary->arena, error);
    if (!status && strcmp(kind->key, "languages") == 0)
        status = add_routines(sheet, db, &summary->scope, error);
    summary->n_sheets++;
    return status;
}

/* As many as their tables have rows, which is cheaper than to count them in the database. */
static void count_rows(struct fm_site_summary *summary)
{
    struct fm_totals *totals = &summary->totals;
    for (size_t i = 0; i < summary->n_sheets; i++) {
        const struct fm_sheet *sheet = &summary->sheets[i];
        double *number = strcmp(sheet->key, "users") == 0      ? &totals->users
                         : strcmp(sheet->key, "programs") == 0 ? &totals->programs
                         : strcmp(sheet->key, "routines") == 0 ? &totals->routines
                                                               : NULL;
        if (number)
            *number = (double)sheet->n_rows;
    }
}

enum fm_status fm_site_summary_make(struct fm_site_summary *summary, struct fm_db *db, const struct fm_scope *scope,
                                    const char *sheet, struct fm_error *error)
{
    *summary = (struct fm_site_summary){.scope = *scope};
    const struct fm_sheet_kind *only = sheet ? fm_sheet_kind_of(sheet) : NULL;
    if (sheet && !only)
        return fm_fail(error, FM_ERR_USAGE, "there is no table '%s'", sheet);
    /* All tables of the same state of the database. */
    enum fm_status status = fm_db_begin(db, error);
    if (status)
        return status;
    status = fm_totals_find(db, scope, only != NULL, &summary->totals, error);
    for (size_t i = 0; !status && i < fm_n_sheet_kinds; i++)
        if (!only || only == &fm_sheet_kinds[i])
            status = fill(summary, db, &fm_sheet_kinds[i], error);
    fm_db_rollback(db);
    if (!only)
        count_rows(summary);
    return status;
}

enum fm_status fm_site_summary_estimate(struct fm_site_summary *summary, struct fm_db *db,
                                        const struct fm_calibration *calibration, struct fm_error *error)
{
    struct fm_sheet *routines = &summary->sheets[summary->n_sheets++], *groups = &summary->sheets[summary->n_sheets++];
    return fm_estimates_fill(routines, groups, &summary->totals, db, &summary->scope, calibration, &summary->arena,
                             error);
}

void fm_site_summary_close(struct fm_site_summary *summary)
{
    fm_arena_destroy(&summary->arena);
}

static const char *day_text(int64_t day, char text[FM_UNIT_CHARS])
{
    time_t seconds = (time_t)(day * DAY_S);
    struct tm tm;
    if (!gmtime_r(&seconds, &tm) || !strftime(text, FM_UNIT_CHARS, "%Y-%m-%d", &tm))
        return "?";
    return text;
}

static void tell_jobs(const struct fm_site_summary *summary, struct fm_facts *facts)
{
    const struct fm_totals *totals = &summary->totals;
    double days = (double)(summary->scope.until - summary->scope.from);
    fm_fact_number(facts, "interval", days, 0, days > 1 ? "days" : "day");
    fm_fact_number(facts, "jobs", totals->jobs, 0, "");
    fm_fact_number(facts, "  that did not finish", totals->jobs - totals->complete_jobs, 0, "");
    if (!summary->scope.critical)
        fm_fact_number(facts, "  with more than 15 % MPI", totals->critical_jobs, 0, "");
    fm_fact_number(facts, "ranks", totals->ranks, 0, "");
    fm_fact_number(facts, "  per job", totals->ranks / totals->jobs, 1, "");
    fm_fact_number(facts, "  weighted by CPU time", totals->ranks_cpu_s / totals->cpu_s, 1, "");
    if (!summary->scope.user)
        fm_fact_number(facts, "users", totals->users, 0, "");
    fm_fact_number(facts, "programs", totals->programs, 0, "");
    fm_fact_number(facts, "MPI routines used", totals->routines, 0, "");
}

static void tell_mpi(const struct fm_totals *totals, struct fm_facts *facts)
{
    fm_fact_hours(facts, "  in MPI", totals->mpi_s, totals->cpu_s, "CPU time");
    if (isnan(totals->latency_s))
        return;
    fm_fact_hours(facts, "    latency", totals->latency_s, totals->cpu_s, "CPU time, estimated");
    fm_fact_hours(facts, "    transfer", totals->transfer_s, totals->cpu_s, "CPU time, estimated");
    fm_fact_hours(facts, "    synchronisation", totals->synchronisation_s, totals->cpu_s, "CPU time, estimated");
    fm_fact_hours(facts, "    not communicating", totals->local_s, totals->cpu_s, "CPU time");
    if (totals->not_estimated_s > 0)
        fm_fact_hours(facts, "    not estimated", totals->not_estimated_s, totals->cpu_s, "CPU time");
}

static void tell_time(const struct fm_site_summary *summary, struct fm_facts *facts)
{
    const struct fm_totals *totals = &summary->totals;
    fm_fact_hours(facts, "machine", totals->capacity_s, 0, "");
    fm_fact_hours(facts, "CPU time", totals->cpu_s, totals->capacity_s, "the machine");
    tell_mpi(totals, facts);
    if (totals->wasted_s > 0)
        fm_fact_hours(facts, "  wasted", totals->wasted_s, totals->cpu_s, "CPU time");
    if (totals->io_s > 0)
        fm_fact_hours(facts, "  in file I/O", totals->io_s, totals->cpu_s, "CPU time");
    fm_fact_hours(facts, "  overhead of Fathom", totals->overhead_s, totals->cpu_s, "CPU time");
    if (totals->counted_s > 0) {
        fm_fact_number(facts, "instructions", totals->instructions / totals->counted_s / 1e6, 1, "million/s per rank");
        fm_fact_number(facts, "floating point", totals->fp_instructions / totals->counted_s / 1e6, 1,
                       "million/s per rank");
        fm_fact_number(facts, "level-2 misses", totals->l2_misses / totals->counted_s / 1e6, 2, "million/s per rank");
    }
}

static void overview(struct fm_site_summary *summary, struct fm_facts *facts)
{
    *facts = (struct fm_facts){.arena = &summary->arena};
    tell_jobs(summary, facts);
    tell_time(summary, facts);
}

/* "User ann, C: 2026-11-01 to 2026-11-30" */
static const char *title_of(struct fm_site_summary *summary)
{
    const struct fm_scope *scope = &summary->scope;
    struct fm_writer title = {.arena = &summary->arena};
    char from[FM_UNIT_CHARS], until[FM_UNIT_CHARS], label[FM_CLASS_LABEL];
    fm_write(&title, "%s%s", scope->user ? "User " : "All jobs", scope->user ? scope->user : "");
    if (scope->language)
        fm_write(&title, ", %s", scope->language);
    if (scope->of_ranks)
        fm_write(&title, ", %s ranks", fm_ranks_class_label(scope->ranks_class, label));
    if (scope->of_cpu)
        fm_write(&title, ", CPU time %s", fm_cpu_class_label(scope->cpu_class, label));
    if (scope->critical)
        fm_write(&title, ", more than 15 %% MPI");
    fm_write(&title, ": %s to %s", day_text(scope->from, from), day_text(scope->until - 1, until));
    const char *text = fm_writer_text(&title);
    return text ? text : "";
}

static const char NO_JOBS[] = "There are no jobs in this time.";

void fm_site_summary_text(struct fm_site_summary *summary, size_t rows, FILE *out)
{
    struct fm_facts facts;
    overview(summary, &facts);
    fm_print_text(out, title_of(summary));
    fputs("\n\n", out);
    fm_facts_text(&facts, out);
    fputc('\n', out);
    if (!(summary->totals.jobs > 0)) {
        fprintf(out, "%s\n", NO_JOBS);
        return;
    }
    for (size_t i = 0; i < summary->n_sheets; i++)
        fm_sheet_text(&summary->sheets[i], rows, &summary->arena, out);
}

void fm_site_summary_html(struct fm_site_summary *summary, size_t rows, FILE *out)
{
    struct fm_facts facts;
    overview(summary, &facts);
    fm_summary_page_start(out, title_of(summary));
    fputs("<h1>", out);
    fm_xml_text(out, title_of(summary));
    fputs("</h1>\n", out);
    if (summary->totals.jobs > 0)
        fm_summary_page_contents(out, summary->sheets, summary->n_sheets);
    fm_facts_html(&facts, out);
    if (!(summary->totals.jobs > 0))
        fprintf(out, "<p>%s</p>\n", NO_JOBS);
    for (size_t i = 0; i < summary->n_sheets; i++)
        fm_sheet_html(&summary->sheets[i], rows, &summary->arena, out);
    fm_summary_page_end(out);
}

void fm_site_summary_json(struct fm_site_summary *summary, FILE *out)
{
    const struct fm_totals *totals = &summary->totals;
    const struct fm_scope *scope = &summary->scope;
    char text[FM_UNIT_CHARS];
    const struct {
        const char *key;
        double value;
    } numbers[] = {
        {"jobs", totals->jobs},
        {"complete_jobs", totals->complete_jobs},
        {"ranks", totals->ranks},
        {"ranks_per_job", totals->ranks / totals->jobs},
        {"ranks_weighted", totals->ranks_cpu_s / totals->cpu_s},
        {"users", totals->users},
        {"programs", totals->programs},
        {"routines", totals->routines},
        {"capacity_s", totals->capacity_s},
        {"cpu_s", totals->cpu_s},
        {"mpi_s", totals->mpi_s},
        {"latency_s", totals->latency_s},
        {"transfer_s", totals->transfer_s},
        {"synchronisation_s", totals->synchronisation_s},
        {"local_s", totals->local_s},
        {"not_estimated_s", totals->not_estimated_s},
        {"program_s", totals->program_s},
        {"waiting_s", totals->waiting_s},
        {"io_s", totals->io_s},
        {"no_cpu_s", totals->no_cpu_s},
        {"wasted_s", totals->wasted_s},
        {"overhead_s", totals->overhead_s},
        {"critical_jobs", totals->critical_jobs},
        {"critical_cpu_s", totals->critical_cpu_s},
        {"instructions", totals->instructions},
        {"fp_instructions", totals->fp_instructions},
        {"l2_misses", totals->l2_misses},
        {"counted_s", totals->counted_s},
    };
    struct fm_json json = {.out = out};
    fm_json_object(&json, NULL, FM_JSON_LINES);
    fm_json_whole(&json, "fathom", 1);
    fm_json_object(&json, "site", FM_JSON_LINES);
    fm_json_text(&json, "from", day_text(scope->from, text));
    fm_json_text(&json, "until", day_text(scope->until, text));
    if (scope->user)
        fm_json_text(&json, "user", scope->user);
    if (scope->language)
        fm_json_text(&json, "language", scope->language);
    if (scope->of_ranks)
        fm_json_text(&json, "ranks", fm_ranks_class_label(scope->ranks_class, text));
    if (scope->of_cpu)
        fm_json_text(&json, "cpu_class", fm_cpu_class_label(scope->cpu_class, text));
    fm_json_bool(&json, "critical_only", scope->critical);
    fm_json_object(&json, "totals", FM_JSON_LINES);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        fm_json_number_or_null(&json, numbers[i].key, isfinite(numbers[i].value), numbers[i].value);
    fm_json_end(&json);
    for (size_t i = 0; i < summary->n_sheets; i++)
        fm_sheet_json(&summary->sheets[i], &json);
    fm_json_end(&json);
    fm_json_end(&json);
}

void fm_site_summary_csv(struct fm_site_summary *summary, const char *sheet, FILE *out)
{
    for (size_t i = 0; i < summary->n_sheets; i++)
        if (strcmp(summary->sheets[i].key, sheet) == 0)
            fm_sheet_csv(&summary->sheets[i], &summary->arena, out);
}
