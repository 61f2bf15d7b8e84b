/* SPDX-License-Identifier: BSD-3-Clause */
/* The time of each rank, split into program, MPI, file I/O and waiting for a CPU. */
#include <stdlib.h>
#include <string.h>

#include "analyse/balance/core_use.h"
#include "analyse/balance/split.h"
#include "base/units.h"
#include "merge/notes.h"
#include "report/views.h"

enum { DEFAULT_RANKS = 16, BAR_COLUMNS = 40, PARTS = 4 };

static const char glyphs[] = "#=:."; /* one per part */

struct part {
    const char *name;
    uint64_t ns;
    bool known;
};

static void parts_of(const struct fm_split *split, struct part parts[PARTS])
{
    parts[0] = (struct part){"program", split->program_ns, true};
    parts[1] = (struct part){"MPI", split->mpi_ns, true};
    parts[2] = (struct part){"I/O", split->io_ns, split->knows_io};
    parts[3] = (struct part){"no CPU", split->no_cpu_ns, split->knows_no_cpu};
}

const char *fm_split_text(struct fm_report *report)
{
    struct fm_split total = fm_split_total(report->profile);
    struct part parts[PARTS];
    const char *text = "";
    char share[FM_UNIT_CHARS];
    parts_of(&total, parts);
    if (!total.wall_ns || fm_profile_is_from_outside(report->profile))
        return "";
    for (int i = 0; i < PARTS; i++)
        if (parts[i].known)
            text = fm_format(&report->arena, "%s%s%s %s", text, text[0] ? ", " : "", parts[i].name,
                             fm_percent_whole(share, fm_ratio((double)parts[i].ns, (double)total.wall_ns)));
    if (total.knows_no_cpu && total.no_cpu_ns)
        text = fm_format(&report->arena, "%s (not in the others)", text);
    return text;
}

const char *fm_no_cpu_sentence(struct fm_report *report)
{
    struct fm_core_use use = fm_core_use(report->profile);
    const char *text = fm_no_cpu_text(&use, &report->arena);
    if (!text || !text[0])
        return "";
    return fm_format(&report->arena, "%s. All times but those of --view split include that.", text);
}

/* What is known of MPI time; "" if nothing. */
static enum fm_status mpi_text(struct fm_report *report, const struct fm_split *total, const char **text,
                               struct fm_error *error)
{
    struct fm_split_mpi mpi;
    char waiting[FM_UNIT_CHARS], transfer[FM_UNIT_CHARS];
    enum fm_status status = fm_split_mpi(report->profile, total, &report->arena, &mpi, error);
    *text = "";
    if (!status && mpi.known)
        *text = fm_format(&report->arena, "MPI is waiting %s, transfer %s (estimated from the durations of calls).",
                          fm_percent_whole(waiting, fm_ratio((double)mpi.waiting_ns, (double)total->wall_ns)),
                          fm_percent_whole(transfer, fm_ratio((double)mpi.transfer_ns, (double)total->wall_ns)));
    return status;
}

/* ---- ranks ---- */

enum { IO_COLUMN = 4, COLUMNS = 8 };
static const struct fm_column columns[COLUMNS] = {
    {"rank", "rank", FM_COLUMN_RANK},      {"wall", "wall_s", FM_COLUMN_TIME}, {"program", "program_s", FM_COLUMN_TIME},
    {"MPI", "mpi_s", FM_COLUMN_TIME},      {"I/O", "io_s", FM_COLUMN_TIME},    {"no CPU", "no_cpu_s", FM_COLUMN_TIME},
    {"% no CPU", NULL, FM_COLUMN_PERCENT}, {"", NULL, FM_COLUMN_BAR},
};

/* Rounds the ends of the parts, not their lengths, so that the bar as a whole has the right length. */
static const char *bar_of(struct fm_report *report, const struct part *parts, double longest_ns)
{
    char bar[BAR_COLUMNS + 1];
    double end_ns = 0;
    size_t at = 0;
    for (int i = 0; i < PARTS; i++) {
        end_ns += (double)parts[i].ns;
        size_t end = (size_t)(fm_ratio(end_ns, longest_ns) * BAR_COLUMNS + 0.5);
        for (; at < end && at < BAR_COLUMNS; at++)
            bar[at] = glyphs[i];
    }
    bar[at] = 0;
    return fm_format(&report->arena, "%s", bar);
}

