/* SPDX-License-Identifier: BSD-3-Clause */
/* Load balance as a character chart: ranks sorted by their MPI time, the heavy routines stacked; one chart per program
 * if there are several. */
#include <math.h>

#include "base/units.h"
#include "report/views.h"

enum { MAX_ROWS = 40, BAR_COLUMNS = 50, LABEL_COLUMNS = 18, DEFAULT_PROGRAMS = 8 };

static const char glyphs[] = "#=+o:x-~"; /* one per heavy routine: FM_MAX_HEAVY */
static const char OTHER = '.';

/* ---- chart ---- */

/* Entries first .. first + n - 1 of the order share a row; a row never spans two groups. */
struct rank_row {
    size_t first, n;
};

/* Splits the groups into rows in proportion to their size, with at least one row each. */
static size_t make_rows(const struct fm_report *report, size_t max_rows, struct rank_row *rows, size_t *row_group)
{
    const struct fm_balance *balance = &report->balance;
    size_t n_rows = 0;
    size_t spare = max_rows - balance->n_groups;
    for (size_t g = 0; g < balance->n_groups; g++) {
        const struct fm_balance_group *group = &balance->groups[g];
        size_t share = balance->n <= max_rows ? group->n : 1 + spare * group->n / balance->n;
        share = share < group->n ? share : group->n;
        for (size_t r = 0; r < share; r++) {
            size_t from = group->n * r / share, to = group->n * (r + 1) / share;
            row_group[n_rows] = g;
            rows[n_rows++] = (struct rank_row){group->first + from, to - from};
        }
    }
    return n_rows;
}

static double mean_of(const uint64_t *values, const struct rank_row *row)
{
    double sum = 0;
    for (size_t i = 0; i < row->n; i++)
        sum += (double)values[row->first + i];
    return sum / (double)row->n;
}

static double mean_mpi(const struct fm_balance *balance, const struct rank_row *row)
{
    double sum = 0;
    for (size_t i = 0; i < row->n; i++)
        sum += (double)balance->order[row->first + i].mpi_ns;
    return sum / (double)row->n;
}

/* Rounds the ends of the segments, not their lengths, so that the bar as a whole has the right length. */
static const char *stacked_bar(struct fm_report *report, const struct rank_row *row, double full_ns)
{
    const struct fm_balance *balance = &report->balance;
    char bar[BAR_COLUMNS + 1];
    double end_ns = 0, total_ns = mean_mpi(balance, row);
    size_t at = 0;
    for (size_t h = 0; h <= balance->n_heavy; h++) {
        bool rest = h == balance->n_heavy;
        if (!rest && !balance->heavy[h].time_ns)
            continue;
        end_ns = rest ? total_ns : end_ns + mean_of(balance->heavy[h].time_ns, row);
        size_t end = (size_t)(fm_ratio(end_ns, full_ns) * BAR_COLUMNS + 0.5);
        for (; at < end && at < BAR_COLUMNS; at++)
            bar[at] = rest ? OTHER : glyphs[h];
    }
    bar[at] = 0;
    return fm_format(&report->arena, "%s", bar);
}

static const char *row_ranks(struct fm_report *report, const struct rank_row *row)
{
    struct fm_rankset set = {0};
    for (size_t i = 0; i < row->n; i++)
        if (!fm_rankset_add(&set, &report->arena, report->balance.order[row->first + i].rank,
                            report->balance.order[row->first + i].rank))
            return "";
    const char *text = fm_rankset_text(&set, &report->arena, row->n == 1 ? 0 : LABEL_COLUMNS);
    return text ? text : "";
}

static const struct fm_column picture_columns[] = {
    {"rank", NULL, FM_COLUMN_BAR},
    {"in MPI", NULL, FM_COLUMN_TIME},
    {"% wall", NULL, FM_COLUMN_PERCENT},
    {"", NULL, FM_COLUMN_BAR},
};

