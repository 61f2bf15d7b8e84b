/* SPDX-License-Identifier: BSD-3-Clause */
/* Message sizes: calls, bytes and time by routine and size. */
#include <string.h>

#include "analyse/balance/group.h"
#include "base/units.h"
#include "report/views.h"

enum { BAR_COLUMNS = 30, DEFAULT_ROUTINES = 10 };

static const struct fm_column columns[] = {
    {"routine", "routine", FM_COLUMN_TEXT},
    {"size", NULL, FM_COLUMN_BAR},
    {NULL, "from_bytes", FM_COLUMN_BYTES},
    {NULL, "to_bytes", FM_COLUMN_BYTES},
    {"calls", "calls", FM_COLUMN_COUNT},
    {"bytes", "bytes", FM_COLUMN_BYTES},
    {"time", "time_s", FM_COLUMN_TIME},
    {"time/call", "time_per_call_s", FM_COLUMN_TIME},
    {"", NULL, FM_COLUMN_BAR},
};

/* Bins are powers of two, so their bounds are integers in some unit: "64..127 B", "512 KiB..1 MiB". */
static const char *bin_text(struct fm_report *report, unsigned bin)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bin <= FM_SIZE_ZERO)
        return "0 B";
    unsigned power = bin - 2, unit = power / 10, next = (power + 1) / 10;
    unsigned from = 1u << power % 10, to = 1u << (power + 1) % 10;
    if (power == 0)
        return "1 B";
    if (unit == 0)
        return fm_format(&report->arena, "%u..%u B", from, 2 * from - 1);
    if (unit == next)
        return fm_format(&report->arena, "%u..%u %s", from, to, units[unit]);
    return fm_format(&report->arena, "%u %s..%u %s", from, units[unit], to, units[next]);
}

static const struct fm_event *find(const struct fm_groups *groups, const char *routine, unsigned bin)
{
    for (size_t i = 0; i < groups->n; i++)
        if (groups->items[i].key.size_bin == bin && strcmp(groups->items[i].key.routine, routine) == 0)
            return &groups->items[i];
    return NULL;
}

static void add_row(struct fm_report *report, struct fm_table *table, const struct fm_event *event, bool named,
                    double longest)
{
    unsigned bin = event->key.size_bin;
    fm_cell_text(table, named ? event->key.routine : "");
    fm_cell_text(table, bin_text(report, bin));
    fm_cell_whole(table, fm_size_bin_from(bin));
    fm_cell_whole(table, fm_size_bin_to(bin));
    fm_cell_whole(table, event->stats.count);
    fm_cell_whole(table, event->stats.bytes);
    fm_cell_whole(table, event->stats.total_ns);
    fm_cell_number(table, fm_ratio((double)event->stats.total_ns, (double)event->stats.count));
    fm_cell_text(table, fm_bar(report, (double)event->stats.total_ns, longest, BAR_COLUMNS));
}

static bool has_sizes(const struct fm_groups *groups, const char *routine)
{
    for (size_t i = 0; i < groups->n; i++)
        if (groups->items[i].key.size_bin != FM_SIZE_NONE && strcmp(groups->items[i].key.routine, routine) == 0)
            return true;
    return false;
}

/* Routines by time, and sizes in ascending order. CSV has the routine in every line. */
static size_t fill(struct fm_report *report, struct fm_table *table, const struct fm_groups *groups, size_t routines,
                   bool csv)
{
    double longest = 0;
    size_t shown = 0;
    for (size_t i = 0; i < groups->n; i++)
        if (groups->items[i].key.size_bin != FM_SIZE_NONE && (double)groups->items[i].stats.total_ns > longest)
            longest = (double)groups->items[i].stats.total_ns;
    fm_table_start(table, &report->arena, columns, sizeof columns / sizeof *columns);
    for (size_t r = 0; r < report->summary.n_routines && shown < routines; r++) {
        const char *routine = report->summary.routines[r]->name;
        bool first = true;
        for (unsigned bin = FM_SIZE_ZERO; bin < FM_SIZE_BINS; bin++) {
            const struct fm_event *event = find(groups, routine, bin);
            if (!event)
                continue;
            add_row(report, table, event, first || csv, longest);
            first = false;
        }
        shown += !first;
    }
    return shown;
}

enum fm_status fm_view_sizes_text(struct fm_report *report, FILE *out, struct fm_error *error)
{
    struct fm_groups groups;
    struct fm_table table;
    enum fm_status status = fm_group_events(report->profile, FM_BY_ROUTINE | FM_BY_SIZE, &report->arena, &groups,
                                            error);
    if (status)
        return status;
    fm_print_incomplete(report, out);
    if (fm_print_uncounted(report, out))
        return FM_OK;
    size_t sized = 0;
    for (size_t r = 0; r < report->summary.n_routines; r++)
        sized += has_sizes(&groups, report->summary.routines[r]->name);
    if (sized == 0) {
        fputs("No MPI call carried data.\n", out);
        return FM_OK;
    }
    fm_print_scope(report, out);
    fputs("Size: payload of one call. Bars: time.\n\n", out);
    size_t shown = fill(report, &table, &groups, fm_report_rows(report, sized, DEFAULT_ROUTINES), false);
    fm_table_print(&table, out);
    fm_print_more(out, shown, sized, "routine");
    return FM_OK;
}

enum fm_status fm_view_sizes_csv(struct fm_report *report, FILE *out, struct fm_error *error)
{
    struct fm_groups groups;
    struct fm_table table;
    enum fm_status status = fm_group_events(report->profile, FM_BY_ROUTINE | FM_BY_SIZE, &report->arena, &groups,
                                            error);
    if (status)
        return status;
    fill(report, &table, &groups, SIZE_MAX, true);
    fm_table_csv(&table, out);
    return FM_OK;
}
