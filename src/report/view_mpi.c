/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI routines in detail: minimum and maximum of single calls and the spread over ranks; the same by call site, region,
 * communicator size or program; and histograms of call durations. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/balance/group.h"
#include "base/units.h"
#include "report/report_estimates.h"
#include "report/views.h"

enum { DEFAULT_ROWS = 20, HISTOGRAM_COLUMNS = 50, HISTOGRAM_ROUTINES = 6 };

/* ---- by routine ---- */

static const struct fm_column routine_columns[] = {
    {"routine", "routine", FM_COLUMN_TEXT},
    {"calls", "calls", FM_COLUMN_COUNT},
    {"time", "time_s", FM_COLUMN_TIME},
    {"% MPI", "fraction_of_mpi", FM_COLUMN_PERCENT},
    {"min", "min_s", FM_COLUMN_TIME},
    {NULL, "min_rank", FM_COLUMN_RANK},
    {"max", "max_s", FM_COLUMN_TIME},
    {"rank", "max_rank", FM_COLUMN_RANK},
    {NULL, "max_event", FM_COLUMN_COUNT},
    {"second", "second_s", FM_COLUMN_TIME},
    {"rank", "second_rank", FM_COLUMN_RANK},
    {NULL, "second_event", FM_COLUMN_COUNT},
    {NULL, "bytes", FM_COLUMN_BYTES},
    {NULL, "bytes_sent", FM_COLUMN_BYTES},
    {NULL, "bytes_received", FM_COLUMN_BYTES},
    {NULL, "messages", FM_COLUMN_COUNT},
    {"least", "rank_min_s", FM_COLUMN_TIME},
    {"rank", "rank_min_rank", FM_COLUMN_RANK},
    {"most", "rank_max_s", FM_COLUMN_TIME},
    {"rank", "rank_max_rank", FM_COLUMN_RANK},
    {NULL, "ranks", FM_COLUMN_COUNT},
    /* with a calibration */
    {NULL, "latency_s", FM_COLUMN_TIME},
    {NULL, "transfer_s", FM_COLUMN_TIME},
    {NULL, "synchronisation_s", FM_COLUMN_TIME},
    {NULL, "estimate", FM_COLUMN_TEXT},
};
enum { ESTIMATE_COLUMNS = 4, ROUTINE_COLUMNS = sizeof routine_columns / sizeof *routine_columns - ESTIMATE_COLUMNS };

static void extreme_cells(struct fm_table *table, const struct fm_extreme *extreme, bool with_event)
{
    if (extreme->event == 0) {
        for (int i = 0; i < 2 + with_event; i++)
            fm_cell_none(table);
        return;
    }
    fm_cell_whole(table, extreme->ns);
    fm_cell_whole(table, extreme->rank);
    if (with_event)
        fm_cell_whole(table, extreme->event);
}

/* May be unknown for a single program of a large job. */
static void spread_cells(struct fm_table *table, const struct fm_spread *spread)
{
    bool known = spread->ranks > 0;
    fm_cell_whole_or_none(table, spread->min, known);
    fm_cell_whole_or_none(table, spread->min_rank, known);
    fm_cell_whole_or_none(table, spread->max, known);
    fm_cell_whole_or_none(table, spread->max_rank, known);
    fm_cell_whole_or_none(table, spread->ranks, known);
}

