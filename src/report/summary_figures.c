/* SPDX-License-Identifier: BSD-3-Clause */
/* The figures of the summary over ranks, as in the banner of IPM: times, the share of MPI, memory, file I/O, the rate of
 * the processor's counters, and what the network of the hosts has carried. */
#include "analyse/balance/memory.h"
#include "analyse/counters/counters.h"
#include "report/views.h"

static const struct fm_column columns[] = {
    {"per rank", NULL, FM_COLUMN_TEXT}, {"total", NULL, FM_COLUMN_MEAN}, {"min", NULL, FM_COLUMN_MEAN},
    {"rank", NULL, FM_COLUMN_RANK},     {"avg", NULL, FM_COLUMN_MEAN},   {"max", NULL, FM_COLUMN_MEAN},
    {"rank", NULL, FM_COLUMN_RANK},
};

/* factor: of the values, in the unit of the column. */
static void add_row(struct fm_table *table, const char *name, enum fm_column_kind kind, const struct fm_spread *spread,
                    double factor, bool has_total)
{
    fm_cell_text(table, name);
    if (!spread->ranks) {
        fm_cell_text(table, "unknown");
        for (size_t i = 2; i < sizeof columns / sizeof *columns; i++)
            fm_cell_none(table);
        return;
    }
    if (has_total)
        fm_cell_as(table, kind, factor * (double)spread->sum);
    else
        fm_cell_none(table);
    fm_cell_as(table, kind, factor * (double)spread->min);
    fm_cell_whole_or_none(table, spread->min_rank, spread->min_rank != FM_NO_RANK);
    fm_cell_as(table, kind, factor * fm_ratio((double)spread->sum, spread->ranks));
    fm_cell_as(table, kind, factor * (double)spread->max);
    fm_cell_whole_or_none(table, spread->max_rank, spread->max_rank != FM_NO_RANK);
}

static void add_figure(struct fm_table *table, const struct fm_figure_meaning *figure, const struct fm_spread *spread)
{
    enum fm_column_kind kind = figure->unit == FM_UNIT_NS      ? FM_COLUMN_TIME
                               : figure->unit == FM_UNIT_BYTES ? FM_COLUMN_BYTES
                                                               : FM_COLUMN_MEAN;
    add_row(table, figure->heading, kind, spread, 1, true);
}

static void add_mpi_share(struct fm_report *report, struct fm_table *table)
{
    static const double SCALE = 1e-9;
    const struct fm_profile *profile = report->profile;
    struct fm_spread shares = {0};
    for (size_t i = 0; i < profile->n_processes; i++) {
        const struct fm_process *process = &profile->processes[i];
        if (process->end != FM_END_MISSING && process->wall_ns)
            fm_spread_add(&shares, (uint64_t)((double)process->mpi_ns / (double)process->wall_ns / SCALE),
                          process->rank);
    }
    if (shares.ranks)
        add_row(table, "% in MPI", FM_COLUMN_PERCENT, &shares, SCALE, false);
}

/* Events outside MPI, as far as that is known, per second of the whole run. */
static void add_rate(struct fm_report *report, struct fm_table *table)
{
    struct fm_counter_totals totals;
    double wall_s = (double)report->summary.wall_ns * 1e-9;
    if (!fm_counters_find(report->profile, &report->arena, &totals) || wall_s <= 0)
        return;
    const struct fm_counter_total *flops = fm_counter_of(&totals, FM_COUNTED_FLOPS);
    const struct fm_counter_total *counter = flops ? flops : fm_counter_of(&totals, FM_COUNTED_INSTRUCTIONS);
    if (!counter)
        return;
    struct fm_spread counts = counter->over_ranks->counts, of_program = {0};
    for (size_t i = 0; counter->split && i < counter->n_by_rank; i++) {
        const struct fm_counter *one = &counter->by_rank[i];
        fm_spread_add(&of_program, one->count > one->in_mpi ? one->count - one->in_mpi : 0, one->rank);
    }
    bool whole = of_program.ranks == counts.ranks; /* large profiles lack ranks */
    add_row(table, fm_format(&report->arena, "%s/s", counter->over_ranks->name), FM_COLUMN_COUNT,
            whole ? &of_program : &counts, 1 / wall_s, true);
}

static void add_network(struct fm_report *report, struct fm_table *table)
{
    struct fm_spread received = {0}, sent = {0};
    for (size_t i = 0; i < report->profile->n_hosts; i++) {
        struct fm_host_traffic traffic;
        if (!fm_host_traffic(&report->profile->hosts[i], &traffic))
            continue;
        fm_spread_add(&received, traffic.received_bytes, FM_NO_RANK);
        fm_spread_add(&sent, traffic.sent_bytes, FM_NO_RANK);
    }
    if (!received.max && !sent.max)
        return;
    add_row(table, "network sent, per host", FM_COLUMN_BYTES, &sent, 1, true);
    add_row(table, "network received", FM_COLUMN_BYTES, &received, 1, true);
}

static bool is_shown(const struct fm_summary *summary, enum fm_figure figure)
{
    if (!*fm_figures[figure].heading)
        return false;
    if (figure == FM_FIGURE_mpi_ns)
        return summary->n_routines > 0;
    if (figure == FM_FIGURE_io_ns || figure == FM_FIGURE_read_bytes || figure == FM_FIGURE_written_bytes)
        return summary->figures[figure].max > 0;
    return !fm_figures[figure].later || summary->figures[figure].ranks;
}

void fm_print_figures(struct fm_report *report, FILE *out)
{
    const struct fm_summary *summary = &report->summary;
    struct fm_table table;
    if (summary->measured == 0)
        return;
    fm_table_start(&table, &report->arena, columns, sizeof columns / sizeof *columns);
    for (enum fm_figure figure = 0; figure < FM_FIGURES; figure++) {
        if (!is_shown(summary, figure))
            continue;
        add_figure(&table, &fm_figures[figure], &summary->figures[figure]);
        if (figure == FM_FIGURE_mpi_ns)
            add_mpi_share(report, &table);
    }
    add_rate(report, &table);
    add_network(report, &table);
    fm_table_print(&table, out);
    fputc('\n', out);
}
