/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/history.h"

#include <string.h>

#include "analyse/balance/core_use.h"
#include "base/sort.h"
#include "merge/notes.h"

/* ---- collecting ---- */

static const char *keep(struct fm_history *history, const char *text)
{
    const char *kept = fm_arena_strndup(&history->arena, text, strlen(text));
    return kept ? kept : "";
}

static bool add_value(struct fm_history *history, struct fm_history_run *run, enum fm_history_kind kind,
                      const char *name, double value)
{
    struct fm_history_value *grown = fm_arena_grow(&history->arena, run->values, &run->values_capacity,
                                                   run->n_values + 1, sizeof *grown);
    if (!grown)
        return false;
    run->values = grown;
    grown[run->n_values++] = (struct fm_history_value){kind, keep(history, name), value};
    return true;
}

int fm_history_compare(const void *a, const void *b)
{
    const struct fm_history_value *x = a, *y = b;
    return x->kind != y->kind ? (x->kind > y->kind) - (x->kind < y->kind) : strcmp(x->name, y->name);
}

static double per_rank(double ns, const struct fm_summary *summary)
{
    return fm_ratio(ns, summary->measured) / 1e9;
}

static bool add_factors(struct fm_history *history, struct fm_history_run *run, const struct fm_factors *factors)
{
    return !factors->known ||
           (add_value(history, run, FM_HISTORY_FACTOR, "parallel efficiency", factors->parallel) &&
            add_value(history, run, FM_HISTORY_FACTOR, "load balance", factors->load_balance) &&
            add_value(history, run, FM_HISTORY_FACTOR, "communication efficiency", factors->communication));
}

static bool add_values(struct fm_history *history, struct fm_history_run *run, const struct fm_report *report)
{
    const struct fm_profile *profile = report->profile;
    const struct fm_summary *summary = &report->summary;
    bool added = add_value(history, run, FM_HISTORY_RUN, "wall time", (double)summary->wall_ns / 1e9) &&
                 add_value(history, run, FM_HISTORY_RUN, "time outside MPI",
                           per_rank((double)(summary->wall_sum_ns - summary->mpi_sum_ns), summary)) &&
                 add_value(history, run, FM_HISTORY_RUN, "time in MPI",
                           per_rank((double)summary->mpi_sum_ns, summary)) &&
                 add_factors(history, run, &report->factors);
    for (size_t i = 0; i < profile->n_regions && added; i++)
        if (profile->regions[i].path[0])
            added = add_value(history, run, FM_HISTORY_REGION, profile->regions[i].path,
                              per_rank((double)profile->regions[i].wall_ns, summary));
    for (size_t i = 0; i < profile->n_timers && added; i++)
        added = add_value(history, run, FM_HISTORY_TIMER, profile->timers[i].name,
                          per_rank((double)profile->timers[i].total_ns.sum, summary));
    for (size_t i = 0; i < summary->n_routines && added; i++)
        added = add_value(history, run, FM_HISTORY_ROUTINE, summary->routines[i]->name,
                          per_rank((double)summary->routines[i]->stats.total_ns, summary));
    return added && fm_sort(run->values, run->n_values, sizeof *run->values, fm_history_compare, &history->arena);
}

static enum fm_status add_findings(struct fm_history *history, struct fm_history_run *run, struct fm_report *report,
                                   struct fm_error *error)
{
    const struct fm_findings *found;
    if (fm_profile_is_from_outside(report->profile))
        return FM_OK;
    enum fm_status status = fm_report_findings(report, &found, error);
    if (status || !found->n)
        return status;
    run->findings = fm_arena_alloc(&history->arena, found->n * sizeof *run->findings);
    if (!run->findings)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the findings of %zu profiles", history->n);
    for (; run->n_findings < found->n; run->n_findings++) {
        const struct fm_finding *finding = &found->items[run->n_findings];
        run->findings[run->n_findings] = (struct fm_history_finding){
            keep(history, finding->rule), keep(history, finding->text),
            fm_ratio(finding->cost_ns, (double)report->summary.wall_sum_ns)};
    }
    return FM_OK;
}

enum fm_status fm_history_add(struct fm_history *history, const char *id, const char *file,
                              const struct fm_profile *profile, struct fm_symbols *symbols, struct fm_error *error)
{
    struct fm_report report;
    const struct fm_report_options usual = {0};
    struct fm_history_run *grown = fm_arena_grow(&history->arena, history->runs, &history->capacity, history->n + 1,
                                                 sizeof *grown);
    if (!grown)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for %zu profiles", history->n + 1);
    history->runs = grown;
    enum fm_status status = fm_report_open(&report, profile, symbols, &usual, error);
    if (status)
        return status;
    struct fm_history_run run = {
        .id = id ? keep(history, id) : NULL,
        .file = keep(history, file),
        .program = keep(history, report.summary.name),
        .job = keep(history, profile->job.id),
        .build_id = keep(history, profile->job.build_id),
        .commit = keep(history, profile->job.commit),
        .ranks = report.summary.ranks,
        .started_ns = profile->job.started_real_ns,
        .complete = report.summary.complete,
        .lacks_cores = fm_core_use(profile).lack != FM_CORES_ENOUGH,
    };
    if (!add_values(history, &run, &report))
        status = fm_fail(error, FM_ERR_MEMORY, "not enough memory for %zu profiles", history->n + 1);
    if (!status)
        status = add_findings(history, &run, &report, error);
    fm_report_close(&report);
    if (!status)
        history->runs[history->n++] = run;
    return status;
}

void fm_history_close(struct fm_history *history)
{
    fm_arena_destroy(&history->arena);
}
