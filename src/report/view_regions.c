/* SPDX-License-Identifier: BSD-3-Clause */
/* The regions of a program, nested ones indented, with their MPI time and heaviest routines. */
#include <string.h>

#include "analyse/balance/regions.h"
#include "base/units.h"
#include "report/views.h"

enum { NAMED_ROUTINES = 3 };

static const struct fm_column columns[] = {
    {"region", NULL, FM_COLUMN_TEXT},
    {NULL, "region", FM_COLUMN_TEXT},
    {"entries", "entries", FM_COLUMN_COUNT},
    {"wall", "wall_s", FM_COLUMN_TIME},
    {"longest", "rank_max_wall_s", FM_COLUMN_TIME},
    {"rank", "rank_max_wall_rank", FM_COLUMN_RANK},
    {"MPI", "mpi_s", FM_COLUMN_TIME},
    {"% in MPI", "fraction", FM_COLUMN_PERCENT},
    {NULL, "calls", FM_COLUMN_COUNT},
    {"top MPI routines", NULL, FM_COLUMN_TEXT},
    {NULL, NULL, FM_COLUMN_TEXT}, /* if there are several programs: the one that has it, or their number */
    {NULL, NULL, FM_COLUMN_TEXT}, /* the programs that have it */
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static const char *label(struct fm_report *report, const struct fm_region_total *total)
{
    if (total->depth == 0)
        return "(whole program)";
    return fm_format(&report->arena, "%*s%s", (int)(2 * total->depth), "", total->name);
}

static const char *heaviest(struct fm_report *report, const struct fm_region_total *total)
{
    const char *text = "";
    char share[FM_UNIT_CHARS];
    for (size_t i = 0; i < total->n_routines && i < NAMED_ROUTINES; i++) {
        const struct fm_region_routine *routine = &total->routines[i];
        double part = fm_ratio((double)routine->time_ns, (double)total->mpi_ns);
        if (i > 0 && part < 0.05)
            break;
        const char *name = strncmp(routine->name, "MPI_", 4) == 0 ? routine->name + 4 : routine->name;
        text = fm_format(&report->arena, "%s%s%s %s", text, i ? ", " : "", name, fm_percent_whole(share, part));
    }
    return text;
}

static void add_row(struct fm_report *report, struct fm_table *table, const struct fm_region_total *total)
{
    const struct fm_spread *wall = total->depth == 0 ? &report->summary.of.wall_ns
                                   : total->region   ? &total->region->wall_per_rank
                                                     : NULL;
    uint64_t wall_ns = total->depth == 0 ? report->summary.wall_sum_ns : total->wall_ns;
    fm_cell_text(table, label(report, total));
    fm_cell_text(table, total->path);
    bool known = total->depth == 0 || total->region || !report->profile->part;
    fm_cell_whole_or_none(table, total->entries, total->depth && known);
    fm_cell_whole_or_none(table, wall_ns, known);
    if (wall && wall->ranks) {
        fm_cell_whole(table, wall->max);
        fm_cell_whole(table, wall->max_rank);
    } else {
        fm_cell_none(table);
        fm_cell_none(table);
    }
    fm_cell_whole(table, total->mpi_ns);
    if (known)
        fm_cell_number(table, fm_ratio((double)total->mpi_ns, (double)wall_ns));
    else
        fm_cell_none(table);
    fm_cell_whole(table, total->calls);
    fm_cell_text(table, heaviest(report, total));
    bool whose = total->region && total->depth && report->programs.n;
    size_t n = 0;
    const char *programs = whose ? fm_report_labels(report, &total->region->ranks, &n) : "";
    fm_cell_text(table, n > 1 ? fm_format(&report->arena, "%zu programs", n) : programs);
    fm_cell_text(table, programs);
}

static enum fm_status fill(struct fm_report *report, struct fm_table *table, struct fm_column *shown,
                           struct fm_error *error)
{
    struct fm_region_totals totals;
    enum fm_status status = fm_regions_find(report->profile, &report->arena, &totals, error);
    if (status)
        return status;
    memcpy(shown, columns, sizeof columns);
    if (report->programs.n) {
        shown[COLUMNS - 2].heading = "program";
        shown[COLUMNS - 1].key = "programs";
    }
    fm_table_start(table, &report->arena, shown, COLUMNS);
    for (size_t i = 0; i < totals.n; i++)
        add_row(report, table, &totals.items[i]);
    return FM_OK;
}

enum fm_status fm_view_regions_text(struct fm_report *report, FILE *out, struct fm_error *error)
{
    struct fm_table table;
    struct fm_column shown[COLUMNS];
    enum fm_status status = fill(report, &table, shown, error);
    if (status)
        return status;
    fm_print_incomplete(report, out);
    if (fm_print_uncounted(report, out))
        return FM_OK;
    fm_print_scope(report, out);
    fm_print_sentence(
        out,
        "Figures include nested regions; longest: wall time of the slowest rank; %% in MPI: of the wall time; top MPI "
        "routines: in %% of the MPI time.");
    fputc('\n', out);
    fm_table_print(&table, out);
    fm_print_no_regions(report, out);
    return FM_OK;
}

enum fm_status fm_view_regions_csv(struct fm_report *report, FILE *out, struct fm_error *error)
{
    struct fm_table table;
    struct fm_column shown[COLUMNS];
    enum fm_status status = fill(report, &table, shown, error);
    if (!status)
        fm_table_csv(&table, out);
    return status;
}
