/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/balance/regions.h"
#include "base/basename.h"
#include "base/names.h"
#include "mpi/launchers.h"
#include "mpi/libraries.h"
#include "site/make/parts.h"

/* More would hardly fit into a record. */
enum { ROUTINES = 64, FINDINGS = 16, SPANS = 12, HOSTS = 64, SETTINGS = 32 };

static int64_t whole(uint64_t value)
{
    return value < FM_RECORD_WHOLE_MAX ? (int64_t)value : FM_RECORD_WHOLE_MAX;
}

static enum fm_status no_memory(struct fm_error *error)
{
    return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the record of a job");
}

/* ---- routines ---- */

/* Sum over the calls of a routine of the size of their communicator; -1: not a collective. Events are sorted by routine. */
static int64_t comm_calls_of(const struct fm_profile *profile, const char *routine)
{
    double sum = -1;
    for (size_t i = 0; i < profile->n_events; i++) {
        const struct fm_event *event = &profile->events[i];
        if (event->key.comm_size && !strcmp(event->key.routine, routine))
            sum = fmax(sum, 0) + (double)event->stats.count * event->key.comm_size;
    }
    return sum < 0 ? -1 : sum < (double)FM_RECORD_WHOLE_MAX ? (int64_t)sum : FM_RECORD_WHOLE_MAX;
}

static void add_routine(struct fm_record_routine *to, const struct fm_routine_total *total)
{
    to->calls += whole(total->stats.count);
    to->time_s += (double)total->stats.total_ns / 1e9;
    if (total->stats.bytes)
        to->bytes = (to->bytes < 0 ? 0 : to->bytes) + whole(total->stats.bytes);
    if (total->stats.count_arguments)
        to->counts = (to->counts < 0 ? 0 : to->counts) + whole(total->stats.count_arguments);
}

static bool make_routines(struct fm_record *record, const struct fm_report *report)
{
    const struct fm_summary *summary = &report->summary;
    size_t n = summary->n_routines < ROUTINES ? summary->n_routines : ROUTINES;
    record->routines = fm_arena_alloc(&record->arena, (n + 1) * sizeof *record->routines);
    if (!record->routines)
        return false;
    for (size_t i = 0; i < summary->n_routines; i++) {
        struct fm_record_routine *to = &record->routines[i < n ? i : n];
        if (i <= n)
            *to = (struct fm_record_routine){
                .name = i < n ? fm_record_copy(record, summary->routines[i]->name) : "other",
                .bytes = -1,
                .counts = -1,
                .comm_calls = i < n ? comm_calls_of(report->profile, summary->routines[i]->name) : -1};
        add_routine(to, summary->routines[i]);
    }
    record->n_routines = summary->n_routines > n ? n + 1 : n;
    return true;
}

/* ---- findings ---- */

static enum fm_status make_findings(struct fm_record *record, struct fm_report *report, struct fm_error *error)
{
    const struct fm_findings *found;
    enum fm_status status = fm_report_findings(report, &found, error);
    if (status)
        return status;
    size_t n = found->n < FINDINGS ? found->n : FINDINGS;
    record->findings = fm_arena_alloc(&record->arena, n * sizeof *record->findings);
    if (!record->findings)
        return no_memory(error);
    for (size_t i = 0; i < n; i++) {
        const struct fm_finding *finding = &found->items[i];
        record->findings[i] = (struct fm_record_finding){
            .rule = fm_record_copy(record, finding->rule),
            .text = fm_record_copy(record, finding->text),
            .function = fm_record_copy(record, finding->place.function),
            .file = fm_record_copy(record, finding->place.path ? fm_basename(finding->place.path) : ""),
            .line = finding->place.line,
            .cost_s = round(finding->cost_ns / 1e3) / 1e6,
            .measured = finding->measured,
        };
    }
    record->n_findings = n;
    return FM_OK;
}

/* ---- regions and timers ---- */

static int by_time(const void *a, const void *b)
{
    const struct fm_record_span *x = a, *y = b;
    return x->wall_s > y->wall_s ? -1 : x->wall_s < y->wall_s ? 1 : strcmp(x->name, y->name);
}

static enum fm_status make_regions(struct fm_record *record, struct fm_report *report, struct fm_error *error)
{
    struct fm_region_totals totals;
    enum fm_status status = fm_regions_find(report->profile, &report->arena, &totals, error);
    if (status || totals.n < 2)
        return status;
    record->regions = fm_arena_alloc(&record->arena, totals.n * sizeof *record->regions);
    if (!record->regions)
        return no_memory(error);
    for (size_t i = 1; i < totals.n; i++) /* the first is the whole program */
        record->regions[record->n_regions++] = (struct fm_record_span){
            fm_record_copy(record, totals.items[i].path), (double)totals.items[i].wall_ns / 1e9,
            (double)totals.items[i].mpi_ns / 1e9, whole(totals.items[i].entries)};
    qsort(record->regions, record->n_regions, sizeof *record->regions, by_time);
    record->n_regions = record->n_regions < SPANS ? record->n_regions : SPANS;
    return FM_OK;
}

