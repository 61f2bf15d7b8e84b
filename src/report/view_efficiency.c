/* SPDX-License-Identifier: BSD-3-Clause */
/* The efficiency of the run as a small tree of factors, with bars of one scale, then that of regions and timers. */
#include <string.h>

#include "base/units.h"
#include "render/graph.h"
#include "report/report_efficiency.h"
#include "report/report_estimates.h"

enum { BAR_COLUMNS = 30, ROWS = 20 };

/* ---- the tree of factors ---- */

struct factor {
    const char *name, *meaning, *remark;
    unsigned depth;
    bool known;
    double value;
};
enum { FACTORS = 7 };

/* Without threads the first row is that of MPI alone. */
static size_t list_factors(struct fm_report *report, const struct fm_report_efficiency *efficiency,
                           struct factor list[FACTORS])
{
    const struct fm_factors *run = &efficiency->of.run;
    const struct fm_thread_use *threads = &efficiency->threads;
    char mean[FM_UNIT_CHARS];
    const char *estimated = efficiency->calibrated ? "estimated, calibration" : "estimated";
    unsigned deeper = threads->known;
    const struct factor of_mpi[] = {
        {threads->known ? "MPI parallel efficiency" : "parallel efficiency", "mean work / wall time", "", deeper,
         run->known, run->parallel},
        {"load balance", "mean / longest work", "", deeper + 1, run->known, run->load_balance},
        {"communication", "longest work / wall time", "", deeper + 1, run->known, run->communication},
        {"serialisation", "without waiting for others", estimated, deeper + 2, run->estimated, run->serialisation},
        {"transfer", "without the calls themselves", estimated, deeper + 2, run->estimated, run->transfer},
    };
    size_t n = 0;
    if (threads->known)
        list[n++] = (struct factor){
            "hybrid efficiency", "MPI x OpenMP", "", 0, run->known, fm_hybrid_efficiency(efficiency)};
    for (size_t i = 0; i < sizeof of_mpi / sizeof *of_mpi; i++)
        list[n++] = of_mpi[i];
    if (threads->known)
        list[n++] = (struct factor){
            "OpenMP",
            "threads that do not wait",
            fm_format(&report->arena, "sampled, %s threads per process", fm_mean_text(mean, threads->threads)),
            1,
            true,
            threads->efficiency};
    return n;
}

static void print_tree(struct fm_report *report, const struct fm_report_efficiency *efficiency, FILE *out)
{
    static const struct fm_column columns[] = {
        {"factor", NULL, FM_COLUMN_TEXT},
        {"%", NULL, FM_COLUMN_PERCENT},
        {"", NULL, FM_COLUMN_BAR},
        {"", NULL, FM_COLUMN_TEXT},
    };
    struct factor list[FACTORS];
    struct fm_table table;
    size_t n = list_factors(report, efficiency, list);
    fm_table_start(&table, &report->arena, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < n; i++) {
        fm_cell_text(&table, fm_format(&report->arena, "%*s%s", (int)(2 * list[i].depth), "", list[i].name));
        if (list[i].known)
            fm_cell_number(&table, list[i].value);
        else
            fm_cell_text(&table, "unknown");
        fm_cell_text(&table, list[i].known ? fm_bar(report, list[i].value, 1, BAR_COLUMNS) : "");
        fm_cell_text(&table, list[i].known ? list[i].remark : "");
    }
    fm_table_print(&table, out);
}

/* The same as a picture: what a factor takes away is an orange edge. */
enum fm_status fm_view_efficiency_graph(struct fm_report *report, struct fm_graph *graph, struct fm_error *error)
{
    struct fm_report_efficiency efficiency;
    struct factor list[FACTORS];
    char percent[FM_UNIT_CHARS];
    enum fm_status status = fm_report_efficiency(report, &efficiency, error);
    if (status)
        return status;
    *graph = (struct fm_graph){.foot = "estimated: serialisation, transfer", .shade = "efficiency", .orange = "lost"};
    graph->n = list_factors(report, &efficiency, list);
    graph->nodes = fm_arena_alloc(&report->arena, graph->n * sizeof *graph->nodes);
    if (!graph->nodes)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for a picture");
    for (size_t i = 0; i < graph->n; i++) {
        const struct factor *factor = &list[i];
        uint32_t parent = FM_GRAPH_NONE;
        for (size_t k = i; k-- > 0 && parent == FM_GRAPH_NONE;)
            if (list[k].depth < factor->depth)
                parent = (uint32_t)k;
        const char *value = factor->known ? fm_format(&report->arena, "%s %%", fm_percent_text(percent, factor->value))
                                          : "unknown";
        graph->nodes[i] = (struct fm_graph_node){
            .parent = parent,
            .name = fm_format(&report->arena, "%s %s", factor->name, value),
            .cost = factor->meaning,
            .title = *factor->remark ? factor->remark : factor->meaning,
            .share = factor->known ? factor->value : 0,
            .waiting = factor->known && factor->value < 1 ? 1 - factor->value : 0,
        };
    }
    graph->title = fm_format(&report->arena, "%s on %u rank%s: efficiency; each is the product of those on its right",
                             report->summary.name, report->summary.ranks, report->summary.ranks == 1 ? "" : "s");
    return FM_OK;
}

