/* SPDX-License-Identifier: BSD-3-Clause */
/* The summary: a headline, the job's banner, the spread over ranks, and the routines. */
#include <inttypes.h>
#include <string.h>

#include "analyse/balance/core_use.h"
#include "base/units.h"
#include "base/utf8.h"
#include "base/writer.h"
#include "merge/notes.h"
#include "model/timer_tree.h"
#include "report/findings_text.h"
#include "report/report_calls.h"
#include "report/views.h"

/* What is left of a line for the value of a line of the banner. */
static size_t banner_columns(FILE *out)
{
    return fm_output_columns(out) - 10;
}
static const double TAIL_SHARE = 0.001; /* routines below this share of the MPI time are merged */

/* ---- banner ---- */

static void banner_line(FILE *out, const char *name, const char *text)
{
    if (text[0] == 0)
        return;
    fprintf(out, "%-9s ", name);
    fm_print_cut(out, text, banner_columns(out));
    fputc('\n', out);
}

static const char *command_text(struct fm_report *report)
{
    const struct fm_job *job = &report->profile->job;
    const char *text = job->n_argv ? job->argv[0] : job->exe;
    for (size_t i = 1; i < job->n_argv; i++)
        text = fm_format(&report->arena, "%s %s", text, job->argv[i]);
    return text;
}

static const char *joined(struct fm_report *report, const char *first, const char *second)
{
    if (first[0] == 0 || second[0] == 0)
        return first[0] ? first : second;
    return fm_format(&report->arena, "%s, %s", first, second);
}

/* The hardware of the first host, with or without the name of its CPU. */
static const char *hardware_text(struct fm_report *report, bool with_cpu)
{
    const struct fm_host *host = &report->profile->hosts[0];
    char memory[FM_UNIT_CHARS];
    const char *cores = host->cores ? fm_format(&report->arena, "%u core%s", host->cores, host->cores == 1 ? "" : "s")
                                    : "";
    const char *text = joined(report, with_cpu ? host->cpu : "", cores);
    if (host->memory_bytes)
        text = joined(report, text, fm_format(&report->arena, "%s", fm_bytes_text(memory, (double)host->memory_bytes)));
    return text;
}

/* "64: n1, n2, ... (first: ...)" with this many names. */
static const char *some_hosts(struct fm_report *report, size_t shown, bool with_cpu)
{
    const struct fm_profile *profile = report->profile;
    const char *hardware = hardware_text(report, with_cpu), *names = profile->hosts[0].name;
    bool several = profile->n_hosts > 1;
    for (size_t i = 1; i < shown; i++)
        names = joined(report, names, profile->hosts[i].name);
    if (shown < profile->n_hosts)
        names = joined(report, names, "...");
    if (several)
        names = fm_format(&report->arena, "%zu: %s", profile->n_hosts, names);
    if (hardware[0])
        names = fm_format(&report->arena, "%s (%s%s)", names, several ? "first: " : "", hardware);
    return names;
}

/* As many names as fit, then without the name of the CPU: what is cut off at the end of the line would be the hardware. */
static const char *hosts_text(struct fm_report *report, size_t columns)
{
    enum { NAMES = 4 };
    size_t n = report->profile->n_hosts, shown = n < NAMES ? n : NAMES;
    if (n == 0)
        return "";
    const char *text = some_hosts(report, shown, true);
    while (fm_text_width(text) > columns && shown > 1)
        text = some_hosts(report, --shown, true);
    return fm_text_width(text) > columns ? some_hosts(report, shown, false) : text;
}

/* Several programs, each with its ranks; "" if there is only one, which the command names. */
static const char *programs_text(struct fm_report *report)
{
    const struct fm_profile *profile = report->profile;
    struct fm_writer writer = {.arena = &report->arena};
    if (profile->n_programs < 2)
        return "";
    size_t shown = fm_report_rows(report, profile->n_programs, 8);
    for (size_t i = 0; i < shown; i++)
        fm_write(&writer, "%s%s (%s)", i ? ", " : "", fm_report_label(report, i),
                 fm_ranks_text(report, &profile->programs[i].ranks, 24));
    fm_write(&writer, "%s", shown < profile->n_programs ? ", ..." : "");
    const char *text = fm_writer_text(&writer);
    return text ? text : "";
}

