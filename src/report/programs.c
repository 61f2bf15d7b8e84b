/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/programs.h"

#include "analyse/balance/core_use.h"
#include "base/units.h"
#include "base/writer.h"
#include "report/views.h"

enum { DEFAULT_PROGRAMS = 12, DEFAULT_SENTENCES = 4, LINE_PROGRAMS = 4 };

enum fm_status fm_report_program(struct fm_report *report, size_t program, enum fm_part_extent extent,
                                 struct fm_report *one, struct fm_error *error)
{
    struct fm_profile *part;
    enum fm_status status = fm_part_make(report->profile, program, extent, &report->arena, &part, error);
    if (status)
        return status;
    *one = (struct fm_report){.profile = part, .symbols = report->symbols, .options = report->options};
    return fm_report_analyse(one, &report->arena, error);
}

const char *fm_report_label(struct fm_report *report, size_t program)
{
    const char *label = fm_program_label(report->profile, program, &report->arena);
    return label ? label : "?";
}

const char *fm_report_labels(struct fm_report *report, const struct fm_rankset *ranks, size_t *n)
{
    const struct fm_profile *profile = report->profile;
    struct fm_writer writer = {.arena = &report->arena};
    *n = 0;
    for (size_t i = 0; i < profile->n_programs; i++)
        if (fm_rankset_count_common(&profile->programs[i].ranks, ranks))
            fm_write(&writer, "%s%s", (*n)++ ? ", " : "", fm_report_label(report, i));
    const char *text = *n ? fm_writer_text(&writer) : NULL;
    return text ? text : "";
}

uint32_t fm_report_rank(const struct fm_report *report, uint32_t rank)
{
    return report->profile->part ? fm_part_rank(report->profile->part, rank) : rank;
}

/* ---- tables ---- */

static const struct fm_column columns[] = {
    {"program", NULL, FM_COLUMN_TEXT},
    {"ranks", NULL, FM_COLUMN_TEXT},
    {"in MPI, mean", NULL, FM_COLUMN_TIME},
    {"% wall", NULL, FM_COLUMN_PERCENT},
    {"min", NULL, FM_COLUMN_TIME},
    {"rank", NULL, FM_COLUMN_RANK},
    {"max", NULL, FM_COLUMN_TIME},
    {"rank", NULL, FM_COLUMN_RANK},
    {"efficiency %", NULL, FM_COLUMN_PERCENT},
    {"load balance %", NULL, FM_COLUMN_PERCENT},
};

static void add_row(struct fm_report *report, struct fm_table *table, const struct fm_report *one)
{
    const struct fm_summary *summary = &one->summary;
    const struct fm_spread *mpi = &summary->of.mpi_ns;
    fm_cell_text(table, summary->name);
    fm_cell_text(table, fm_rankset_text(&one->profile->part->ranks, &report->arena, 24));
    fm_cell_number(table, fm_ratio((double)mpi->sum, mpi->ranks));
    fm_cell_number(table, summary->mpi_fraction);
    fm_cell_whole(table, mpi->min);
    fm_cell_whole(table, mpi->min_rank);
    fm_cell_whole(table, mpi->max);
    fm_cell_whole(table, mpi->max_rank);
    fm_cell_number(table, one->factors.parallel);
    fm_cell_number(table, one->factors.load_balance);
}

enum fm_status fm_print_programs(struct fm_report *report, FILE *out, struct fm_error *error)
{
    size_t n = report->profile->n_programs, rows = fm_report_rows(report, n, DEFAULT_PROGRAMS);
    struct fm_table table;
    fm_table_start(&table, &report->arena, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < rows; i++) {
        struct fm_report one;
        enum fm_status status = fm_report_program(report, i, FM_PART_PROCESSES, &one, error);
        if (status)
            return status;
        add_row(report, &table, &one);
    }
    fm_table_print(&table, out);
    fm_print_more(out, rows, n, "program");
    return FM_OK;
}

enum fm_status fm_print_programs_balance(struct fm_report *report, FILE *out, struct fm_error *error)
{
    size_t rows = fm_report_rows(report, report->profile->n_programs, DEFAULT_SENTENCES);
    for (size_t i = 0; i < rows; i++) {
        struct fm_report one;
        enum fm_status status = fm_report_program(report, i, FM_PART_PROCESSES, &one, error);
        if (status)
            return status;
        if (fm_balance_is_uneven(&one.balance))
            fm_print_folded(out, fm_format(&report->arena, "%s: %s", one.summary.name, fm_balance_sentence(&one)), 2);
    }
    return FM_OK;
}

/* ---- sentences ---- */

/* The figures of a program for a sentence; on failure, it is left out. */
static bool find(struct fm_report *report, size_t program, struct fm_report *one)
{
    struct fm_error error;
    return fm_report_program(report, program, FM_PART_PROCESSES, one, &error) == FM_OK;
}