/* estimates: NULL without a calibration. */
static void fill_routines(struct fm_report *report, struct fm_table *table, size_t rows,
                          const struct fm_estimate *estimates)
{
    const struct fm_summary *summary = &report->summary;
    fm_table_start(table, &report->arena, routine_columns, ROUTINE_COLUMNS + (estimates ? ESTIMATE_COLUMNS : 0));
    for (size_t i = 0; i < rows; i++) {
        const struct fm_routine_total *routine = summary->routines[i];
        const struct fm_stats *stats = &routine->stats;
        fm_cell_text(table, routine->name);
        fm_cell_whole(table, stats->count);
        fm_cell_whole(table, stats->total_ns);
        fm_cell_number(table, fm_ratio((double)stats->total_ns, (double)summary->routines_ns));
        extreme_cells(table, &stats->min, false);
        extreme_cells(table, &stats->max, true);
        extreme_cells(table, &stats->second, true);
        fm_cell_whole(table, stats->bytes);
        fm_cell_whole_or_none(table, stats->bytes_sent, stats->bytes_sent != FM_UNKNOWN);
        fm_cell_whole_or_none(table, stats->bytes_received, stats->bytes_received != FM_UNKNOWN);
        fm_cell_whole_or_none(table, stats->messages, stats->messages != FM_UNKNOWN);
        spread_cells(table, &routine->time_ns);
        if (estimates)
            fm_estimate_cells(report, table, &estimates[i]);
    }
}

/* Measurement ends where MPI_Finalize begins, so its time would be taken for that of a short call. */
static void print_finalize(const struct fm_summary *summary, size_t rows, FILE *out)
{
    for (size_t i = 0; i < rows; i++)
        if (strcmp(summary->routines[i]->name, "MPI_Finalize") == 0)
            fm_print_sentence(out, "MPI_Finalize is counted only: measurement ends where it begins.");
}

/* ---- by a part of the key ---- */

static const struct fm_column group_columns[] = {
    {"routine", "routine", FM_COLUMN_TEXT},
    {NULL, NULL, FM_COLUMN_TEXT}, /* what it is grouped by; set later */
    {NULL, NULL, FM_COLUMN_TEXT}, /* sites: function ... */
    {NULL, NULL, FM_COLUMN_TEXT}, /* ... its file ... */
    {NULL, NULL, FM_COLUMN_RANK}, /* ... and line, ... */
    {NULL, NULL, FM_COLUMN_TEXT}, /* ... module ... */
    {NULL, NULL, FM_COLUMN_TEXT}, /* ... build id ... */
    {NULL, NULL, FM_COLUMN_RANK}, /* ... and offset */
    {"calls", "calls", FM_COLUMN_COUNT},
    {"time", "time_s", FM_COLUMN_TIME},
    {"time/call", "time_per_call_s", FM_COLUMN_TIME},
    {"max", "max_s", FM_COLUMN_TIME},
    {"rank", "max_rank", FM_COLUMN_RANK},
    {NULL, "min_s", FM_COLUMN_TIME},
    {"bytes", "bytes", FM_COLUMN_BYTES},
    {"% MPI", "fraction_of_mpi", FM_COLUMN_PERCENT},
};
enum { GROUP_COLUMNS = sizeof group_columns / sizeof *group_columns };

static const struct {
    unsigned part;
    const char *heading, *plural;
} groupings[] = {
    [FM_REPORT_BY_ROUTINE] = {0, "", "routine"},
    [FM_REPORT_BY_SITE] = {FM_BY_SITE, "called from", "call site"},
    [FM_REPORT_BY_REGION] = {FM_BY_REGION, "region", "line"},
    [FM_REPORT_BY_COMM] = {FM_BY_COMM, "comm size", "line"},
    [FM_REPORT_BY_PROGRAM] = {0, "program", "line"},
};

static const char *group_label(struct fm_report *report, const struct fm_event_key *key)
{
    switch (report->options.by) {
    case FM_REPORT_BY_SITE:
        return fm_site_text(report, &key->site, key->routine);
    case FM_REPORT_BY_REGION:
        return key->region[0] ? key->region : "(outside)";
    case FM_REPORT_BY_PROGRAM:
        return key->region;
    default:
        return key->comm_size ? fm_format(&report->arena, "%u", key->comm_size) : "-";
    }
}

static const char *group_key(enum fm_report_by by)
{
    return by == FM_REPORT_BY_COMM ? "comm_size" : by == FM_REPORT_BY_SITE ? "site" : groupings[by].heading;
}

static const char *const site_keys[] = {"function", "path", "line", "module", "build_id", "offset"};

