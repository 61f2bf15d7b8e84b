/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON of the job and its processes. */
#include "base/units.h"
#include "model/note.h"
#include "report/json_parts.h"
#include "report/programs.h"

static void write_ends(struct fm_report *report, struct fm_json *json)
{
    char how[128];
    fm_json_array(json, "ends", FM_JSON_LINES);
    for (size_t i = 0; i < report->summary.n_ends; i++) {
        const struct fm_end_group *group = &report->summary.ends[i];
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_ranks(report, json, &group->ranks);
        fm_json_text(json, "how", fm_end_text(group->end, group->code, how, sizeof how));
        fm_json_text_or_null(json, "inside", group->inside);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void write_hosts(struct fm_report *report, struct fm_json *json)
{
    fm_json_array(json, "hosts_list", FM_JSON_LINES);
    for (size_t i = 0; i < report->profile->n_hosts; i++)
        fm_json_item(report, json, &fm_list_hosts, &report->profile->hosts[i]);
    fm_json_end(json);
}

static enum fm_status write_program(struct fm_report *report, struct fm_json *json, size_t program,
                                    struct fm_error *error)
{
    struct fm_report one;
    enum fm_status status = fm_report_program(report, program, FM_PART_PROCESSES, &one, error);
    if (status)
        return status;
    const struct fm_summary *summary = &one.summary;
    fm_json_object(json, NULL, FM_JSON_INLINE);
    fm_json_item_fields(report, json, &fm_list_programs, &report->profile->programs[program]);
    fm_json_text(json, "name", summary->name);
    fm_json_seconds(json, "wall_sum_s", summary->wall_sum_ns);
    fm_json_spread_seconds(json, "wall_s", &summary->of.wall_ns);
    fm_json_spread_seconds(json, "mpi_s", &summary->of.mpi_ns);
    fm_json_number(json, "mpi_fraction", summary->mpi_fraction);
    fm_json_number(json, "load_balance", one.factors.load_balance);
    fm_json_number(json, "communication_efficiency", one.factors.communication);
    fm_json_number(json, "parallel_efficiency", one.factors.parallel);
    fm_json_end(json);
    return FM_OK;
}

static enum fm_status write_programs(struct fm_report *report, struct fm_json *json, struct fm_error *error)
{
    enum fm_status status = FM_OK;
    fm_json_array(json, "programs", FM_JSON_LINES);
    for (size_t i = 0; i < report->profile->n_programs && !status; i++)
        status = write_program(report, json, i, error);
    fm_json_end(json);
    return status;
}

/* The program that the document is about, if it is not about the whole job. */
static void write_part(struct fm_report *report, struct fm_json *json)
{
    const struct fm_part *part = report->profile->part;
    if (!part) {
        fm_json_null(json, "program");
        return;
    }
    fm_json_object(json, "program", FM_JSON_INLINE);
    fm_json_text(json, "name", part->label);
    fm_json_ranks(report, json, &part->ranks);
    fm_json_whole(json, "job_ranks", part->job_ranks);
    fm_json_object(json, "left_out", FM_JSON_INLINE);
    fm_json_whole(json, "calls", part->calls);
    fm_json_seconds(json, "calls_s", part->calls_ns);
    fm_json_seconds(json, "sampled_s", part->sampled_ns);
    fm_json_seconds(json, "mpi_threads_s", part->threads_ns);
    fm_json_whole(json, "timers", part->timers);
    fm_json_whole(json, "regions", part->regions);
    fm_json_whole(json, "snapshots", part->snapshots);
    fm_json_end(json);
    fm_json_end(json);
}

static void write_snapshots(struct fm_report *report, struct fm_json *json)
{
    fm_json_array(json, "snapshots", FM_JSON_LINES);
    for (size_t i = 0; i < report->profile->n_snapshots; i++) {
        const struct fm_snapshot *snapshot = &report->profile->snapshots[i];
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_text(json, "label", snapshot->label);
        fm_json_bool(json, "collective", snapshot->collective);
        fm_json_whole(json, "order", snapshot->order);
        if (snapshot->rank == FM_NO_RANK)
            fm_json_null(json, "rank");
        else
            fm_json_whole(json, "rank", snapshot->rank);
        fm_json_whole(json, "ranks", snapshot->ranks);
        fm_json_seconds(json, "when_s", snapshot->when_ns);
        fm_json_seconds(json, "mpi_s", snapshot->mpi_ns);
        fm_json_array(json, "routines", FM_JSON_INLINE);
        for (size_t r = 0; r < snapshot->n_routines; r++) {
            fm_json_object(json, NULL, FM_JSON_INLINE);
            fm_json_fields(json, &fm_snapshot_routine_fields, &snapshot->routines[r]);
            fm_json_end(json);
        }
        fm_json_end(json);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void write_notes(struct fm_report *report, struct fm_json *json)
{
    char name[FM_NOTE_NAME];
    fm_json_array(json, "notes", FM_JSON_LINES);
    for (size_t i = 0; i < report->profile->n_notes; i++) {
        const struct fm_note *note = &report->profile->notes[i];
        fm_json_object(json, NULL, FM_JSON_INLINE);
        const char *sentence = fm_note_sentence(note, &report->arena);
        fm_json_text(json, "code", fm_note_name(note->code, name));
        fm_json_text(json, "argument", note->argument);
        fm_json_text(json, "text", sentence ? sentence : "");
        fm_json_whole(json, "amount", note->amount);
        fm_json_ranks(report, json, &note->ranks);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void write_environment(struct fm_report *report, struct fm_json *json)
{
    fm_json_object(json, "environment", FM_JSON_LINES);
    for (size_t i = 0; i < report->profile->job.n_env; i++)
        fm_json_text(json, report->profile->job.env[i].name, report->profile->job.env[i].value);
    fm_json_end(json);
}

/* Some figures are unknown for killed processes. */
static void write_figure(struct fm_json *json, enum fm_figure figure, const struct fm_spread *spread)
{
    const char *key = fm_figures[figure].key;
    if (!spread->ranks)
        fm_json_null(json, key);
    else if (fm_figures[figure].unit == FM_UNIT_NS)
        fm_json_spread_seconds(json, key, spread);
    else
        fm_json_spread(json, key, spread);
}

static void write_per_rank(struct fm_report *report, struct fm_json *json)
{
    fm_json_object(json, "per_rank", FM_JSON_LINES);
    for (enum fm_figure figure = 0; figure < FM_FIGURES; figure++)
        write_figure(json, figure, &report->summary.figures[figure]);
    fm_json_end(json);
}

static void write_grid(struct fm_json *json, const struct fm_job *job)
{
    fm_json_array(json, "cart_dims", FM_JSON_INLINE);
    for (uint32_t i = 0; fm_grid_covers(&job->cart, job->ranks) && i < job->cart.n; i++)
        fm_json_whole(json, NULL, job->cart.dims[i]);
    fm_json_end(json);
}

/* Versions of Fathom. */
static void write_versions(struct fm_json *json, const struct fm_job *job)
{
    fm_json_object(json, "versions", FM_JSON_INLINE);
    fm_json_text_or_null(json, "runtime", job->runtime_version);
    fm_json_text_or_null(json, "profile", job->merge_version);
    fm_json_end(json);
}

enum fm_status fm_json_job(struct fm_report *report, struct fm_json *json, struct fm_error *error)
{
    const struct fm_job *job = &report->profile->job;
    const struct fm_summary *summary = &report->summary;
    char date[FM_UNIT_CHARS];
    fm_json_object(json, "job", FM_JSON_LINES);
    fm_json_text(json, "id", job->id);
    fm_json_array(json, "command", FM_JSON_INLINE);
    for (size_t i = 0; i < job->n_argv; i++)
        fm_json_text(json, NULL, job->argv[i]);
    if (job->n_argv == 0)
        fm_json_text(json, NULL, job->exe);
    fm_json_end(json);
    fm_json_whole(json, "ranks", summary->ranks);
    fm_json_whole(json, "ranks_measured", summary->measured);
    write_grid(json, job);
    fm_json_whole(json, "hosts", report->profile->n_hosts);
    fm_json_seconds(json, "wall_s", summary->wall_ns);
    fm_json_seconds(json, "wall_sum_s", summary->wall_sum_ns);
    fm_json_bool(json, "complete", summary->complete);
    write_ends(report, json);
    fm_json_text(json, "mpi", job->mpi);
    fm_json_text(json, "mpi_library", job->mpi_library);
    fm_json_text(json, "language", job->language);
    fm_json_whole(json, "thread_level", job->thread_level);
    fm_json_text(json, "launcher", job->launcher);
    fm_json_text_or_null(json, "tool", job->tool);
    fm_json_text(json, "executable", job->exe);
    fm_json_text(json, "build_id", job->build_id);
    fm_json_text_or_null(json, "commit", job->commit);
    fm_json_text(json, "directory", job->cwd);
    fm_json_seconds(json, "overhead_s", summary->overhead_ns);
    write_versions(json, job);
    fm_json_text(json, "user", job->user);
    fm_json_text_or_null(json, "started", fm_date_iso(date, job->started_real_ns));
    fm_json_text_or_null(json, "ended", fm_date_iso(date, job->ended_real_ns));
    write_figure(json, FM_FIGURE_max_rss_bytes, &summary->of.max_rss_bytes);
    write_per_rank(report, json);
    write_hosts(report, json);
    enum fm_status status = write_programs(report, json, error);
    write_part(report, json);
    write_environment(report, json);
    write_snapshots(report, json);
    write_notes(report, json);
    fm_json_end(json);
    return status;
}

void fm_json_figure(struct fm_json *json, const char *key, const struct fm_process *process, enum fm_figure figure)
{
    uint64_t value;
    bool known = fm_figure_get(process, figure, &value);
    if (known && fm_figures[figure].unit == FM_UNIT_NS)
        fm_json_seconds(json, key, value);
    else
        fm_json_whole_or_null(json, key, known, value);
}

void fm_json_processes(struct fm_report *report, struct fm_json *json)
{
    const struct fm_profile *profile = report->profile;
    char how[128];
    fm_json_array(json, "processes", FM_JSON_LINES);
    for (size_t i = 0; i < profile->n_processes; i++) {
        const struct fm_process *process = &profile->processes[i];
        bool measured = process->end != FM_END_MISSING;
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_whole_or_null(json, "rank", process->rank != FM_NO_RANK, process->rank);
        fm_json_text_or_null(json, "host",
                             measured && process->host < profile->n_hosts ? profile->hosts[process->host].name : "");
        fm_json_whole_or_null(json, "core", measured, process->core);
        fm_json_whole_or_null(json, "pid", measured, (uint64_t)process->pid);
        for (enum fm_figure figure = 0; figure < FM_FIGURES; figure++)
            fm_json_figure(json, fm_figures[figure].key, process, figure);
        fm_json_text(json, "end", fm_end_text(process->end, process->end_code, how, sizeof how));
        fm_json_text_or_null(json, "inside", process->inside);
        fm_json_end(json);
    }
    fm_json_end(json);
}
