/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report_json.h"

#include "analyse/balance/group.h"
#include "analyse/balance/mergeable.h"
#include "analyse/balance/regions.h"
#include "analyse/balance/topology.h"
#include "base/units.h"
#include "model/note.h"
#include "render/json.h"
#include "report/json_parts.h"
#include "report/programs.h"

/* ---- job ---- */

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

static enum fm_status write_job(struct fm_report *report, struct fm_json *json, struct fm_error *error)
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

static void whole_or_null(struct fm_json *json, bool known, const char *key, uint64_t value)
{
    if (known)
        fm_json_whole(json, key, value);
    else
        fm_json_null(json, key);
}

static void write_figures(struct fm_json *json, const struct fm_process *process)
{
    for (enum fm_figure figure = 0; figure < FM_FIGURES; figure++) {
        uint64_t value;
        bool known = fm_figure_get(process, figure, &value);
        if (known && fm_figures[figure].unit == FM_UNIT_NS)
            fm_json_seconds(json, fm_figures[figure].key, value);
        else
            whole_or_null(json, known, fm_figures[figure].key, value);
    }
}

static void write_processes(struct fm_report *report, struct fm_json *json)
{
    const struct fm_profile *profile = report->profile;
    char how[128];
    fm_json_array(json, "processes", FM_JSON_LINES);
    for (size_t i = 0; i < profile->n_processes; i++) {
        const struct fm_process *process = &profile->processes[i];
        bool measured = process->end != FM_END_MISSING;
        fm_json_object(json, NULL, FM_JSON_INLINE);
        whole_or_null(json, process->rank != FM_NO_RANK, "rank", process->rank);
        fm_json_text_or_null(json, "host",
                             measured && process->host < profile->n_hosts ? profile->hosts[process->host].name : "");
        whole_or_null(json, measured, "core", process->core);
        whole_or_null(json, measured, "pid", (uint64_t)process->pid);
        write_figures(json, process);
        fm_json_text(json, "end", fm_end_text(process->end, process->end_code, how, sizeof how));
        fm_json_text_or_null(json, "inside", process->inside);
        fm_json_end(json);
    }
    fm_json_end(json);
}

/* ---- mpi ---- */

static void write_extreme(struct fm_json *json, const char *key, const struct fm_extreme *extreme)
{
    if (extreme->event)
        fm_json_extreme(json, key, extreme);
    else
        fm_json_null(json, key);
}

/* The totals common to all lists of events. */
static void write_totals(struct fm_json *json, const struct fm_stats *stats)
{
    fm_json_fields(json, &fm_stats_fields, stats);
}

static void write_histogram(struct fm_json *json, const struct fm_histogram *histogram)
{
    fm_json_array(json, "histogram", FM_JSON_INLINE);
    for (unsigned bin = 0; bin < FM_DURATION_BINS; bin++) {
        if (histogram->bins[bin] == 0)
            continue;
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_whole(json, "from_ns", fm_duration_bin_from(bin));
        if (bin + 1 < FM_DURATION_BINS)
            fm_json_whole(json, "to_ns", fm_duration_bin_from(bin + 1) - 1);
        else
            fm_json_null(json, "to_ns");
        fm_json_whole(json, "calls", histogram->bins[bin]);
        fm_json_end(json);
    }
    fm_json_end(json);
}

/* May be unknown for a single program of a large job. */
static void write_routine_ranks(struct fm_json *json, const struct fm_routine_total *routine)
{
    if (!routine->time_ns.ranks) {
        fm_json_null(json, "per_rank");
        return;
    }
    fm_json_object(json, "per_rank", FM_JSON_LINES);
    fm_json_spread_seconds(json, "time_s", &routine->time_ns);
    fm_json_spread(json, "calls", &routine->calls);
    fm_json_spread(json, "bytes", &routine->bytes);
    fm_json_end(json);
}