static void site_cells(struct fm_report *report, struct fm_table *table, const struct fm_event_key *key)
{
    const struct fm_site *site = &key->site;
    const struct fm_symbol *place = fm_site_place(report, site, key->routine);
    fm_cell_text(table, place ? place->function : "");
    fm_cell_text(table, place ? place->path : "");
    if (place && place->line)
        fm_cell_whole(table, place->line);
    else
        fm_cell_none(table);
    fm_cell_text(table, site->module);
    fm_cell_text(table, site->build_id);
    fm_cell_whole(table, site->offset);
}

/* For a call in an inlined function: the functions that it was inlined into, from the inside out. For one in a function
 * that was inferred: the call of it that was recorded. */
static void caller_lines(struct fm_report *report, struct fm_table *table, const struct fm_event_key *key)
{
    const struct fm_site_frames found = fm_site_frames(report, &key->site, key->routine);
    for (size_t i = found.frames.n; i-- > 1;)
        fm_cell_line(table,
                     fm_format(&report->arena, "  inlined into %s", fm_frame_text(report, &found.frames.items[i - 1])));
    const char *how = found.callers_missing ? "tail calls, not all known" : "tail call, inferred";
    if (found.inferred)
        fm_cell_line(table,
                     fm_format(&report->arena, "  %s; called from %s", how, fm_site_text(report, &key->site, NULL)));
    else if (found.callers_missing)
        fm_cell_line(table, fm_format(&report->arena, "  %s", how));
}

/* Explains why sites have no name or line. */
static void print_site_hints(struct fm_report *report, const struct fm_groups *groups, size_t rows, FILE *out)
{
    bool no_name = false, no_line = false;
    for (size_t i = 0; i < rows; i++) {
        const struct fm_event_key *key = &groups->items[i].key;
        const struct fm_site_frames found = fm_site_frames(report, &key->site, key->routine);
        no_name |= !found.frames.known && key->site.module[0];
        no_line |= found.frames.known && !found.inferred && !found.frames.items[found.frames.n - 1].line;
    }
    if (no_name || no_line)
        fputc('\n', out);
    if (no_name)
        fm_print_sentence(
            out, "PROGRAM+OFFSET: return address; the program has no symbols there, or has changed since the run.");
    if (no_line)
        fputs("Functions without a line were compiled without -g.\n", out);
}

static void fill_groups(struct fm_report *report, struct fm_table *table, struct fm_column *columns,
                        const struct fm_groups *groups, size_t rows)
{
    memcpy(columns, group_columns, sizeof group_columns);
    columns[1].heading = groupings[report->options.by].heading;
    columns[1].key = group_key(report->options.by);
    if (report->options.by == FM_REPORT_BY_SITE)
        for (size_t i = 0; i < sizeof site_keys / sizeof *site_keys; i++)
            columns[2 + i].key = site_keys[i];
    fm_table_start(table, &report->arena, columns, GROUP_COLUMNS);
    for (size_t i = 0; i < rows; i++) {
        const struct fm_event *event = &groups->items[i];
        fm_cell_text(table, event->key.routine);
        fm_cell_text(table, group_label(report, &event->key));
        site_cells(report, table, &event->key);
        fm_cell_whole(table, event->stats.count);
        fm_cell_whole(table, event->stats.total_ns);
        fm_cell_number(table, fm_ratio((double)event->stats.total_ns, (double)event->stats.count));
        extreme_cells(table, &event->stats.max, false);
        fm_cell_whole_or_none(table, event->stats.min.ns, event->stats.min.ns != FM_UNKNOWN);
        if (event->stats.bytes)
            fm_cell_whole(table, event->stats.bytes);
        else
            fm_cell_none(table);
        fm_cell_number(table, fm_ratio((double)event->stats.total_ns, (double)report->summary.routines_ns));
        if (report->options.by == FM_REPORT_BY_SITE)
            caller_lines(report, table, &event->key);
    }
}

/* ---- histograms ---- */

