/* SPDX-License-Identifier: BSD-3-Clause */
/* A job in one line, and in at most twelve lines, as printed at the end of a job. */
#include "analyse/balance/core_use.h"
#include "base/units.h"
#include "merge/notes.h"
#include "report/views.h"

static const char *headline_balance(struct fm_report *report)
{
    const struct fm_summary *summary = &report->summary;
    if (summary->measured < 2 || summary->mpi_sum_ns == 0)
        return "";
    if (report->programs.n)
        return fm_programs_headline(report);
    const struct fm_balance_end *end = &report->balance.end;
    bool even = report->balance.evenness == FM_EVEN;
    if (report->balance.evenness == FM_UNKNOWN_EVENNESS || (even && end->evenness == FM_UNKNOWN_EVENNESS))
        return "; ranks lacked cores";
    if (even && end->evenness == FM_UNEVEN)
        return fm_format(&report->arena, "; %s end%s last", fm_ranks_text(report, &end->late, 24),
                         fm_rankset_count(&end->late) == 1 ? "s" : "");
    if (even)
        return "; balanced";
    if (report->balance.n_groups < 2)
        return fm_format(&report->arena, "; rank %u waits most", summary->of.mpi_ns.max_rank);
    const struct fm_balance_group *last = &report->balance.groups[report->balance.n_groups - 1];
    return fm_format(&report->arena, "; %s wait%s most", fm_ranks_text(report, &last->ranks, 24),
                     last->n == 1 ? "s" : "");
}

const char *fm_headline(struct fm_report *report)
{
    const struct fm_summary *summary = &report->summary;
    char wall[FM_UNIT_CHARS], mpi[FM_UNIT_CHARS], heaviest[FM_UNIT_CHARS], no_cpu[FM_UNIT_CHARS];
    const char *alone = "", *without = "";
    double share = fm_core_use(report->profile).no_cpu;
    fm_time_text(wall, (double)summary->wall_ns);
    fm_percent_whole(mpi, summary->mpi_fraction);
    if (fm_profile_is_from_outside(report->profile))
        return fm_format(&report->arena, "%s on %u rank%s: sampled by fathom attach for %s, no MPI counts",
                         summary->name, summary->ranks, summary->ranks == 1 ? "" : "s", wall);
    if (share >= FM_NO_CPU_LEAST)
        without = fm_format(&report->arena, ", %s without a CPU", fm_percent_whole(no_cpu, share));
    if (summary->n_routines == 0)
        return fm_format(&report->arena, "%s on %u rank%s: %s%s, no MPI calls", summary->name, summary->ranks,
                         summary->ranks == 1 ? "" : "s", wall, without);
    if (summary->n_routines > 1 && summary->routines[0]->stats.total_ns > 0) {
        double part = fm_ratio((double)summary->routines[0]->stats.total_ns, (double)summary->wall_sum_ns);
        alone = fm_format(&report->arena, "; %s alone %s", summary->routines[0]->name,
                          fm_percent_whole(heaviest, part));
    }
    return fm_format(&report->arena, "%s on %u rank%s: %s%s, %s in MPI%s%s", summary->name, summary->ranks,
                     summary->ranks == 1 ? "" : "s", wall, without, mpi, alone, headline_balance(report));
}

static void print_line(FILE *out, const char *text)
{
    fm_print_cut(out, text, FM_TEXT_COLUMNS);
    fputc('\n', out);
}

static void print_ends(struct fm_report *report, FILE *out)
{
    const struct fm_summary *summary = &report->summary;
    char how[128];
    if (summary->complete || fm_profile_is_from_outside(report->profile)) /* attach: the job has not ended */
        return;
    print_line(out, fm_incomplete_text(report));
    if (summary->n_ends == 0)
        return;
    const struct fm_end_group *first = &summary->ends[0];
    print_line(out, fm_format(&report->arena, "  %s: %s%s%s%s", fm_ranks_text(report, &first->ranks, 30),
                              fm_end_text(first->end, first->code, how, sizeof how),
                              first->inside[0] ? ", inside " : "", first->inside, summary->n_ends > 1 ? "; ..." : ""));
}