/* ---- regions and timers ---- */

/* Of timers nothing is estimated. */
#define PART_COLUMNS(name, serialisation, transfer)                                                          \
    {                                                                                                        \
        {name, "name", FM_COLUMN_TEXT}, {NULL, "kind", FM_COLUMN_TEXT}, {"ranks", "ranks", FM_COLUMN_COUNT}, \
            {"wall/rank", "wall_per_rank_s", FM_COLUMN_TIME}, {"% parallel", "parallel", FM_COLUMN_PERCENT}, \
            {"load balance", "load_balance", FM_COLUMN_PERCENT},                                             \
            {"communication", "communication", FM_COLUMN_PERCENT},                                           \
            {serialisation, "serialisation", FM_COLUMN_PERCENT}, {transfer, "transfer", FM_COLUMN_PERCENT},  \
            {NULL, "hybrid", FM_COLUMN_PERCENT}, {NULL, "openmp", FM_COLUMN_PERCENT},                        \
            {NULL, "wall_balance", FM_COLUMN_PERCENT},                                                       \
    }
static const struct fm_column region_columns[] = PART_COLUMNS("region", "serialisation", "transfer"),
                              timer_columns[] = PART_COLUMNS("timer", NULL, NULL);
enum { N_PART_COLUMNS = sizeof region_columns / sizeof *region_columns };

/* threads: NULL if unknown for this part. */
static void part_row(struct fm_table *table, const char *kind, const struct fm_efficiency_part *part,
                     const struct fm_thread_use *threads)
{
    const struct fm_factors *factors = &part->factors;
    bool hybrid = threads && threads->known;
    fm_cell_text(table, part->name);
    fm_cell_text(table, kind);
    fm_cell_whole(table, part->ranks);
    fm_cell_number(table, fm_ratio((double)part->wall_ns.sum, part->wall_ns.ranks));
    fm_cell_number_or_none(table, factors->parallel, factors->known);
    fm_cell_number_or_none(table, factors->load_balance, factors->known);
    fm_cell_number_or_none(table, factors->communication, factors->known);
    fm_cell_number_or_none(table, factors->serialisation, factors->estimated);
    fm_cell_number_or_none(table, factors->transfer, factors->estimated);
    fm_cell_number_or_none(table, hybrid ? factors->parallel * threads->efficiency : 0, hybrid && factors->known);
    fm_cell_number_or_none(table, hybrid ? threads->efficiency : 0, hybrid);
    fm_cell_number_or_none(table, part->balance, part->balance > 0);
}

static void print_parts(struct fm_report *report, const struct fm_column *columns,
                        const struct fm_efficiency_part *parts, size_t n, FILE *out)
{
    struct fm_table table;
    size_t rows = fm_report_rows(report, n, ROWS);
    if (!n)
        return;
    fputc('\n', out);
    fm_table_start(&table, &report->arena, columns, N_PART_COLUMNS);
    for (size_t i = 0; i < rows; i++)
        part_row(&table, columns->heading, &parts[i], NULL);
    fm_table_print(&table, out);
    fm_print_more(out, rows, n, columns->heading);
}

static void print_unmeasured(const struct fm_efficiency *efficiency, FILE *out)
{
    bool known = efficiency->n_timers == 0;
    for (size_t i = 0; i < efficiency->n_timers && !known; i++)
        known = efficiency->timers[i].factors.known;
    if (!known)
        fm_print_sentence(out,
                          "The time in MPI inside timers is unknown: the version of Fathom that measured this job did "
                          "not record it.");
}

/* ---- the view ---- */

static void print_scope(struct fm_report *report, const struct fm_efficiency *efficiency, FILE *out)
{
    const struct fm_span *from = efficiency->from;
    uint32_t ranks = from ? from->wall_ns.ranks : report->summary.measured;
    const char *part = !from ? "of the whole run"
                             : fm_format(&report->arena, "from the first %s '%s' on",
                                         from->kind == FM_SPAN_FROM_REGION ? "entry of region" : "start of timer",
                                         from->name);
    fm_print_folded(out,
                    fm_format(&report->arena, "Efficiency %s, %u rank%s; each factor is the product of those below it.",
                              part, ranks, ranks == 1 ? "" : "s"),
                    2);
    if (from && ranks < report->summary.measured)
        fm_print_sentence(out, "Only ranks that got there are included, %u of %u.", ranks, report->summary.measured);
    if (efficiency->cores.lack)
        fm_print_sentence(out, "Ranks had no cores of their own (%s): the factors include waiting for a core.",
                          fm_lack_text(&report->arena, &efficiency->cores));
}