/* The ranks of a single program of several. */
static const char *part_text(struct fm_report *report)
{
    const struct fm_part *part = report->profile->part;
    return fm_format(&report->arena, "%s of the %u of the job", fm_ranks_text(report, &part->ranks, 40),
                     part->job_ranks);
}

static const char *job_text(struct fm_report *report)
{
    const struct fm_job *job = &report->profile->job;
    const char *launcher = job->launcher[0] ? fm_format(&report->arena, "started by %s", job->launcher) : "";
    const char *user = job->user[0] ? fm_format(&report->arena, "user %s", job->user) : "";
    return joined(report, joined(report, job->id, launcher), user);
}

/* If ranks share cores, every figure includes waiting for a core, which no change to the program can remove. */
static const char *ranks_text(struct fm_report *report)
{
    const struct fm_profile *profile = report->profile;
    const struct fm_summary *summary = &report->summary;
    char ratio[FM_UNIT_CHARS];
    struct fm_core_use use = fm_core_use(profile);
    const char *text = fm_format(&report->arena, "%u on %zu host%s", summary->ranks, profile->n_hosts,
                                 profile->n_hosts == 1 ? "" : "s");
    if (summary->measured < summary->ranks)
        text = fm_format(&report->arena, "%s, %u with data", text, summary->measured);
    if (use.lack == FM_CORES_FEWER_THAN_RANKS)
        text = fm_format(&report->arena, "%s, %s%s per core%s", text, profile->n_hosts > 1 ? "up to " : "",
                         fm_mean_text(ratio, fm_ratio(use.ranks, use.cores)),
                         fm_summary_has_finding(report, "no-cpu") ? "" : ": all times include waiting for a core");
    return text;
}

/* The memory of killed ranks may be unknown. */
static const char *known_ranks(struct fm_report *report)
{
    const struct fm_summary *summary = &report->summary;
    if (summary->of.max_rss_bytes.ranks >= summary->measured)
        return "all ranks";
    return fm_format(&report->arena, "%u of %u ranks (unknown for the others)", summary->of.max_rss_bytes.ranks,
                     summary->measured);
}

static void banner(struct fm_report *report, FILE *out)
{
    const struct fm_summary *summary = &report->summary;
    const struct fm_job *job = &report->profile->job;
    char a[FM_UNIT_CHARS], b[FM_UNIT_CHARS];
    const char *started = fm_date_text(a, job->started_real_ns);
    const char *when = fm_format(&report->arena, "%s%s%s", started, started[0] ? ", wall " : "wall ",
                                 fm_time_text(b, (double)summary->wall_ns));
    banner_line(out, "command", command_text(report));
    banner_line(out, "programs", programs_text(report));
    if (report->profile->part)
        banner_line(out, "program", part_text(report));
    banner_line(out, "commit", job->commit);
    banner_line(out, "started", when);
    banner_line(out, "time", fm_split_text(report));
    banner_line(out, "ranks", ranks_text(report));
    banner_line(out, "hosts", hosts_text(report, banner_columns(out)));
    banner_line(out, "MPI",
                joined(report, job->mpi, job->language[0] ? fm_format(&report->arena, "from %s", job->language) : ""));
    banner_line(out, "job", job_text(report));
    if (summary->of.max_rss_bytes.ranks && summary->measured > 1)
        banner_line(out, "memory",
                    fm_format(&report->arena, "%s in %s, at most %s in one",
                              fm_bytes_text(a, (double)summary->of.max_rss_bytes.sum), known_ranks(report),
                              fm_bytes_text(b, (double)summary->of.max_rss_bytes.max)));
}

/* ---- routines ---- */

static const struct fm_column routine_columns[] = {
    {"routine", "routine", FM_COLUMN_TEXT},
    {"calls", "calls", FM_COLUMN_COUNT},
    {"calls/rank", "calls_per_rank", FM_COLUMN_MEAN},
    {"time", "time_s", FM_COLUMN_TIME},
    {"time/call", "time_per_call_s", FM_COLUMN_TIME},
    {"count", "count_arguments", FM_COLUMN_COUNT},
    {"bytes", "bytes", FM_COLUMN_BYTES},
    {"bytes/call", "bytes_per_call", FM_COLUMN_BYTES},
    {"% MPI", "fraction_of_mpi", FM_COLUMN_PERCENT},
    {"% wall", "fraction_of_wall", FM_COLUMN_PERCENT},
};