static void print_histogram(struct fm_report *report, const struct fm_routine_total *routine, FILE *out)
{
    static const struct fm_column columns[] = {
        {"from", NULL, FM_COLUMN_TIME},
        {"calls", NULL, FM_COLUMN_COUNT},
        {"", NULL, FM_COLUMN_BAR},
    };
    const uint64_t *bins = routine->stats.histogram.bins;
    unsigned first = 0, last = FM_DURATION_BINS;
    uint64_t max = 0;
    while (first < FM_DURATION_BINS && bins[first] == 0)
        first++;
    while (last > first && bins[last - 1] == 0)
        last--;
    for (unsigned bin = first; bin < last; bin++)
        max = bins[bin] > max ? bins[bin] : max;
    struct fm_table table;
    fm_table_start(&table, &report->arena, columns, sizeof columns / sizeof *columns);
    table.indent = 2;
    for (unsigned bin = first; bin < last; bin++) {
        fm_cell_whole(&table, fm_duration_bin_from(bin));
        fm_cell_whole(&table, bins[bin]);
        fm_cell_text(&table, fm_bar(report, (double)bins[bin], (double)max, HISTOGRAM_COLUMNS));
    }
    fputc('\n', out);
    fm_print_text(out, routine->name);
    fputc('\n', out);
    fm_table_print(&table, out);
}

/* ---- by program ---- */

static int heaviest_first(const void *a, const void *b)
{
    const struct fm_event *x = a, *y = b;
    if (x->stats.total_ns != y->stats.total_ns)
        return x->stats.total_ns < y->stats.total_ns ? 1 : -1;
    int order = strcmp(x->key.routine, y->key.routine);
    return order ? order : strcmp(x->key.region, y->key.region);
}

/* Events with the program in place of the region. */
/* `unknown` is the number of routines that cannot be split. */
static enum fm_status group_by_program(struct fm_report *report, struct fm_groups *groups, size_t *unknown,
                                       struct fm_error *error)
{
    const struct fm_profile *profile = report->profile;
    size_t capacity = 0;
    *groups = (struct fm_groups){0};
    if (!profile->n_programs)
        return fm_fail(
            error, FM_ERR_INPUT,
            "the profile does not list the programs of the job: it was written by an older version of Fathom");
    for (size_t i = 0; i < profile->n_programs; i++) {
        struct fm_report one;
        enum fm_status status = fm_report_program(report, i, FM_PART_CALLS, &one, error);
        if (status)
            return status;
        void *grown = fm_arena_grow(&report->arena, groups->items, &capacity, groups->n + one.profile->n_routines,
                                    sizeof *groups->items);
        if (!grown)
            return fm_fail(error, FM_ERR_MEMORY, "not enough memory to group %zu routines", profile->n_routines);
        groups->items = grown;
        *unknown = one.profile->part && one.profile->part->routines > *unknown ? one.profile->part->routines : *unknown;
        for (size_t r = 0; r < one.profile->n_routines; r++)
            groups->items[groups->n++] = (struct fm_event){
                .key = {one.profile->routines[r].name, one.summary.name, 0, 0, {"", "", 0}},
                .stats = one.profile->routines[r].stats,
            };
    }
    qsort(groups->items, groups->n, sizeof *groups->items, heaviest_first);
    return FM_OK;
}

/* ---- view ---- */