static bool make_timers(struct fm_record *record, const struct fm_profile *profile)
{
    record->timers = fm_arena_alloc(&record->arena, profile->n_timers * sizeof *record->timers);
    for (size_t i = 0; record->timers && i < profile->n_timers; i++)
        if (profile->timers[i].events.sum)
            record->timers[record->n_timers++] = (struct fm_record_span){
                fm_record_copy(record, profile->timers[i].name), (double)profile->timers[i].total_ns.sum / 1e9, NAN,
                whole(profile->timers[i].events.sum)};
    if (record->timers && record->n_timers)
        qsort(record->timers, record->n_timers, sizeof *record->timers, by_time);
    record->n_timers = record->n_timers < SPANS ? record->n_timers : SPANS;
    return record->timers != NULL;
}

/* ---- hosts ---- */

static int by_difference(const void *a, const void *b)
{
    const struct fm_record_host *x = a, *y = b;
    double dx = isfinite(x->slowness) ? fabs(x->slowness - 1) : 0,
           dy = isfinite(y->slowness) ? fabs(y->slowness - 1) : 0;
    return dx > dy ? -1 : dx < dy ? 1 : strcmp(x->name, y->name);
}

static int by_name(const void *a, const void *b)
{
    const struct fm_record_host *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static double outside_mpi(const struct fm_process *process)
{
    return process->wall_ns > process->mpi_ns ? (double)(process->wall_ns - process->mpi_ns) : 0;
}

/* Adds up in slowness the time outside MPI of a host's ranks; returns that of all ranks, and their number. */
static double add_work(struct fm_record *record, const struct fm_profile *profile, double *ranks)
{
    double all = 0;
    *ranks = 0;
    for (size_t i = 0; i < profile->n_processes; i++) {
        const struct fm_process *process = &profile->processes[i];
        if (process->end == FM_END_MISSING || process->host >= record->n_host_list)
            continue;
        record->host_list[process->host].slowness += outside_mpi(process);
        record->host_list[process->host].ranks++;
        all += outside_mpi(process);
        ++*ranks;
    }
    return all;
}

static bool make_hosts(struct fm_record *record, const struct fm_profile *profile)
{
    double ranks;
    size_t n = profile->n_hosts;
    record->host_list = fm_arena_alloc(&record->arena, n * sizeof *record->host_list);
    if (!record->host_list)
        return false;
    record->n_host_list = n;
    for (size_t i = 0; i < n; i++)
        record->host_list[i].name = fm_record_copy(record, profile->hosts[i].name);
    double all = add_work(record, profile, &ranks);
    for (size_t i = 0; i < n; i++) {
        struct fm_record_host *host = &record->host_list[i];
        bool known = n > 1 && host->ranks && all > 0;
        host->slowness = known ? round(host->slowness / (double)host->ranks / (all / ranks) * 1e4) / 1e4 : NAN;
    }
    if (n > HOSTS) {
        qsort(record->host_list, n, sizeof *record->host_list, by_difference);
        record->n_host_list = HOSTS;
    }
    if (n)
        qsort(record->host_list, record->n_host_list, sizeof *record->host_list, by_name);
    return true;
}

/* ---- settings ---- */

/* What changes how MPI behaves; the profile has no secrets, and others of its variables are not for the site. The list of
 * variables that `fathom run` adds its own to is no setting of the user. */
static bool make_settings(struct fm_record *record, const struct fm_job *job)
{
    record->settings = fm_arena_alloc(&record->arena, SETTINGS * sizeof *record->settings);
    for (size_t i = 0; record->settings && i < job->n_env && record->n_settings < SETTINGS; i++)
        if ((fm_mpi_is_setting(job->env[i].name) ||
             fm_names_have("OMP_NUM_THREADS\0OMP_PROC_BIND\0OMP_PLACES\0", job->env[i].name)) &&
            strcmp(job->env[i].name, FM_OPENMPI_ENV_LIST) != 0)
            record->settings[record->n_settings++] = (struct fm_record_setting){
                fm_record_copy(record, job->env[i].name), fm_record_copy(record, job->env[i].value)};
    return record->settings != NULL;
}

enum fm_status fm_record_make_lists(struct fm_record *record, struct fm_report *report, struct fm_error *error)
{
    enum fm_status status = make_findings(record, report, error);
    if (!status)
        status = make_regions(record, report, error);
    if (status)
        return status;
    return make_routines(record, report) && make_timers(record, report->profile) &&
                   make_hosts(record, report->profile) && make_settings(record, &report->profile->job)
               ? FM_OK
               : no_memory(error);
}