static void write_routines(struct fm_report *report, struct fm_json *json)
{
    fm_json_array(json, "routines", FM_JSON_LINES);
    for (size_t i = 0; i < report->summary.n_routines; i++) {
        const struct fm_routine_total *routine = report->summary.routines[i];
        fm_json_object(json, NULL, FM_JSON_LINES);
        fm_json_text(json, "name", routine->name);
        write_totals(json, &routine->stats);
        write_extreme(json, "min", &routine->stats.min);
        write_extreme(json, "max", &routine->stats.max);
        write_extreme(json, "second", &routine->stats.second);
        fm_json_ranks(report, json, &routine->ranks);
        write_routine_ranks(json, routine);
        if (report->options.histogram)
            write_histogram(json, &routine->stats.histogram);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static enum fm_status write_sites(struct fm_report *report, struct fm_json *json, struct fm_error *error)
{
    struct fm_groups groups;
    enum fm_status status = fm_group_events(report->profile, FM_BY_ROUTINE | FM_BY_SITE, &report->arena, &groups,
                                            error);
    if (status)
        return status;
    fm_report_resolve(report);
    fm_json_array(json, "sites", FM_JSON_LINES);
    for (size_t i = 0; i < groups.n; i++) {
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_text(json, "routine", groups.items[i].key.routine);
        fm_json_site(report, json, &groups.items[i].key.site, groups.items[i].key.routine);
        write_totals(json, &groups.items[i].stats);
        fm_json_end(json);
    }
    fm_json_end(json);
    return FM_OK;
}

static void write_succession_site(struct fm_report *report, struct fm_json *json,
                                  const struct fm_succession *succession, const char *key, const struct fm_site *site)
{
    fm_json_object(json, key, FM_JSON_INLINE);
    fm_json_site(report, json, site, succession->routine);
    fm_json_end(json);
}

static enum fm_status write_successions(struct fm_report *report, struct fm_json *json, struct fm_error *error)
{
    (void)error;
    fm_report_resolve(report);
    fm_json_array(json, "successions", FM_JSON_LINES);
    for (size_t i = 0; i < report->profile->n_successions; i++) {
        const struct fm_succession *succession = &report->profile->successions[i];
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_text(json, "routine", succession->routine);
        write_succession_site(report, json, succession, "first", &succession->first);
        write_succession_site(report, json, succession, "second", &succession->second);
        fm_json_whole(json, "count", succession->count);
        fm_json_seconds(json, "gap_s", succession->gap_ns);
        fm_json_whole(json, "short_gaps", succession->short_gaps);
        fm_json_bool(json, "dependent", succession->dependent);
        uint64_t cost_ns = fm_mergeable_cost(report->profile, succession);
        fm_json_bool(json, "mergeable", cost_ns > 0);
        if (cost_ns)
            fm_json_seconds(json, "cost_s", cost_ns);
        else
            fm_json_null(json, "cost_s");
        fm_json_ranks(report, json, &succession->ranks);
        fm_json_end(json);
    }
    fm_json_end(json);
    return FM_OK;
}

static enum fm_status write_regions(struct fm_report *report, struct fm_json *json, struct fm_error *error)
{
    struct fm_region_totals totals;
    enum fm_status status = fm_regions_find(report->profile, &report->arena, &totals, error);
    if (status)
        return status;
    fm_json_array(json, "regions", FM_JSON_LINES);
    for (size_t i = 1; i < totals.n; i++) { /* skip the whole program */
        const struct fm_region_total *total = &totals.items[i];
        fm_json_object(json, NULL, FM_JSON_LINES);
        fm_json_text(json, "name", total->name);
        fm_json_text(json, "path", total->path);
        bool known = total->region || !report->profile->part; /* otherwise several programs have it */
        if (known)
            fm_json_seconds(json, "wall_s", total->wall_ns);
        else
            fm_json_null(json, "wall_s");
        fm_json_seconds(json, "mpi_s", total->mpi_ns);
        whole_or_null(json, known, "entries", total->entries);
        fm_json_whole(json, "calls", total->calls);
        if (total->region) {
            fm_json_ranks(report, json, &total->region->ranks);
            fm_json_spread_seconds(json, "wall_per_rank_s", &total->region->wall_per_rank);
        }
        fm_json_array(json, "routines", FM_JSON_LINES);
        for (size_t r = 0; r < total->n_routines; r++) {
            fm_json_object(json, NULL, FM_JSON_INLINE);
            fm_json_text(json, "name", total->routines[r].name);
            fm_json_whole(json, "calls", total->routines[r].calls);
            fm_json_seconds(json, "time_s", total->routines[r].time_ns);
            fm_json_whole(json, "bytes", total->routines[r].bytes);
            fm_json_end(json);
        }
        fm_json_end(json);
        fm_json_end(json);
    }
    fm_json_end(json);
    return FM_OK;
}

static enum fm_status write_sizes(struct fm_report *report, struct fm_json *json, struct fm_error *error)
{
    struct fm_groups groups;
    enum fm_status status = fm_group_events(report->profile, FM_BY_ROUTINE | FM_BY_SIZE, &report->arena, &groups,
                                            error);
    if (status)
        return status;
    fm_json_array(json, "sizes", FM_JSON_LINES);
    for (size_t i = 0; i < groups.n; i++) {
        const struct fm_event_key *key = &groups.items[i].key;
        if (key->size_bin == FM_SIZE_NONE)
            continue;
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_text(json, "routine", key->routine);
        fm_json_whole(json, "from_bytes", fm_size_bin_from(key->size_bin));
        fm_json_whole(json, "to_bytes", fm_size_bin_to(key->size_bin));
        write_totals(json, &groups.items[i].stats);
        fm_json_end(json);
    }
    fm_json_end(json);
    return FM_OK;
}

static enum fm_status write_communicators(struct fm_report *report, struct fm_json *json, struct fm_error *error)
{
    struct fm_groups groups;
    enum fm_status status = fm_group_events(report->profile, FM_BY_ROUTINE | FM_BY_COMM, &report->arena, &groups,
                                            error);
    if (status)
        return status;
    fm_json_array(json, "communicators", FM_JSON_LINES);
    for (size_t i = 0; i < groups.n; i++) {
        if (groups.items[i].key.comm_size == 0)
            continue;
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_text(json, "routine", groups.items[i].key.routine);
        fm_json_whole(json, "size", groups.items[i].key.comm_size);
        write_totals(json, &groups.items[i].stats);
        fm_json_end(json);
    }
    fm_json_end(json);
    return FM_OK;
}

static enum fm_status write_program_topology(struct fm_report *report, struct fm_json *json,
                                             const struct fm_topology *topology, struct fm_error *error)
{
    struct fm_program_pairs pairs = {0};
    if (report->programs.n && !fm_topology_programs(topology, &report->programs, &report->arena, &pairs))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the traffic between programs");
    fm_json_array(json, "topology_programs", FM_JSON_LINES);
    for (size_t i = 0; i < pairs.n; i++) {
        const struct fm_pair *sum = &pairs.items[i].sum;
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_text(json, "from", fm_report_label(report, sum->from));
        fm_json_text(json, "to", fm_report_label(report, sum->to));
        fm_json_whole(json, "pairs", pairs.items[i].pairs);
        fm_json_whole(json, "messages", sum->messages);
        fm_json_whole(json, "bytes", sum->bytes);
        fm_json_seconds(json, "send_s", sum->send_ns);
        fm_json_seconds(json, "receive_s", sum->receive_ns);
        fm_json_end(json);
    }
    fm_json_end(json);
    return FM_OK;
}

static enum fm_status write_topology(struct fm_report *report, struct fm_json *json, struct fm_error *error)
{
    struct fm_topology topology;
    enum fm_status status = fm_topology_find(report->profile, &report->arena, &topology, error);
    if (status)
        return status;
    fm_json_array(json, "topology", FM_JSON_LINES);
    for (size_t i = 0; i < topology.n; i++) {
        const struct fm_pair *pair = &topology.pairs[i];
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_whole(json, "from", pair->from);
        fm_json_whole(json, "to", pair->to);
        fm_json_whole(json, "messages", pair->messages);
        fm_json_whole(json, "bytes", pair->bytes);
        fm_json_seconds(json, "time_s", fm_pair_time_ns(pair));
        fm_json_seconds(json, "send_s", pair->send_ns);
        fm_json_seconds(json, "receive_s", pair->receive_ns);
        fm_json_number(json, "bytes_per_second", fm_pair_rate(pair));
        fm_json_end(json);
    }
    fm_json_end(json);
    fm_json_object(json, "topology_left_out", FM_JSON_INLINE);
    fm_json_whole(json, "pairs", topology.dropped);
    fm_json_whole(json, "messages", topology.dropped_messages);
    fm_json_whole(json, "bytes", topology.dropped_bytes);
    fm_json_end(json);
    return write_program_topology(report, json, &topology, error);
}

/* ---- balance ---- */

static void write_signed_seconds(struct fm_json *json, const char *key, double ns)
{
    fm_json_number(json, key, ns * 1e-9);
}

static void write_groups(struct fm_report *report, struct fm_json *json)
{
    fm_json_array(json, "groups", FM_JSON_LINES);
    for (size_t g = 0; g < report->balance.n_jumps; g++) {
        const struct fm_balance_group *group = &report->balance.jumps[g];
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_ranks(report, json, &group->ranks);
        write_signed_seconds(json, "mpi_s", group->mean_ns);
        fm_json_seconds(json, "mpi_min_s", fm_balance_group_min(&report->balance, group));
        fm_json_seconds(json, "mpi_max_s", fm_balance_group_max(&report->balance, group));
        write_signed_seconds(json, "difference_s", group->difference_ns);
        fm_json_seconds(json, "jump_s", group->jump_ns);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void write_balance(struct fm_report *report, struct fm_json *json)
{
    static const char *const evenness[] = {"even", "uneven", "unknown"}; /* enum fm_evenness */
    const struct fm_balance *balance = &report->balance;
    fm_json_object(json, "balance", FM_JSON_LINES);
    fm_json_number(json, "load_balance", report->factors.load_balance);
    fm_json_number(json, "communication_efficiency", report->factors.communication);
    fm_json_number(json, "parallel_efficiency", report->factors.parallel);
    fm_json_text(json, "evenness", evenness[balance->evenness]);
    fm_json_array(json, "ranks_by_mpi_time", FM_JSON_INLINE);
    for (size_t i = 0; i < balance->n; i++)
        fm_json_whole(json, NULL, balance->order[i].rank);
    fm_json_end(json);
    fm_json_array(json, "mpi_s", FM_JSON_INLINE);
    for (size_t i = 0; i < balance->n; i++)
        fm_json_seconds(json, NULL, balance->order[i].mpi_ns);
    fm_json_end(json);
    fm_json_object(json, "routines", FM_JSON_LINES);
    for (size_t h = 0; h < balance->n_heavy; h++) {
        if (!balance->heavy[h].time_ns)
            continue;
        fm_json_array(json, balance->heavy[h].routine->name, FM_JSON_INLINE);
        for (size_t i = 0; i < balance->n; i++)
            fm_json_seconds(json, NULL, balance->heavy[h].time_ns[i]);
        fm_json_end(json);
    }
    fm_json_end(json);
    write_groups(report, json);
    fm_json_end(json);
}

static enum fm_status write_mpi(struct fm_report *report, struct fm_json *json, struct fm_error *error)
{
    static enum fm_status (*const parts[])(struct fm_report *, struct fm_json *, struct fm_error *) = {
        write_sites, write_successions, write_regions, write_sizes, write_communicators, write_topology,
    };
    fm_json_object(json, "mpi", FM_JSON_LINES);
    fm_json_seconds(json, "time_s", report->summary.mpi_sum_ns);
    fm_json_number(json, "fraction", report->summary.mpi_fraction);
    write_routines(report, json);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        enum fm_status status = parts[i](report, json, error);
        if (status)
            return status;
    }
    write_balance(report, json);
    fm_json_end(json);
    return FM_OK;
}

enum fm_status fm_report_json(struct fm_report *report, FILE *out, struct fm_error *error)
{
    struct fm_json json = {.out = out};
    fm_json_object(&json, NULL, FM_JSON_LINES);
    fm_json_whole(&json, "fathom", FM_JSON_VERSION);
    enum fm_status status = write_job(report, &json, error);
    write_processes(report, &json);
    if (!status)
        status = write_mpi(report, &json, error);
    if (!status)
        status = fm_json_timers(report, &json, error);
    if (!status)
        status = fm_json_efficiency(report, &json, error);
    if (!status)
        status = fm_json_split(report, &json, error);
    if (!status)
        status = fm_json_io(report, &json, error);
    if (!status)
        status = fm_json_counters(report, &json, error);
    if (status)
        return status;
    fm_json_memory(report, &json);
    fm_json_network(report, &json);
    status = fm_json_findings(report, &json, error);
    if (!status)
        status = fm_json_calls(report, &json, error);
    if (!status)
        status = fm_json_modules(report, &json, error);
    if (!status)
        status = fm_json_sequence(report, &json, error);
    if (status)
        return status;
    fm_json_end(&json);
    return FM_OK;
}