static enum fm_status print_groups(struct fm_report *report, FILE *out, bool csv, struct fm_error *error)
{
    struct fm_groups groups;
    struct fm_table table;
    size_t unknown = 0;
    struct fm_column columns[GROUP_COLUMNS];
    unsigned parts = FM_BY_ROUTINE | groupings[report->options.by].part;
    enum fm_status status = report->options.by == FM_REPORT_BY_PROGRAM
                                ? group_by_program(report, &groups, &unknown, error)
                                : fm_group_events(report->profile, parts, &report->arena, &groups, error);
    if (status)
        return status;
    size_t rows = csv ? groups.n : fm_report_rows(report, groups.n, DEFAULT_ROWS);
    if (report->options.by == FM_REPORT_BY_SITE)
        fm_report_resolve(report);
    fill_groups(report, &table, columns, &groups, rows);
    if (csv) {
        fm_table_csv(&table, out);
        return FM_OK;
    }
    fm_table_print(&table, out);
    fm_print_more(out, rows, groups.n, groupings[report->options.by].plural);
    if (unknown)
        fm_print_sentence(
            out, "Not included: %zu routine%s; the profile of this large job has only the sum over all programs.",
            unknown, unknown == 1 ? "" : "s");
    if (report->options.by == FM_REPORT_BY_SITE && groups.items)
        print_site_hints(report, &groups, rows, out);
    if (report->options.by == FM_REPORT_BY_REGION)
        fm_print_no_regions(report, out);
    return FM_OK;
}

enum fm_status fm_view_mpi_text(struct fm_report *report, FILE *out, struct fm_error *error)
{
    const struct fm_summary *summary = &report->summary;
    struct fm_table table;
    fm_print_incomplete(report, out);
    if (fm_print_uncounted(report, out))
        return FM_OK;
    if (summary->n_routines == 0) {
        if (!report->profile->part || !report->profile->part->routines)
            fputs("No MPI routine was called.\n", out);
        return FM_OK;
    }
    fm_print_scope(report, out);
    fputc('\n', out);
    if (report->options.by != FM_REPORT_BY_ROUTINE) {
        enum fm_status status = print_groups(report, out, false, error);
        if (status)
            return status;
    } else {
        size_t rows = fm_report_rows(report, summary->n_routines, DEFAULT_ROWS);
        fill_routines(report, &table, rows, NULL);
        fm_table_print(&table, out);
        fm_print_more(out, rows, summary->n_routines, "routine");
        fputc('\n', out);
        fm_print_sentence(out, "min, max, second: shortest, longest and second longest call; least, most: all calls of "
                               "one rank; rank: that of the column before it.");
        print_finalize(summary, rows, out);
        enum fm_status status = fm_print_estimates(report, rows, out, error);
        if (status)
            return status;
    }
    size_t histograms = report->options.histogram ? fm_report_rows(report, summary->n_routines, HISTOGRAM_ROUTINES) : 0;
    for (size_t i = 0; i < histograms; i++)
        print_histogram(report, summary->routines[i], out);
    if (report->options.histogram)
        fm_print_more(out, histograms, summary->n_routines, "routine");
    return FM_OK;
}

static void histogram_csv(struct fm_report *report, FILE *out)
{
    static const struct fm_column columns[] = {
        {NULL, "routine", FM_COLUMN_TEXT},
        {NULL, "from_s", FM_COLUMN_TIME},
        {NULL, "calls", FM_COLUMN_COUNT},
    };
    struct fm_table table;
    fm_table_start(&table, &report->arena, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < report->summary.n_routines; i++) {
        const struct fm_routine_total *routine = report->summary.routines[i];
        for (unsigned bin = 0; bin < FM_DURATION_BINS; bin++) {
            if (routine->stats.histogram.bins[bin] == 0)
                continue;
            fm_cell_text(&table, routine->name);
            fm_cell_whole(&table, fm_duration_bin_from(bin));
            fm_cell_whole(&table, routine->stats.histogram.bins[bin]);
        }
    }
    fm_table_csv(&table, out);
}

enum fm_status fm_view_mpi_csv(struct fm_report *report, FILE *out, struct fm_error *error)
{
    struct fm_table table;
    if (report->options.histogram) {
        histogram_csv(report, out);
        return FM_OK;
    }
    if (report->options.by != FM_REPORT_BY_ROUTINE)
        return print_groups(report, out, true, error);
    struct fm_report_estimates estimates;
    enum fm_status status = fm_report_estimates(report, &estimates, error);
    if (status)
        return status;
    fill_routines(report, &table, report->summary.n_routines, estimates.routines);
    fm_table_csv(&table, out);
    return FM_OK;
}