static void add_rank(struct fm_report *report, struct fm_table *table, const struct fm_split_rank *rank,
                     double longest_ns)
{
    const struct fm_split *split = &rank->split;
    struct part parts[PARTS];
    parts_of(split, parts);
    fm_cell_whole(table, rank->rank);
    fm_cell_whole(table, split->wall_ns);
    for (int i = 0; i < PARTS; i++)
        fm_cell_whole_or_none(table, parts[i].ns, parts[i].known);
    if (split->knows_no_cpu)
        fm_cell_number(table, fm_ratio((double)split->no_cpu_ns, (double)split->wall_ns));
    else
        fm_cell_none(table);
    fm_cell_text(table, bar_of(report, parts, longest_ns));
}

static int by_program_time(const void *a, const void *b)
{
    const struct fm_split_rank *x = a, *y = b;
    if (x->split.program_ns != y->split.program_ns)
        return x->split.program_ns < y->split.program_ns ? 1 : -1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static enum fm_status find_ranks(struct fm_report *report, struct fm_split_ranks *ranks, struct fm_error *error)
{
    return fm_split_ranks(report->profile, &report->arena, ranks)
               ? FM_OK
               : fm_fail(error, FM_ERR_MEMORY, "not enough memory for the time of %zu processes",
                         report->profile->n_processes);
}

enum fm_status fm_view_split_text(struct fm_report *report, FILE *out, struct fm_error *error)
{
    struct fm_split_ranks ranks;
    struct fm_table table;
    enum fm_status status = find_ranks(report, &ranks, error);
    if (status)
        return status;
    fm_print_incomplete(report, out);
    if (fm_print_uncounted(report, out))
        return FM_OK;
    const char *text = fm_split_text(report);
    if (!text[0]) {
        fputs("No time was measured.\n", out);
        return FM_OK;
    }
    struct fm_split total = fm_split_total(report->profile);
    const char *no_cpu = fm_no_cpu_sentence(report), *mpi;
    if ((status = mpi_text(report, &total, &mpi, error)))
        return status;
    if (no_cpu[0])
        fm_print_folded(out, no_cpu, 2);
    fm_print_sentence(out, "Time: %s.", text);
    if (mpi[0])
        fm_print_sentence(out, "%s", mpi);
    fputc('\n', out);
    size_t shown = fm_report_rows(report, ranks.n, DEFAULT_RANKS);
    double longest = 0;
    for (size_t i = 0; i < ranks.n; i++)
        longest = (double)ranks.items[i].split.wall_ns > longest ? (double)ranks.items[i].split.wall_ns : longest;
    if (shown < ranks.n) /* those that compute longest */
        qsort(ranks.items, ranks.n, sizeof *ranks.items, by_program_time);
    struct fm_column known[COLUMNS]; /* without headings of what is unknown */
    memcpy(known, columns, sizeof known);
    if (!total.knows_io)
        known[IO_COLUMN].heading = NULL;
    if (!total.knows_no_cpu)
        known[IO_COLUMN + 1].heading = known[IO_COLUMN + 2].heading = NULL;
    fm_table_start(&table, &report->arena, known, COLUMNS);
    for (size_t i = 0; i < shown; i++)
        add_rank(report, &table, &ranks.items[i], longest);
    fm_table_print(&table, out);
    fm_print_more(out, shown, ranks.n, "rank");
    fm_print_sentence(out, "Bars: # program, = MPI%s%s.", total.knows_io ? ", : I/O" : "",
                      total.knows_no_cpu ? ", . no CPU" : "");
    if (!total.knows_no_cpu)
        fm_print_sentence(out, "Time without a CPU is unknown, and contained in the others.");
    return FM_OK;
}

enum fm_status fm_view_split_csv(struct fm_report *report, FILE *out, struct fm_error *error)
{
    struct fm_split_ranks ranks;
    struct fm_table table;
    enum fm_status status = find_ranks(report, &ranks, error);
    if (status)
        return status;
    fm_table_start(&table, &report->arena, columns, COLUMNS);
    for (size_t i = 0; i < ranks.n; i++)
        add_rank(report, &table, &ranks.items[i], 0);
    fm_table_csv(&table, out);
    return FM_OK;
}