static void print_picture(struct fm_report *report, FILE *out)
{
    const struct fm_balance *balance = &report->balance;
    struct rank_row rows[MAX_ROWS];
    size_t row_group[MAX_ROWS];
    char jump[FM_UNIT_CHARS];
    struct fm_table table;
    size_t n_rows = make_rows(report, MAX_ROWS - balance->n_groups + 1, rows, row_group);
    fm_table_start(&table, &report->arena, picture_columns, sizeof picture_columns / sizeof *picture_columns);
    for (size_t r = 0; r < n_rows; r++) {
        if (r && row_group[r] != row_group[r - 1])
            fm_cell_line(&table, fm_format(&report->arena, "-- jump of %s --",
                                           fm_time_text(jump, (double)balance->groups[row_group[r]].jump_ns)));
        double wall = 0;
        for (size_t i = 0; i < rows[r].n; i++)
            wall += (double)balance->order[rows[r].first + i].wall_ns;
        fm_cell_text(&table, row_ranks(report, &rows[r]));
        fm_cell_number(&table, mean_mpi(balance, &rows[r]));
        fm_cell_number(&table, fm_ratio(mean_mpi(balance, &rows[r]) * (double)rows[r].n, wall));
        fm_cell_text(&table, stacked_bar(report, &rows[r], (double)report->summary.of.mpi_ns.max));
    }
    fm_table_print(&table, out);
}

static void print_legend(struct fm_report *report, FILE *out)
{
    const struct fm_balance *balance = &report->balance;
    const char *text = "";
    for (size_t h = 0; h < balance->n_heavy; h++)
        if (balance->heavy[h].time_ns)
            text = fm_format(&report->arena, "%s%c %s, ", text, glyphs[h], balance->heavy[h].routine->name);
    fm_print_folded(out, fm_format(&report->arena, "%s%c %s", text, OTHER, text[0] ? "other MPI" : "MPI"), 2);
}

/* ---- groups ---- */

static const struct fm_column group_columns[] = {
    {"ranks", NULL, FM_COLUMN_TEXT}, {"number", NULL, FM_COLUMN_COUNT}, {"in MPI, min", NULL, FM_COLUMN_TIME},
    {"mean", NULL, FM_COLUMN_TIME},  {"max", NULL, FM_COLUMN_TIME},     {"vs. rest", NULL, FM_COLUMN_TEXT},
};

static void print_groups(struct fm_report *report, FILE *out)
{
    const struct fm_balance *balance = &report->balance;
    char difference[FM_UNIT_CHARS];
    struct fm_table table;
    fm_table_start(&table, &report->arena, group_columns, sizeof group_columns / sizeof *group_columns);
    for (size_t g = 0; g < balance->n_groups; g++) {
        const struct fm_balance_group *group = &balance->groups[g];
        const char *ranks = fm_rankset_text(&group->ranks, &report->arena, 48);
        fm_cell_text(&table, ranks ? ranks : "");
        fm_cell_whole(&table, group->n);
        fm_cell_number(&table, (double)fm_balance_group_min(balance, group));
        fm_cell_number(&table, group->mean_ns);
        fm_cell_number(&table, (double)fm_balance_group_max(balance, group));
        fm_cell_text(&table, fm_format(&report->arena, "%s %s", fm_time_text(difference, fabs(group->difference_ns)),
                                       group->difference_ns < 0 ? "less" : "more"));
    }
    fm_table_print(&table, out);
    fputc('\n', out);
}

static void print_ranks(struct fm_report *report, FILE *out)
{
    const struct fm_summary *summary = &report->summary;
    char balance[FM_UNIT_CHARS], communication[FM_UNIT_CHARS], parallel[FM_UNIT_CHARS];
    if (summary->measured > 1)
        fm_print_folded(out, fm_balance_sentence(report), 2);
    if (fm_end_sentence(report)[0])
        fm_print_folded(out, fm_end_sentence(report), 2);
    fm_print_sentence(out, "Parallel efficiency %s (work / wall time) = load balance %s x communication efficiency %s.",
                      fm_percent_whole(parallel, report->factors.parallel),
                      fm_percent_whole(balance, report->factors.load_balance),
                      fm_percent_whole(communication, report->factors.communication));
    fputc('\n', out);
    if (report->balance.n_groups > 1)
        print_groups(report, out);
    print_picture(report, out);
    print_legend(report, out);
}

