/* SPDX-License-Identifier: BSD-3-Clause */
/* The snapshots that the program took, in the order in which they were taken. */
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "model/note_codes.h"
#include "report/views.h"

enum { DEFAULT_ROUTINES = 5 };

static const struct fm_column columns[] = {
    {"snapshot", "label", FM_COLUMN_TEXT}, {NULL, "order", FM_COLUMN_COUNT},    {"of", "of", FM_COLUMN_TEXT},
    {"after", "when_s", FM_COLUMN_TIME},   {"in MPI", "mpi_s", FM_COLUMN_TIME}, {"routine", "routine", FM_COLUMN_TEXT},
    {"calls", "calls", FM_COLUMN_COUNT},   {"time", "time_s", FM_COLUMN_TIME},  {"bytes", "bytes", FM_COLUMN_BYTES},
};

static int by_moment(const void *a, const void *b)
{
    const struct fm_snapshot *x = *(const struct fm_snapshot *const *)a, *y = *(const struct fm_snapshot *const *)b;
    if (x->when_ns != y->when_ns)
        return x->when_ns < y->when_ns ? -1 : 1;
    return (x > y) - (x < y); /* then in the order of the profile */
}

static int by_time(const void *a, const void *b)
{
    const struct fm_snapshot_routine *x = a, *y = b;
    if (x->total_ns != y->total_ns)
        return x->total_ns < y->total_ns ? 1 : -1;
    return strcmp(x->name, y->name);
}

static const char *ranks_covered(struct fm_report *report, const struct fm_snapshot *snapshot)
{
    if (snapshot->collective)
        return fm_format(&report->arena, "%u rank%s", snapshot->ranks, snapshot->ranks == 1 ? "" : "s");
    return fm_format(&report->arena, "rank %u", snapshot->rank);
}

static bool add_snapshot(struct fm_report *report, struct fm_table *table, const struct fm_snapshot *snapshot, bool csv)
{
    struct fm_snapshot_routine *routines = fm_arena_alloc(&report->arena, snapshot->n_routines * sizeof *routines);
    if (!routines)
        return false;
    if (snapshot->n_routines)
        memcpy(routines, snapshot->routines, snapshot->n_routines * sizeof *routines);
    qsort(routines, snapshot->n_routines, sizeof *routines, by_time);
    size_t rows = csv ? snapshot->n_routines : fm_report_rows(report, snapshot->n_routines, DEFAULT_ROUTINES);
    for (size_t i = 0; i < rows || i == 0; i++) {
        bool named = csv || i == 0;
        fm_cell_text(table, named ? snapshot->label : "");
        fm_cell_whole(table, snapshot->order);
        fm_cell_text(table, named ? ranks_covered(report, snapshot) : "");
        if (named) {
            fm_cell_whole(table, snapshot->when_ns);
            fm_cell_whole(table, snapshot->mpi_ns);
        } else {
            fm_cell_none(table);
            fm_cell_none(table);
        }
        if (rows == 0) {
            for (int empty = 0; empty < 4; empty++)
                fm_cell_none(table);
            break;
        }
        fm_cell_text(table, routines[i].name);
        fm_cell_whole(table, routines[i].count);
        fm_cell_whole(table, routines[i].total_ns);
        if (csv || routines[i].bytes)
            fm_cell_whole(table, routines[i].bytes);
        else
            fm_cell_none(table);
    }
    return true;
}

static enum fm_status fill(struct fm_report *report, struct fm_table *table, bool csv, struct fm_error *error)
{
    const struct fm_profile *profile = report->profile;
    const struct fm_snapshot **sorted = fm_arena_alloc(&report->arena, profile->n_snapshots * sizeof *sorted);
    if (!sorted)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for %zu snapshots", profile->n_snapshots);
    for (size_t i = 0; i < profile->n_snapshots; i++)
        sorted[i] = &profile->snapshots[i];
    qsort(sorted, profile->n_snapshots, sizeof *sorted, by_moment);
    fm_table_start(table, &report->arena, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < profile->n_snapshots; i++)
        if (!add_snapshot(report, table, sorted[i], csv))
            return fm_fail(error, FM_ERR_MEMORY, "not enough memory for %zu snapshots", profile->n_snapshots);
    return FM_OK;
}

static void print_dropped(struct fm_report *report, FILE *out)
{
    for (size_t i = 0; i < report->profile->n_notes; i++) {
        const struct fm_note *note = &report->profile->notes[i];
        if (note->code == FM_NOTE_REFUSED_SUBTOTALS || note->code == FM_NOTE_SUBTOTALS_LEFT_OUT)
            fm_print_note(report, note, out);
    }
}

enum fm_status fm_view_snapshots_text(struct fm_report *report, FILE *out, struct fm_error *error)
{
    struct fm_table table;
    enum fm_status status = fill(report, &table, false, error);
    if (status)
        return status;
    fm_print_incomplete(report, out);
    if (fm_print_uncounted(report, out))
        return FM_OK;
    if (report->profile->n_snapshots == 0) {
        fputs("The program took no snapshots: MPI_Pcontrol(2, \"label\") takes one of a process,\n"
              "(3, \"label\") one of all.\n",
              out);
        return FM_OK;
    }
    fputs("Totals from the start of the program to the snapshot, over the ranks it covers.\n\n", out);
    fm_table_print(&table, out);
    print_dropped(report, out);
    return FM_OK;
}

enum fm_status fm_view_snapshots_csv(struct fm_report *report, FILE *out, struct fm_error *error)
{
    struct fm_table table;
    enum fm_status status = fill(report, &table, true, error);
    if (!status)
        fm_table_csv(&table, out);
    return status;
}