static void routine_row(struct fm_report *report, struct fm_table *table, const char *name,
                        const struct fm_stats *stats)
{
    const struct fm_summary *summary = &report->summary;
    double calls = (double)stats->count;
    fm_cell_text(table, name);
    fm_cell_whole(table, stats->count);
    fm_cell_number(table, fm_ratio(calls, summary->measured));
    fm_cell_whole(table, stats->total_ns);
    fm_cell_number(table, fm_ratio((double)stats->total_ns, calls));
    fm_cell_whole_or_none(table, stats->count_arguments,
                          stats->count_arguments && stats->count_arguments != FM_UNKNOWN);
    if (stats->bytes) {
        fm_cell_whole(table, stats->bytes);
        fm_cell_number(table, fm_ratio((double)stats->bytes, calls));
    } else {
        fm_cell_none(table);
        fm_cell_none(table);
    }
    fm_cell_number(table, fm_ratio((double)stats->total_ns, (double)summary->routines_ns));
    fm_cell_number(table, fm_ratio((double)stats->total_ns, (double)summary->wall_sum_ns));
}

/* The number of routines with a row of their own. A single remaining one is shown too. */
static size_t shown_routines(const struct fm_report *report)
{
    const struct fm_summary *summary = &report->summary;
    size_t heavy = 0;
    while (heavy < summary->n_routines &&
           (double)summary->routines[heavy]->stats.total_ns >= TAIL_SHARE * (double)summary->routines_ns)
        heavy++;
    size_t shown = fm_report_rows(report, summary->n_routines, heavy);
    return shown + 1 == summary->n_routines ? summary->n_routines : shown;
}

static void fill_routines(struct fm_report *report, struct fm_table *table, size_t shown)
{
    const struct fm_summary *summary = &report->summary;
    fm_table_start(table, &report->arena, routine_columns, sizeof routine_columns / sizeof *routine_columns);
    for (size_t i = 0; i < shown; i++)
        routine_row(report, table, summary->routines[i]->name, &summary->routines[i]->stats);
}

static void print_routines(struct fm_report *report, FILE *out)
{
    const struct fm_summary *summary = &report->summary;
    struct fm_table table;
    struct fm_stats all = {0}, tail = {0};
    size_t shown = shown_routines(report);
    if (summary->n_routines == 0)
        return;
    for (size_t i = 0; i < summary->n_routines; i++)
        fm_stats_merge(i < shown ? &all : &tail, &summary->routines[i]->stats);
    fm_stats_merge(&all, &tail);
    fill_routines(report, &table, shown);
    if (shown < summary->n_routines)
        routine_row(report, &table, fm_format(&report->arena, "+ %zu more routines", summary->n_routines - shown),
                    &tail);
    routine_row(report, &table, "all", &all);
    fm_table_print(&table, out);
    fm_print_scope(report, out);
    fputc('\n', out);
}

/* ---- remarks ---- */

/* Whether a finding says why some ranks spend less time in MPI than others. */
static bool is_explained(struct fm_report *report)
{
    return fm_summary_has_finding(report, "imbalance") || fm_summary_has_finding(report, "serial-stage") ||
           fm_summary_has_finding(report, "slow-host");
}

static enum fm_status print_balance(struct fm_report *report, FILE *out, struct fm_error *error)
{
    const struct fm_summary *summary = &report->summary;
    char balance[FM_UNIT_CHARS], communication[FM_UNIT_CHARS], parallel[FM_UNIT_CHARS];
    if (summary->measured < 2 || summary->mpi_sum_ns == 0)
        return FM_OK;
    if (report->programs.n)
        return fm_print_programs_balance(report, out, error);
    fm_print_sentence(
        out,
        "Parallel efficiency %s = load balance %s (mean over longest time outside MPI) x communication efficiency %s.",
        fm_percent_whole(parallel, report->factors.parallel), fm_percent_whole(balance, report->factors.load_balance),
        fm_percent_whole(communication, report->factors.communication));
    if (fm_balance_is_uneven(&report->balance) && !is_explained(report))
        fm_print_folded(out, fm_balance_sentence(report), 2);
    if (fm_end_sentence(report)[0])
        fm_print_folded(out, fm_end_sentence(report), 2);
    return FM_OK;
}

static void print_snapshots(struct fm_report *report, FILE *out)
{
    const struct fm_profile *profile = report->profile;
    if (profile->n_snapshots)
        fm_print_folded(out,
                        fm_format(&report->arena, "%zu snapshot%s, the first '%s': see --view snapshots.",
                                  profile->n_snapshots, profile->n_snapshots == 1 ? "" : "s",
                                  profile->snapshots[0].label),
                        2);
}

