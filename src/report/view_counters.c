/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters of the processor and of the kernel: in all, in the program and in MPI. */
#include <math.h>
#include <string.h>

#include "analyse/counters/counters.h"
#include "base/units.h"
#include "model/note_codes.h"
#include "report/views.h"

static const struct fm_column columns[] = {
    {"counter", "counter", FM_COLUMN_TEXT},
    {NULL, "source", FM_COLUMN_TEXT},
    {"total", "total", FM_COLUMN_COUNT},
    {"program", "program", FM_COLUMN_COUNT},
    {"in MPI", "mpi", FM_COLUMN_COUNT},
    {"per s", "rate_per_s", FM_COLUMN_MEAN},
    {"program/s", "rate_program_per_s", FM_COLUMN_MEAN},
    {"min/rank", "min", FM_COLUMN_MEAN},
    {"rank", "min_rank", FM_COLUMN_RANK},
    {"max/rank", "max", FM_COLUMN_MEAN},
    {"rank", "max_rank", FM_COLUMN_RANK},
    {"", "scaled", FM_COLUMN_TEXT},
};

/* The kernel counts the task clock in ns. */
static bool is_time(const struct fm_counter_total *total)
{
    return total->over_ranks->software && strstr(total->over_ranks->name, "-clock");
}

static void count_cell(struct fm_table *table, const struct fm_counter_total *total, uint64_t count, bool csv)
{
    if (is_time(total) && !csv)
        fm_cell_as(table, FM_COLUMN_TIME, (double)count);
    else if (csv)
        fm_cell_whole(table, count);
    else
        fm_cell_as(table, FM_COLUMN_COUNT, (double)count);
}

static void rate_cell(struct fm_table *table, double per_s, bool csv)
{
    if (isnan(per_s))
        fm_cell_none(table);
    else if (csv)
        fm_cell_number(table, per_s);
    else
        fm_cell_as(table, per_s < 100 ? FM_COLUMN_MEAN : FM_COLUMN_COUNT, per_s);
}

static void add_row(struct fm_report *report, struct fm_table *table, const struct fm_counter_total *total, bool csv)
{
    const struct fm_spread *spread = &total->over_ranks->counts;
    uint64_t wall_ns = report->summary.wall_ns;
    double per_s = wall_ns ? (double)total->count * 1e9 / (double)wall_ns : NAN;
    bool no_rate = is_time(total) && !csv; /* seconds per second are no help */
    fm_cell_text(table, total->over_ranks->name);
    fm_cell_text(table, total->over_ranks->software ? "software" : "hardware");
    count_cell(table, total, total->count, csv);
    for (int mpi = 0; mpi < 2; mpi++) {
        if (total->split)
            count_cell(table, total, mpi ? total->in_mpi : total->in_program, csv);
        else
            fm_cell_none(table);
    }
    rate_cell(table, no_rate ? NAN : per_s, csv);
    rate_cell(table, no_rate || !total->split ? NAN : fm_counter_rate(total, wall_ns), csv);
    count_cell(table, total, spread->min, csv);
    fm_cell_whole(table, spread->min_rank);
    count_cell(table, total, spread->max, csv);
    fm_cell_whole(table, spread->max_rank);
    fm_cell_text(table, csv ? (total->scaled ? "1" : "0") : total->scaled ? "scaled" : "");
}

/* An event that never happened did not happen in MPI either, however it is read. */
static bool any_split(const struct fm_counter_totals *totals)
{
    for (size_t i = 0; i < totals->n; i++)
        if (totals->items[i].split && totals->items[i].count)
            return true;
    return false;
}

/* The text has one rate: that of the program if it is known. */
static bool is_shown(const struct fm_column *column, bool split)
{
    if (strcmp(column->key, "rate_per_s") == 0)
        return !split;
    return split ||
           (strcmp(column->key, "program") && strcmp(column->key, "mpi") && strcmp(column->key, "rate_program_per_s"));
}

static bool fill(struct fm_report *report, struct fm_table *table, const struct fm_counter_totals *totals, bool csv)
{
    enum { COLUMNS = sizeof columns / sizeof *columns };
    struct fm_column *shown = fm_arena_alloc(&report->arena, sizeof columns);
    if (!shown)
        return false;
    memcpy(shown, columns, sizeof columns);
    for (size_t i = 0; i < COLUMNS; i++)
        if (!is_shown(&shown[i], any_split(totals)))
            shown[i].heading = NULL;
    fm_table_start(table, &report->arena, shown, COLUMNS);
    for (size_t i = 0; i < totals->n; i++)
        add_row(report, table, &totals->items[i], csv);
    return true;
}

static enum fm_status no_memory(struct fm_error *error)
{
    return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the counters");
}

/* ---- sentences ---- */

/* What could not be counted, and why. Returns false if no note says so. */
static bool print_notes(struct fm_report *report, FILE *out)
{
    bool told = false;
    for (size_t i = 0; i < report->profile->n_notes; i++) {
        const struct fm_note *note = &report->profile->notes[i];
        if (note->code != FM_NOTE_NO_COUNTERS && note->code != FM_NOTE_UNKNOWN_COUNTER)
            continue;
        fm_print_note(report, note, out);
        told = true;
    }
    return told;
}

static void print_none(struct fm_report *report, FILE *out)
{
    if (!print_notes(report, out))
        fm_print_sentence(out,
                          "No counters: they were switched off (--counters off, FATHOM_COUNTERS=off), or the profile "
                          "is from an older version of Fathom.");
}