static void print_meaning(const struct fm_report_efficiency *efficiency, FILE *out)
{
    fputc('\n', out);
    fm_print_sentence(
        out,
        "Work is time outside MPI. parallel: mean work / wall time; load balance: mean / longest work; "
        "communication: longest work / wall time.%s%s",
        !efficiency->of.run.estimated ? ""
        : efficiency->calibrated
            ? " Estimates, from the calibration of the machine: transfer is reduced by the time that calls "
              "of this number and size take without waiting, serialisation by waiting other than for load "
              "imbalance."
            : " Estimates, from the durations of calls: transfer is reduced by the time that calls take "
              "without waiting, serialisation by waiting other than for load imbalance.",
        efficiency->threads.known
            ? " OpenMP, from samples: the share of the time outside MPI in which threads do not wait."
            : "");
}

/* Starting MPI takes a fixed time, which can be most of what a short run seems to transfer. */
static void print_startup(struct fm_report *report, const struct fm_efficiency *efficiency, FILE *out)
{
    static const double MUCH = 0.05;
    const struct fm_summary *summary = &report->summary;
    char share[FM_UNIT_CHARS];
    uint64_t sum_ns = 0;
    for (size_t i = 0; i < summary->n_routines; i++)
        if (strncmp(summary->routines[i]->name, "MPI_Init", 8) == 0)
            sum_ns += summary->routines[i]->stats.total_ns;
    double part = fm_ratio((double)sum_ns, (double)summary->wall_sum_ns);
    if (!efficiency->from && efficiency->run.estimated && part >= MUCH)
        fm_print_sentence(
            out,
            "MPI_Init takes %s of the time, which counts as transfer: less in a longer run, and nothing with "
            "--from-first REGION.",
            fm_percent_whole(share, part));
}

enum fm_status fm_view_efficiency_text(struct fm_report *report, FILE *out, struct fm_error *error)
{
    struct fm_report_efficiency efficiency;
    enum fm_status status = fm_report_efficiency(report, &efficiency, error);
    if (status)
        return status;
    fm_print_incomplete(report, out);
    if (fm_print_uncounted(report, out))
        return FM_OK;
    print_scope(report, &efficiency.of, out);
    fputc('\n', out);
    print_tree(report, &efficiency, out);
    print_meaning(&efficiency, out);
    fm_print_calibration(report, out);
    print_startup(report, &efficiency.of, out);
    print_parts(report, region_columns, efficiency.of.regions, efficiency.of.n_regions, out);
    print_parts(report, timer_columns, efficiency.of.timers, efficiency.of.n_timers, out);
    print_unmeasured(&efficiency.of, out);
    fm_print_no_regions(report, out);
    return FM_OK;
}

static struct fm_efficiency_part part_of_run(const struct fm_report *report, const struct fm_efficiency *efficiency)
{
    const struct fm_spread *wall = efficiency->from ? &efficiency->from->wall_ns : &report->summary.of.wall_ns;
    return (struct fm_efficiency_part){
        .name = efficiency->from ? efficiency->from->name : "",
        .ranks = wall->ranks,
        .wall_ns = *wall,
        .factors = efficiency->run,
    };
}

enum fm_status fm_view_efficiency_csv(struct fm_report *report, FILE *out, struct fm_error *error)
{
    struct fm_report_efficiency efficiency;
    struct fm_table table;
    enum fm_status status = fm_report_efficiency(report, &efficiency, error);
    if (status)
        return status;
    const struct fm_efficiency *of = &efficiency.of;
    struct fm_efficiency_part run = part_of_run(report, of);
    const char *kind = !of->from ? "run" : of->from->kind == FM_SPAN_FROM_REGION ? "from region" : "from timer";
    fm_table_start(&table, &report->arena, region_columns, N_PART_COLUMNS);
    part_row(&table, kind, &run, &efficiency.threads);
    for (size_t i = 0; i < of->n_regions; i++)
        part_row(&table, "region", &of->regions[i], NULL);
    for (size_t i = 0; i < of->n_timers; i++)
        part_row(&table, "timer", &of->timers[i], NULL);
    fm_table_csv(&table, out);
    return FM_OK;
}