const char *fm_programs_headline(struct fm_report *report)
{
    double min = 1, max = 0;
    const char *name = "";
    char share[FM_UNIT_CHARS];
    for (size_t i = 0; i < report->profile->n_programs && i < DEFAULT_PROGRAMS; i++) {
        struct fm_report one;
        if (!find(report, i, &one))
            return "";
        double fraction = one.summary.mpi_fraction;
        if (fraction > max)
            name = one.summary.name;
        max = fraction > max ? fraction : max;
        min = fraction < min ? fraction : min;
    }
    if (report->profile->n_programs > DEFAULT_PROGRAMS || !name[0])
        return "";
    double wall_ns = (double)report->summary.wall_ns;
    if ((max - min) * wall_ns < fm_uneven_least_ns(wall_ns))
        return "; programs balanced";
    if (fm_core_use(report->profile).lack)
        return "; ranks lacked cores";
    return fm_format(&report->arena, "; %s waits most (%s in MPI)", name, fm_percent_whole(share, max));
}

const char *fm_programs_line(struct fm_report *report)
{
    const char *text = "";
    char mpi[FM_UNIT_CHARS], balance[FM_UNIT_CHARS];
    size_t n = report->profile->n_programs;
    for (size_t i = 0; i < n && i < LINE_PROGRAMS; i++) {
        struct fm_report one;
        if (!find(report, i, &one))
            return "";
        text = fm_format(&report->arena, "%s%s%s %s in MPI, load balance %s", text, i ? "; " : "", one.summary.name,
                         fm_percent_whole(mpi, one.summary.mpi_fraction),
                         fm_percent_whole(balance, one.factors.load_balance));
    }
    return n > LINE_PROGRAMS ? fm_format(&report->arena, "%s; ...", text) : text;
}

/* ---- a report of one program ---- */

const char *fm_part_headline(struct fm_report *report)
{
    const struct fm_part *part = report->profile->part;
    if (!part)
        return "";
    return fm_format(&report->arena, "Program %s: %s of %u", part->label, fm_ranks_text(report, &part->ranks, 40),
                     part->job_ranks);
}

static const char *append(struct fm_report *report, const char *text, const char *more)
{
    return text[0] ? fm_format(&report->arena, "%s; %s", text, more) : more;
}

const char *fm_part_left_out(struct fm_report *report, unsigned shows)
{
    const struct fm_part *part = report->profile->part;
    char count[FM_UNIT_CHARS], time[FM_UNIT_CHARS];
    const char *text = "";
    if (!part)
        return text;
    if (shows & FM_SHOWS_CALLS && part->calls)
        text = append(report, text,
                      fm_format(&report->arena, "%s MPI call%s (%s) from libraries that several programs use",
                                fm_count_text(count, part->calls), part->calls == 1 ? "" : "s",
                                fm_time_text(time, (double)part->calls_ns)));
    if (shows & FM_SHOWS_ROUTINES && part->routines)
        text = append(report, text,
                      fm_format(&report->arena, "%zu MPI routine%s that several programs call", part->routines,
                                part->routines == 1 ? "" : "s"));
    if (shows & FM_SHOWS_PATHS && part->sampled_ns)
        text = append(report, text,
                      fm_format(&report->arena, "%s in call paths of libraries alone",
                                fm_time_text(time, (double)part->sampled_ns)));
    if (shows & FM_SHOWS_THREADS && part->threads_ns)
        text = append(report, text,
                      fm_format(&report->arena, "%s in threads of MPI", fm_time_text(time, (double)part->threads_ns)));
    if (shows & FM_SHOWS_TIMERS && part->timers)
        text = append(report, text,
                      fm_format(&report->arena, "%zu timer%s that several programs use", part->timers,
                                part->timers == 1 ? "" : "s"));
    if (shows & FM_SHOWS_REGIONS && part->regions)
        text = append(report, text,
                      fm_format(&report->arena, "entries and wall time of %zu region%s that several programs have",
                                part->regions, part->regions == 1 ? "" : "s"));
    if (shows & FM_SHOWS_SNAPSHOTS && part->snapshots)
        text = append(report, text,
                      fm_format(&report->arena, "%zu snapshot%s of all ranks together", part->snapshots,
                                part->snapshots == 1 ? "" : "s"));
    if (!text[0])
        return text;
    return fm_format(&report->arena, "Not included, because the profile has only the sum over all programs: %s", text);
}

enum fm_status fm_part_check(struct fm_report *report, unsigned shows, struct fm_error *error)
{
    const struct fm_profile *profile = report->profile;
    const struct fm_part *part = profile->part;
    const char *what = !part                                                         ? NULL
                       : shows & FM_SHOWS_CALLS && part->calls && !profile->n_events ? "MPI calls of this kind"
                       : shows & FM_SHOWS_PATHS && part->sampled_ns + part->threads_ns && !profile->paths.n
                           ? "call paths"
                       : shows & FM_SHOWS_TIMERS && part->timers && !profile->n_timers          ? "timers"
                       : shows & FM_SHOWS_SNAPSHOTS && part->snapshots && !profile->n_snapshots ? "snapshots"
                                                                                                : NULL;
    if (!what)
        return FM_OK;
    return fm_fail(error, FM_ERR_INPUT,
                   "the profile has %s only as a sum over all programs, not for %s; leave out --program", what,
                   part->label);
}
