/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of ranks and hosts, and what the network of the hosts has carried. */
#include <inttypes.h>

#include "analyse/balance/memory.h"
#include "base/units.h"
#include "report/views.h"

enum { DEFAULT_HOSTS = 16 };

/* "1.2 MiB", "-3.0 KiB" */
static const char *signed_bytes(struct fm_report *report, double bytes)
{
    char text[FM_UNIT_CHARS];
    return fm_format(&report->arena, "%s%s", bytes < 0 ? "-" : "", fm_bytes_text(text, bytes < 0 ? -bytes : bytes));
}

static void print_headline(struct fm_report *report, FILE *out)
{
    const struct fm_spread *memory = &report->summary.of.max_rss_bytes;
    char sum[FM_UNIT_CHARS], most[FM_UNIT_CHARS];
    struct fm_growth growth = fm_memory_growths(report->profile);
    const char *text = "";
    if (!memory->ranks) {
        fputs("The memory of the ranks is unknown.\n", out);
        return;
    }
    if (memory->ranks > 1)
        text = fm_format(&report->arena, "%u ranks used up to %s of memory in total, rank %u most: %s", memory->ranks,
                         fm_bytes_text(sum, (double)memory->sum), memory->max_rank,
                         fm_bytes_text(most, (double)memory->max));
    else
        text = fm_format(&report->arena, "rank %u used up to %s of memory", memory->max_rank,
                         fm_bytes_text(most, (double)memory->max));
    if (growth.ranks && growth.max > 0 && memory->ranks > 1)
        text = fm_format(&report->arena, "%s; after MPI_Init they grew by up to %s (rank %u)", text,
                         signed_bytes(report, (double)growth.max), growth.max_rank);
    else if (growth.ranks && growth.max > 0)
        text = fm_format(&report->arena, "%s; after MPI_Init it grew by %s", text,
                         signed_bytes(report, (double)growth.max));
    fm_print_sentence(out, "%s: %s.", report->summary.name, text);
}

/* ---- ranks ---- */

static const struct fm_column rank_columns[] = {
    {"per rank", NULL, FM_COLUMN_TEXT}, {"min", NULL, FM_COLUMN_BYTES}, {"rank", NULL, FM_COLUMN_RANK},
    {"avg", NULL, FM_COLUMN_BYTES},     {"max", NULL, FM_COLUMN_BYTES}, {"rank", NULL, FM_COLUMN_RANK},
};

static void add_spread(struct fm_table *table, const char *name, const struct fm_spread *spread)
{
    if (!spread->ranks)
        return;
    fm_cell_text(table, name);
    fm_cell_whole(table, spread->min);
    fm_cell_whole(table, spread->min_rank);
    fm_cell_number(table, fm_ratio((double)spread->sum, spread->ranks));
    fm_cell_whole(table, spread->max);
    fm_cell_whole(table, spread->max_rank);
}

static void print_ranks(struct fm_report *report, FILE *out)
{
    const struct fm_summary *summary = &report->summary;
    struct fm_growth growth = fm_memory_growths(report->profile);
    struct fm_table table;
    fm_table_start(&table, &report->arena, rank_columns, sizeof rank_columns / sizeof *rank_columns);
    add_spread(&table, "high water", &summary->of.max_rss_bytes);
    add_spread(&table, "after MPI_Init", &summary->of.init_rss_bytes);
    add_spread(&table, "at the end", &summary->of.end_rss_bytes);
    if (growth.ranks) {
        fm_cell_text(&table, "growth");
        fm_cell_text(&table, signed_bytes(report, (double)growth.min));
        fm_cell_whole(&table, growth.min_rank);
        fm_cell_text(&table, signed_bytes(report, growth.sum / growth.ranks));
        fm_cell_text(&table, signed_bytes(report, (double)growth.max));
        fm_cell_whole(&table, growth.max_rank);
    }
    fm_table_print(&table, out);
    if (summary->of.max_rss_bytes.ranks < summary->measured)
        fm_print_sentence(out, "High water: known for %u of %u ranks.", summary->of.max_rss_bytes.ranks,
                          summary->measured);
}

/* ---- hosts ---- */

static void cell_known(struct fm_table *table, uint64_t value)
{
    fm_cell_whole_or_none(table, value, value != FM_UNKNOWN);
}

static const struct fm_column host_columns[] = {
    {"host", NULL, FM_COLUMN_TEXT},        {"ranks", NULL, FM_COLUMN_COUNT}, {"memory", NULL, FM_COLUMN_BYTES},
    {"least free", NULL, FM_COLUMN_BYTES}, {"limit", NULL, FM_COLUMN_BYTES}, {"used of it", NULL, FM_COLUMN_BYTES},
    {"NUMA nodes", NULL, FM_COLUMN_COUNT},
};

static void print_hosts(struct fm_report *report, const struct fm_host **hosts, size_t shown, FILE *out)
{
    struct fm_table table;
    fm_table_start(&table, &report->arena, host_columns, sizeof host_columns / sizeof *host_columns);
    for (size_t i = 0; i < shown; i++) {
        fm_cell_text(&table, hosts[i]->name);
        fm_cell_whole(&table, fm_rankset_count(&hosts[i]->ranks));
        fm_cell_whole_or_none(&table, hosts[i]->memory_bytes, hosts[i]->memory_bytes);
        cell_known(&table, hosts[i]->least_free_bytes);
        cell_known(&table, hosts[i]->limit_bytes);
        cell_known(&table, hosts[i]->limit_peak_bytes);
        cell_known(&table, hosts[i]->numa_nodes);
    }
    fm_table_print(&table, out);
}