static void print_timers(struct fm_report *report, FILE *out)
{
    const struct fm_profile *profile = report->profile;
    const struct fm_timer **order = fm_timers_by_length(profile->timers, profile->n_timers, &report->arena);
    if (!profile->n_timers || !order)
        return;
    fm_print_folded(out,
                    fm_format(&report->arena, "%zu timer%s, the longest '%s': see --view timers.", profile->n_timers,
                              profile->n_timers == 1 ? "" : "s", order[0]->name),
                    2);
}

static void print_overhead(struct fm_report *report, FILE *out)
{
    const struct fm_summary *summary = &report->summary;
    char time[FM_UNIT_CHARS], percent[FM_UNIT_CHARS];
    double share = fm_ratio((double)summary->overhead_ns, (double)summary->wall_sum_ns);
    fprintf(out, "Overhead of Fathom: %s, %s of the measured time.\n", fm_time_text(time, (double)summary->overhead_ns),
            fm_percent_fine(percent, share));
}

static void print_notes(struct fm_report *report, FILE *out)
{
    const struct fm_profile *profile = report->profile;
    if (profile->job.tool[0])
        fm_print_folded(out, fm_format(&report->arena, "Note: another PMPI tool was active: %s", profile->job.tool), 2);
    bool limits = fm_summary_has_finding(report, "incomplete");
    for (size_t i = 0; i < profile->n_notes; i++)
        if (!limits || !fm_note_is_limit(profile->notes[i].code))
            fm_print_note(report, &profile->notes[i], out);
}

static void print_io(struct fm_report *report, FILE *out)
{
    static const double LEAST = 0.01;
    const char *sentence = fm_io_sentence(report, LEAST);
    if (sentence[0])
        fm_print_folded(out, fm_format(&report->arena, "%s See --view io.", sentence), 2);
}

static void print_hot_path(struct fm_report *report, const char *hot_path, FILE *out)
{
    if (hot_path[0])
        fm_print_folded(out, fm_format(&report->arena, "Hot path: %s (--view calls).", hot_path), 2);
}

/* For a job sampled by fathom attach, the modules are the most useful part. */
static enum fm_status print_outside(struct fm_report *report, const char *hot_path, FILE *out, struct fm_error *error)
{
    enum fm_status status = fm_report_sampled(report) ? fm_print_modules(report, out, error) : FM_OK;
    if (status)
        return status;
    print_hot_path(report, hot_path, out);
    fputc('\n', out);
    banner(report, out);
    print_notes(report, out);
    return FM_OK;
}

enum fm_status fm_view_summary_text(struct fm_report *report, FILE *out, struct fm_error *error)
{
    const char *hot_path;
    enum fm_status status = fm_hot_path_text(report, &hot_path, error);
    if (status)
        return status;
    fm_print_incomplete(report, out);
    fm_print_folded(out, fm_headline(report), 2);
    if (*fm_no_cpu_sentence(report) && !fm_summary_has_finding(report, "no-cpu"))
        fm_print_folded(out, fm_no_cpu_sentence(report), 2);
    fputc('\n', out);
    if (fm_profile_is_from_outside(report->profile))
        return print_outside(report, hot_path, out, error);
    status = fm_print_findings(report, out, error);
    if (status)
        return status;
    banner(report, out);
    fputc('\n', out);
    if (report->programs.n && report->summary.mpi_sum_ns) {
        status = fm_print_programs(report, out, error);
        fputc('\n', out);
    }
    fm_print_figures(report, out);
    print_routines(report, out);
    if (!status)
        status = print_balance(report, out, error);
    if (status)
        return status;
    print_hot_path(report, hot_path, out);
    print_io(report, out);
    if (*fm_counters_sentence(report))
        fm_print_folded(out, fm_counters_sentence(report), 2);
    print_timers(report, out);
    print_snapshots(report, out);
    print_overhead(report, out);
    print_notes(report, out);
    return FM_OK;
}

enum fm_status fm_view_summary_csv(struct fm_report *report, FILE *out, struct fm_error *error)
{
    (void)error;
    struct fm_table table;
    fill_routines(report, &table, report->summary.n_routines);
    fm_table_csv(&table, out);
    return FM_OK;
}