/* Prints a table of all programs, then each program on its own. */
static enum fm_status print_programs(struct fm_report *report, FILE *out, struct fm_error *error)
{
    size_t n = report->profile->n_programs, shown = fm_report_rows(report, n, DEFAULT_PROGRAMS);
    enum fm_status status = fm_print_programs(report, out, error);
    for (size_t i = 0; i < shown && !status; i++) {
        struct fm_report one;
        status = fm_report_program(report, i, FM_PART_CALLS, &one, error);
        if (status || !one.summary.mpi_sum_ns)
            continue;
        fputc('\n', out);
        fm_print_folded(out, fm_format(&report->arena, "%s.", fm_part_headline(&one)), 2);
        print_ranks(&one, out);
    }
    if (shown < n)
        fputc('\n', out);
    fm_print_more(out, shown, n, "program");
    return status;
}

enum fm_status fm_view_balance_text(struct fm_report *report, FILE *out, struct fm_error *error)
{
    const struct fm_summary *summary = &report->summary;
    fm_print_incomplete(report, out);
    if (fm_print_uncounted(report, out))
        return FM_OK;
    if (summary->measured == 0 || summary->mpi_sum_ns == 0) {
        fputs("No MPI time was measured, so there is no balance to show.\n", out);
        return FM_OK;
    }
    if (report->programs.n)
        return print_programs(report, out, error);
    print_ranks(report, out);
    return FM_OK;
}

/* One line per rank, with its time in each heavy routine for which the profile has values per rank. */
static void fill_ranks(struct fm_table *table, const struct fm_balance *balance, const struct fm_balance *of,
                       const char *program)
{
    for (size_t g = 0; g < of->n_jumps; g++) {
        for (size_t i = of->jumps[g].first; i < of->jumps[g].first + of->jumps[g].n; i++) {
            fm_cell_whole(table, of->order[i].rank);
            fm_cell_text(table, program);
            fm_cell_whole(table, g);
            fm_cell_whole(table, of->order[i].wall_ns);
            fm_cell_whole(table, of->order[i].mpi_ns);
            for (size_t h = 0; h < balance->n_heavy; h++)
                if (balance->heavy[h].time_ns)
                    fm_cell_whole(table, fm_balance_time(balance->heavy[h].routine, of->order[i].rank));
        }
    }
}

enum fm_status fm_view_balance_csv(struct fm_report *report, FILE *out, struct fm_error *error)
{
    const struct fm_balance *balance = &report->balance;
    struct fm_column columns[5 + FM_MAX_HEAVY] = {
        {NULL, "rank", FM_COLUMN_RANK},   {NULL, report->programs.n ? "program" : NULL, FM_COLUMN_TEXT},
        {NULL, "group", FM_COLUMN_COUNT}, {NULL, "wall_s", FM_COLUMN_TIME},
        {NULL, "mpi_s", FM_COLUMN_TIME},
    };
    size_t n_columns = 5;
    for (size_t h = 0; h < balance->n_heavy; h++)
        if (balance->heavy[h].time_ns)
            columns[n_columns++] = (struct fm_column){
                NULL, fm_format(&report->arena, "%s_s", balance->heavy[h].routine->name), FM_COLUMN_TIME};
    struct fm_table table;
    fm_table_start(&table, &report->arena, columns, n_columns);
    if (!report->programs.n)
        fill_ranks(&table, balance, balance, "");
    for (size_t i = 0; report->programs.n && i < report->profile->n_programs; i++) {
        struct fm_report one;
        enum fm_status status = fm_report_program(report, i, FM_PART_PROCESSES, &one, error);
        if (status)
            return status;
        fill_ranks(&table, balance, &one.balance, one.summary.name);
    }
    fm_table_csv(&table, out);
    return FM_OK;
}