static void print_heaviest(struct fm_report *report, FILE *out)
{
    static const struct fm_column columns[] = {
        {"heaviest", NULL, FM_COLUMN_TEXT},  {"calls", NULL, FM_COLUMN_COUNT},      {"time", NULL, FM_COLUMN_TIME},
        {"time/call", NULL, FM_COLUMN_TIME}, {"bytes/call", NULL, FM_COLUMN_BYTES}, {"% MPI", NULL, FM_COLUMN_PERCENT},
        {"% wall", NULL, FM_COLUMN_PERCENT},
    };
    const struct fm_summary *summary = &report->summary;
    struct fm_table table;
    fm_table_start(&table, &report->arena, columns, sizeof columns / sizeof *columns);
    table.indent = 2;
    for (size_t i = 0; i < summary->n_routines && i < 4; i++) {
        const struct fm_stats *stats = &summary->routines[i]->stats;
        fm_cell_text(&table, summary->routines[i]->name);
        fm_cell_whole(&table, stats->count);
        fm_cell_whole(&table, stats->total_ns);
        fm_cell_number(&table, fm_ratio((double)stats->total_ns, (double)stats->count));
        if (stats->bytes)
            fm_cell_number(&table, fm_ratio((double)stats->bytes, (double)stats->count));
        else
            fm_cell_none(&table);
        fm_cell_number(&table, fm_ratio((double)stats->total_ns, (double)summary->routines_ns));
        fm_cell_number(&table, fm_ratio((double)stats->total_ns, (double)summary->wall_sum_ns));
    }
    if (summary->n_routines)
        fm_table_print(&table, out);
}

/* For a single rank, the headline has the time already. */
static void print_extremes(struct fm_report *report, FILE *out)
{
    const struct fm_summary *summary = &report->summary;
    char min[FM_UNIT_CHARS], max[FM_UNIT_CHARS], memory[FM_UNIT_CHARS];
    const char *times = "", *known = "";
    if (summary->measured > 1 && summary->n_routines)
        times = fm_format(&report->arena, "in MPI %s (rank %u) to %s (rank %u)",
                          fm_time_text(min, (double)summary->of.mpi_ns.min), summary->of.mpi_ns.min_rank,
                          fm_time_text(max, (double)summary->of.mpi_ns.max), summary->of.mpi_ns.max_rank);
    if (summary->of.max_rss_bytes.ranks)
        known = fm_format(&report->arena, "memory up to %s (rank %u)",
                          fm_bytes_text(memory, (double)summary->of.max_rss_bytes.max),
                          summary->of.max_rss_bytes.max_rank);
    if (times[0] || known[0])
        print_line(out, fm_format(&report->arena, "  %s%s%s", times, times[0] && known[0] ? "; " : "", known));
}

enum fm_status fm_report_terse(struct fm_report *report, FILE *out, struct fm_error *error)
{
    (void)error;
    const struct fm_summary *summary = &report->summary;
    char overhead[FM_UNIT_CHARS], share[FM_UNIT_CHARS];
    print_ends(report, out);
    fm_print_folded(out, fm_headline(report), 2); /* two lines at most, of twelve */
    print_extremes(report, out);
    print_heaviest(report, out);
    if (report->programs.n && summary->mpi_sum_ns)
        print_line(out, fm_format(&report->arena, "  %s", fm_programs_line(report)));
    else if (report->balance.n_groups > 1)
        print_line(out, fm_format(&report->arena, "  %s", fm_balance_sentence(report)));
    else if (fm_end_sentence(report)[0])
        print_line(out, fm_format(&report->arena, "  %s", fm_end_sentence(report)));
    if (fm_profile_is_from_outside(report->profile))
        return FM_OK;
    print_line(out,
               fm_format(&report->arena, "  Overhead of Fathom: %s, %s of the measured time",
                         fm_time_text(overhead, (double)summary->overhead_ns),
                         fm_percent_fine(share, fm_ratio((double)summary->overhead_ns, (double)summary->wall_sum_ns))));
    return FM_OK;
}