static const struct fm_column network_columns[] = {
    {"network of host", NULL, FM_COLUMN_TEXT},   {"received", NULL, FM_COLUMN_BYTES}, {"sent", NULL, FM_COLUMN_BYTES},
    {"packets received", NULL, FM_COLUMN_COUNT}, {"sent", NULL, FM_COLUMN_COUNT},
};

static void print_network(struct fm_report *report, const struct fm_host **hosts, size_t shown, FILE *out)
{
    struct fm_table table;
    bool any = false;
    fm_table_start(&table, &report->arena, network_columns, sizeof network_columns / sizeof *network_columns);
    for (size_t i = 0; i < shown; i++) {
        struct fm_host_traffic traffic;
        bool known = fm_host_traffic(hosts[i], &traffic);
        any |= known;
        fm_cell_text(&table, hosts[i]->name);
        fm_cell_whole_or_none(&table, traffic.received_bytes, known);
        fm_cell_whole_or_none(&table, traffic.sent_bytes, known);
        fm_cell_whole_or_none(&table, traffic.received_packets, known);
        fm_cell_whole_or_none(&table, traffic.sent_packets, known);
    }
    if (!any)
        return;
    fputc('\n', out);
    fm_table_print(&table, out);
    fm_print_sentence(out, "Network: of the whole host while the job ran, by all programs.");
}

enum fm_status fm_view_memory_text(struct fm_report *report, FILE *out, struct fm_error *error)
{
    size_t n = report->profile->n_hosts, shown = fm_report_rows(report, n, DEFAULT_HOSTS);
    const struct fm_host **hosts = fm_hosts_by_free_memory(report->profile, &report->arena);
    if (!hosts)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for %zu hosts", n);
    fm_print_incomplete(report, out);
    print_headline(report, out);
    fputc('\n', out);
    print_ranks(report, out);
    if (!n)
        return FM_OK;
    fputc('\n', out);
    print_hosts(report, hosts, shown, out);
    fm_print_more(out, shown, n, "host");
    print_network(report, hosts, shown, out);
    return FM_OK;
}

/* ---- CSV ---- */

static const struct fm_column columns[] = {
    {NULL, "rank", FM_COLUMN_RANK},
    {NULL, "memory_bytes", FM_COLUMN_BYTES},
    {NULL, "memory_init_bytes", FM_COLUMN_BYTES},
    {NULL, "memory_end_bytes", FM_COLUMN_BYTES},
    {NULL, "growth_bytes", FM_COLUMN_TEXT},
    {NULL, "host", FM_COLUMN_TEXT},
    {NULL, "host_memory_bytes", FM_COLUMN_BYTES},
    {NULL, "host_least_free_bytes", FM_COLUMN_BYTES},
    {NULL, "host_limit_bytes", FM_COLUMN_BYTES},
    {NULL, "host_limit_high_water_bytes", FM_COLUMN_BYTES},
    {NULL, "host_numa_nodes", FM_COLUMN_COUNT},
    {NULL, "host_received_bytes", FM_COLUMN_BYTES},
    {NULL, "host_sent_bytes", FM_COLUMN_BYTES},
    {NULL, "host_received_packets", FM_COLUMN_COUNT},
    {NULL, "host_sent_packets", FM_COLUMN_COUNT},
};

static void cell_figure(struct fm_table *table, const struct fm_process *process, enum fm_figure figure)
{
    uint64_t value;
    bool known = fm_figure_get(process, figure, &value);
    fm_cell_whole_or_none(table, value, known);
}

static void add_host_cells(struct fm_table *table, const struct fm_host *host)
{
    struct fm_host_traffic traffic;
    bool known = fm_host_traffic(host, &traffic);
    fm_cell_text(table, host->name);
    fm_cell_whole_or_none(table, host->memory_bytes, host->memory_bytes);
    cell_known(table, host->least_free_bytes);
    cell_known(table, host->limit_bytes);
    cell_known(table, host->limit_peak_bytes);
    cell_known(table, host->numa_nodes);
    fm_cell_whole_or_none(table, traffic.received_bytes, known);
    fm_cell_whole_or_none(table, traffic.sent_bytes, known);
    fm_cell_whole_or_none(table, traffic.received_packets, known);
    fm_cell_whole_or_none(table, traffic.sent_packets, known);
}

/* One line per process, with its host. */
enum fm_status fm_view_memory_csv(struct fm_report *report, FILE *out, struct fm_error *error)
{
    (void)error;
    const struct fm_profile *profile = report->profile;
    const struct fm_host unknown = fm_host_of("");
    struct fm_table table;
    fm_table_start(&table, &report->arena, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < profile->n_processes; i++) {
        const struct fm_process *process = &profile->processes[i];
        int64_t growth;
        bool grown = fm_memory_growth(process, &growth);
        if (process->end == FM_END_MISSING)
            continue;
        fm_cell_whole_or_none(&table, process->rank, process->rank != FM_NO_RANK);
        cell_figure(&table, process, FM_FIGURE_max_rss_bytes);
        cell_figure(&table, process, FM_FIGURE_init_rss_bytes);
        cell_figure(&table, process, FM_FIGURE_end_rss_bytes);
        fm_cell_text(&table, grown ? fm_format(&report->arena, "%" PRId64, growth) : "");
        add_host_cells(&table, process->host < profile->n_hosts ? &profile->hosts[process->host] : &unknown);
    }
    fm_table_csv(&table, out);
    return FM_OK;
}