static bool was_asked(const struct fm_report *report)
{
    for (size_t i = 0; i < report->profile->job.n_env; i++)
        if (strcmp(report->profile->job.env[i].name, "FATHOM_COUNTERS") == 0)
            return true;
    return false;
}

static bool any_scaled(const struct fm_counter_totals *totals)
{
    for (size_t i = 0; i < totals->n; i++)
        if (totals->items[i].scaled)
            return true;
    return false;
}

static bool all_split(const struct fm_counter_totals *totals)
{
    for (size_t i = 0; i < totals->n; i++)
        if (!totals->items[i].split)
            return false;
    return true;
}

static void print_floating_point(const struct fm_counter_totals *totals, FILE *out)
{
    char rate[FM_UNIT_CHARS], number[FM_UNIT_CHARS], share[FM_UNIT_CHARS], per_cycle[64] = "", of_peak[96] = "";
    const struct fm_counter_total *counter = fm_counter_of(totals, FM_COUNTED_FLOPS);
    if (!counter || isnan(totals->flops_per_s))
        return;
    if (!isnan(totals->flops_per_cycle))
        snprintf(per_cycle, sizeof per_cycle, "; %s per cycle", fm_decimal_text(number, totals->flops_per_cycle, 2));
    if (!isnan(totals->of_peak))
        snprintf(of_peak, sizeof of_peak, ", %s of the estimated peak of %.0f per cycle",
                 fm_percent_fine(share, totals->of_peak), totals->peak_per_cycle);
    fm_print_sentence(out, "Floating point in the program: %s %s per second, all ranks%s%s.%s",
                      fm_count_text(rate, (uint64_t)totals->flops_per_s),
                      fm_counter_has_operations(counter) ? "operations" : "instructions", per_cycle, of_peak,
                      fm_counter_has_operations(counter)
                          ? ""
                          : " How many operations these are is not counted: there is no fraction of the peak.");
}

static void print_derived(const struct fm_counter_totals *totals, FILE *out)
{
    char ipc[FM_UNIT_CHARS], program[FM_UNIT_CHARS], bytes[FM_UNIT_CHARS], rate[FM_UNIT_CHARS];
    if (!isnan(totals->program_ipc))
        fm_print_sentence(out, "Instructions per cycle: %s in the program, %s with MPI.",
                          fm_decimal_text(program, totals->program_ipc, 2), fm_decimal_text(ipc, totals->ipc, 2));
    else if (!isnan(totals->ipc))
        fm_print_sentence(out, "Instructions per cycle: %s.", fm_decimal_text(ipc, totals->ipc, 2));
    print_floating_point(totals, out);
    if (!isnan(totals->memory_per_s))
        fm_print_sentence(out, "From memory: about %s, %s (an estimate: cache misses times the size of a cache line).",
                          fm_bytes_text(bytes, totals->memory_bytes), fm_rate_text(rate, totals->memory_per_s));
}

enum fm_status fm_view_counters_text(struct fm_report *report, FILE *out, struct fm_error *error)
{
    struct fm_counter_totals totals;
    struct fm_table table;
    if (!fm_counters_find(report->profile, &report->arena, &totals))
        return no_memory(error);
    fm_print_incomplete(report, out);
    if (fm_print_uncounted(report, out))
        return FM_OK;
    if (!totals.n) {
        print_none(report, out);
        return FM_OK;
    }
    if (totals.hardware)
        fm_print_sentence(out, "Events in user space, counted by the processor (perf).");
    else
        fm_print_sentence(out, was_asked(report) ? "Software events, counted by the kernel (perf)."
                                                 : "There are no hardware counters on this machine (no PMU, as in most "
                                                   "virtual machines): software events of the kernel instead.");
    print_notes(report, out);
    fm_print_scope(report, out);
    fputc('\n', out);
    if (!fill(report, &table, &totals, false))
        return no_memory(error);
    fm_table_print(&table, out);
    fputc('\n', out);
    print_derived(&totals, out);
    if (any_scaled(&totals))
        fm_print_sentence(out, "scaled: the event shared a hardware counter with others; extrapolated from the "
                               "time in which it was counted.");
    if (!all_split(&totals))
        fm_print_sentence(out,
                          "Not split between program and MPI: reading these events takes a system call, too slow for "
                          "every MPI call.");
    return FM_OK;
}

enum fm_status fm_view_counters_csv(struct fm_report *report, FILE *out, struct fm_error *error)
{
    struct fm_counter_totals totals;
    struct fm_table table;
    if (!fm_counters_find(report->profile, &report->arena, &totals))
        return no_memory(error);
    if (!fill(report, &table, &totals, true))
        return no_memory(error);
    fm_table_csv(&table, out);
    return FM_OK;
}

const char *fm_counters_sentence(struct fm_report *report)
{
    struct fm_counter_totals totals;
    char ipc[FM_UNIT_CHARS], rate[FM_UNIT_CHARS];
    if (!fm_counters_find(report->profile, &report->arena, &totals) || !totals.hardware)
        return "";
    double shown = isnan(totals.program_ipc) ? totals.ipc : totals.program_ipc;
    if (isnan(shown))
        return "";
    const struct fm_counter_total *first = &totals.items[0];
    double per_rank = fm_counter_rate(first, report->summary.wall_ns) / (double)first->over_ranks->counts.ranks;
    return fm_format(&report->arena, "Instructions per cycle%s: %s; %s %s per second and rank (--view counters).",
                     isnan(totals.program_ipc) ? "" : " in the program", fm_decimal_text(ipc, shown, 2),
                     fm_count_text(rate, (uint64_t)per_rank), first->over_ranks->name);
}
