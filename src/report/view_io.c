/* SPDX-License-Identifier: BSD-3-Clause */
/* File I/O: who, which files, and in which requests. */
#include <string.h>

#include "analyse/io/io_summary.h"
#include "base/units.h"
#include "report/views.h"

enum { DEFAULT_ROWS = 10, BAR_COLUMNS = 24, RANK_COLUMNS = 16 };

static const struct fm_column class_columns[] = {
    {"files", NULL, FM_COLUMN_TEXT},       {"number", NULL, FM_COLUMN_TEXT},   {"ranks", NULL, FM_COLUMN_TEXT},
    {"read", NULL, FM_COLUMN_BYTES},       {"written", NULL, FM_COLUMN_BYTES}, {"requests", NULL, FM_COLUMN_COUNT},
    {"bytes/call", NULL, FM_COLUMN_BYTES}, {"time", NULL, FM_COLUMN_TIME},     {"% wall", NULL, FM_COLUMN_PERCENT},
};

static const struct fm_column file_columns[] = {
    {"file", NULL, FM_COLUMN_TEXT},      {"ranks", NULL, FM_COLUMN_TEXT},    {"opens", NULL, FM_COLUMN_COUNT},
    {"read", NULL, FM_COLUMN_BYTES},     {"written", NULL, FM_COLUMN_BYTES}, {"time", NULL, FM_COLUMN_TIME},
    {"% wall", NULL, FM_COLUMN_PERCENT}, {"use", NULL, FM_COLUMN_TEXT},
};

/* Hidden in this order on a narrow terminal. */
static const size_t class_spared[] = {6, 5, 1, 8, 2}, file_spared[] = {2, 6, 7, 1};

static const struct fm_column size_columns[] = {
    {"size of requests", NULL, FM_COLUMN_BAR},
    {"reads", NULL, FM_COLUMN_COUNT},
    {"writes", NULL, FM_COLUMN_COUNT},
    {"", NULL, FM_COLUMN_BAR},
};

static const struct fm_column csv_columns[] = {
    {NULL, "kind", FM_COLUMN_TEXT},
    {NULL, "name", FM_COLUMN_TEXT},
    {NULL, "class", FM_COLUMN_TEXT},
    {NULL, "interface", FM_COLUMN_TEXT},
    {NULL, "files", FM_COLUMN_COUNT},
    {NULL, "ranks", FM_COLUMN_TEXT},
    {NULL, "opens", FM_COLUMN_COUNT},
    {NULL, "reads", FM_COLUMN_COUNT},
    {NULL, "writes", FM_COLUMN_COUNT},
    {NULL, "seeks", FM_COLUMN_COUNT},
    {NULL, "syncs", FM_COLUMN_COUNT},
    {NULL, "read_bytes", FM_COLUMN_BYTES},
    {NULL, "written_bytes", FM_COLUMN_BYTES},
    {NULL, "rewritten_bytes", FM_COLUMN_BYTES},
    {NULL, "small_requests", FM_COLUMN_COUNT},
    {NULL, "time_s", FM_COLUMN_TIME},
    {NULL, "read_s", FM_COLUMN_TIME},
    {NULL, "write_s", FM_COLUMN_TIME},
    {NULL, "metadata_s", FM_COLUMN_TIME},
};

/* ---- names ---- */

static const char *ranks_text(struct fm_report *report, const struct fm_rankset *ranks)
{
    const char *text = fm_rankset_text(ranks, &report->arena, RANK_COLUMNS);
    return text ? text : "";
}

static const char *interface_text(uint32_t mpi, uint32_t stdio, uint32_t fortran)
{
    return mpi ? "MPI-IO" : fortran && stdio ? "Fortran, stdio" : fortran ? "Fortran" : stdio ? "stdio" : "POSIX";
}

static const char *use_text(struct fm_report *report, const struct fm_file *file)
{
    static const char *const uses[] = {"opened", "read", "written", "read, written"};
    return fm_format(&report->arena, "%s%s%s%s", uses[fm_io_access(&file->io)],
                     file->io.rewritten_bytes ? ", rewritten" : "",
                     fm_rankset_count(&file->ranks) > 1 ? ", shared" : "", file->mpi ? ", MPI-IO" : "");
}

static const char *class_text(struct fm_report *report, const struct fm_class_of_files *of)
{
    return of->mpi ? fm_format(&report->arena, "%s (MPI-IO)", of->name) : of->name;
}

static const char *files_text(struct fm_report *report, const struct fm_io_class *class)
{
    char number[FM_UNIT_CHARS];
    return fm_format(&report->arena, "%s%s", class->at_most ? "<= " : "", fm_count_text(number, class->files));
}

/* "below 128 B", "4..16 KiB", "16 MiB and more" */
static const char *size_text(struct fm_report *report, unsigned bin)
{
    char from[FM_UNIT_CHARS], to[FM_UNIT_CHARS];
    if (bin == 0)
        return fm_format(&report->arena, "below %s", fm_bytes_text(to, (double)fm_request_bin_from(1)));
    fm_bytes_text(from, (double)fm_request_bin_from(bin));
    if (bin == FM_REQUEST_BINS - 1)
        return fm_format(&report->arena, "%s and more", from);
    return fm_format(&report->arena, "%s to %s", from, fm_bytes_text(to, (double)fm_request_bin_from(bin + 1)));
}

/* ---- sentences ---- */

static double share_of(const struct fm_report *report, uint64_t ns)
{
    return fm_ratio((double)ns, (double)report->summary.wall_sum_ns);
}

static const char *most_text(struct fm_report *report)
{
    const struct fm_spread *spread = &report->summary.of.io_ns;
    char time[FM_UNIT_CHARS];
    if (report->summary.measured < 2 || !spread->max)
        return "";
    return fm_format(&report->arena, ", most on rank %u (%s)", spread->max_rank,
                     fm_time_text(time, (double)spread->max));
}

static const char *heaviest_text(struct fm_report *report, const struct fm_io_summary *io)
{
    char time[FM_UNIT_CHARS];
    struct fm_io_heaviest heaviest = fm_io_heaviest(io, true);
    if (!heaviest.file)
        return fm_format(&report->arena, "Heaviest files: %s (%s, %s).", class_text(report, heaviest.class),
                         fm_time_text(time, (double)fm_io_ns(&heaviest.class->io)),
                         fm_ranks_text(report, &heaviest.class->ranks, 24));
    return fm_format(
        &report->arena, "Heaviest file: %s (%s, %s).", fm_io_short_path(report->profile, heaviest.file->path),
        fm_time_text(time, (double)fm_io_ns(&heaviest.file->io)), fm_ranks_text(report, &heaviest.file->ranks, 24));
}

static const char *headline(struct fm_report *report, const struct fm_io_summary *io)
{
    char time[FM_UNIT_CHARS], share[FM_UNIT_CHARS], mpi[FM_UNIT_CHARS], read[FM_UNIT_CHARS], written[FM_UNIT_CHARS];
    const char *text = fm_format(
        &report->arena, "File I/O: %s of the time (%s%s%s)%s", fm_percent_fine(share, share_of(report, io->time_ns)),
        fm_time_text(time, (double)io->time_ns), report->summary.measured > 1 ? " over all ranks" : "",
        share_of(report, io->time_ns) > 1 ? ", several threads at once" : "", most_text(report));
    if (io->mpi_ns)
        text = fm_format(&report->arena, "%s, and %s in MPI-IO", text, fm_time_text(mpi, (double)io->mpi_ns));
    text = fm_format(&report->arena, "%s; %s read, %s written", text, fm_bytes_text(read, (double)io->total.read_bytes),
                     fm_bytes_text(written, (double)io->total.written_bytes));
    return fm_format(&report->arena, "%s. %s", text, heaviest_text(report, io));
}

const char *fm_io_sentence(struct fm_report *report, double least)
{
    struct fm_io_summary io;
    struct fm_error error = {0};
    if (fm_io_summarise(report->profile, &report->arena, &io, &error) || !io.n_classes ||
        share_of(report, io.time_ns) + share_of(report, io.mpi_ns) < least)
        return "";
    return headline(report, &io);
}

/* Small requests are worth a sentence if they are many: a single large transfer hides none. */
static void print_small(struct fm_report *report, const struct fm_io_summary *io, FILE *out)
{
    static const double MANY = 0.5;
    enum { ENOUGH = 1000 };
    char share[FM_UNIT_CHARS], requests[FM_UNIT_CHARS];
    if (io->small < ENOUGH || fm_ratio((double)io->small, (double)io->sized) < MANY)
        return;
    const struct fm_io_class *most = &io->classes[0];
    for (size_t i = 1; i < io->n_classes; i++)
        if (io->classes[i].small > most->small)
            most = &io->classes[i];
    fm_print_sentence(out, "%s of the %s requests are smaller than 4 KiB, most of them on %s.",
                      fm_percent_whole(share, fm_ratio((double)io->small, (double)io->sized)),
                      fm_count_text(requests, io->sized), class_text(report, most->of));
}

/* ---- tables ---- */

static void class_row(struct fm_report *report, struct fm_table *table, const struct fm_io_class *class)
{
    const struct fm_class_of_files *of = class->of;
    double requests = (double)of->io.reads + (double)of->io.writes;
    fm_cell_text(table, class_text(report, of));
    fm_cell_text(table, files_text(report, class));
    fm_cell_text(table, ranks_text(report, &of->ranks));
    fm_cell_whole_or_none(table, of->io.read_bytes, of->io.reads);
    fm_cell_whole_or_none(table, of->io.written_bytes, of->io.writes);
    fm_cell_number(table, requests);
    if (requests > 0)
        fm_cell_number(table, ((double)of->io.read_bytes + (double)of->io.written_bytes) / requests);
    else
        fm_cell_none(table);
    fm_cell_whole(table, fm_io_ns(&of->io));
    fm_cell_number(table, share_of(report, fm_io_ns(&of->io)));
}

static void file_row(struct fm_report *report, struct fm_table *table, const struct fm_file *file)
{
    fm_cell_text(table, fm_io_short_path(report->profile, file->path));
    fm_cell_text(table, ranks_text(report, &file->ranks));
    fm_cell_whole(table, file->io.opens);
    fm_cell_whole_or_none(table, file->io.read_bytes, file->io.reads);
    fm_cell_whole_or_none(table, file->io.written_bytes, file->io.writes);
    fm_cell_whole(table, fm_io_ns(&file->io));
    fm_cell_number(table, share_of(report, fm_io_ns(&file->io)));
    fm_cell_text(table, use_text(report, file));
}

static void print_classes(struct fm_report *report, const struct fm_io_summary *io, FILE *out)
{
    struct fm_table table;
    size_t shown = fm_report_rows(report, io->n_classes, DEFAULT_ROWS);
    fm_table_start(&table, &report->arena, class_columns, sizeof class_columns / sizeof *class_columns);
    fm_table_spare(&table, class_spared, sizeof class_spared / sizeof *class_spared);
    for (size_t i = 0; i < shown; i++)
        class_row(report, &table, &io->classes[i]);
    fm_table_print(&table, out);
    fm_print_more(out, shown, io->n_classes, "class");
    fputc('\n', out);
}

static void print_files(struct fm_report *report, const struct fm_io_summary *io, FILE *out)
{
    struct fm_table table;
    size_t shown = fm_report_rows(report, io->n_files, DEFAULT_ROWS);
    if (!io->n_files)
        return;
    fm_table_start(&table, &report->arena, file_columns, sizeof file_columns / sizeof *file_columns);
    fm_table_spare(&table, file_spared, sizeof file_spared / sizeof *file_spared);
    for (size_t i = 0; i < shown; i++)
        file_row(report, &table, io->files[i]);
    fm_table_print(&table, out);
    fm_print_more(out, shown, io->n_files, "file");
    fputc('\n', out);
}

/* A request at the end of a file has no size. */
static void print_empty(const struct fm_io_summary *io, FILE *out)
{
    char text[FM_UNIT_CHARS];
    uint64_t empty = io->requests > io->sized ? io->requests - io->sized : 0;
    if (empty)
        fm_print_sentence(out, "%s more request%s transferred nothing, as at the end of a file.",
                          fm_count_text(text, empty), empty == 1 ? "" : "s");
}

static void print_sizes(struct fm_report *report, const struct fm_io_summary *io, FILE *out)
{
    struct fm_table table;
    double most = 0;
    for (unsigned i = 0; i < FM_REQUEST_BINS; i++) {
        double requests = (double)io->read_sizes[i] + (double)io->write_sizes[i];
        most = requests > most ? requests : most;
    }
    if (most == 0)
        return;
    fm_table_start(&table, &report->arena, size_columns, sizeof size_columns / sizeof *size_columns);
    for (unsigned i = 0; i < FM_REQUEST_BINS; i++) {
        double requests = (double)io->read_sizes[i] + (double)io->write_sizes[i];
        if (requests == 0)
            continue;
        fm_cell_text(&table, size_text(report, i));
        fm_cell_whole(&table, io->read_sizes[i]);
        fm_cell_whole(&table, io->write_sizes[i]);
        fm_cell_text(&table, fm_bar(report, requests, most, BAR_COLUMNS));
    }
    fm_table_print(&table, out);
    print_empty(io, out);
}

enum fm_status fm_view_io_text(struct fm_report *report, FILE *out, struct fm_error *error)
{
    struct fm_io_summary io;
    enum fm_status status = fm_io_summarise(report->profile, &report->arena, &io, error);
    if (status)
        return status;
    fm_print_incomplete(report, out);
    if (!io.known || !io.n_classes) {
        fm_print_sentence(out, io.known
                                   ? "The program did no I/O on files."
                                   : "File I/O was not measured: it was off (--io off, FATHOM_IO=off), or the profile "
                                     "is of an older Fathom.");
        return FM_OK;
    }
    fm_print_folded(out, headline(report, &io), 2);
    print_small(report, &io, out);
    fputc('\n', out);
    print_classes(report, &io, out);
    print_files(report, &io, out);
    print_sizes(report, &io, out);
    return FM_OK;
}

/* ---- CSV ---- */

static void csv_io(struct fm_table *table, const struct fm_io *io)
{
    const uint64_t counts[] = {io->opens, io->reads,      io->writes,        io->seeks,
                               io->syncs, io->read_bytes, io->written_bytes, io->rewritten_bytes};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        fm_cell_whole(table, counts[i]);
}

static void csv_times(struct fm_table *table, const struct fm_io *io)
{
    fm_cell_whole(table, fm_io_ns(io));
    fm_cell_whole(table, io->read_ns);
    fm_cell_whole(table, io->write_ns);
    fm_cell_whole(table, io->meta_ns);
}

static void csv_class(struct fm_report *report, struct fm_table *table, const struct fm_io_class *class)
{
    const struct fm_class_of_files *of = class->of;
    const char *ranks = fm_rankset_text(&of->ranks, &report->arena, 0);
    fm_cell_text(table, "class");
    fm_cell_text(table, of->name);
    fm_cell_text(table, of->name);
    fm_cell_text(table, interface_text(of->mpi, of->stdio, of->fortran));
    fm_cell_whole(table, class->files);
    fm_cell_text(table, ranks ? ranks : "");
    csv_io(table, &of->io);
    fm_cell_whole(table, class->small);
    csv_times(table, &of->io);
}

static void csv_file(struct fm_report *report, struct fm_table *table, const struct fm_file *file)
{
    const char *ranks = fm_rankset_text(&file->ranks, &report->arena, 0);
    fm_cell_text(table, "file");
    fm_cell_text(table, file->path);
    fm_cell_text(table, file->class);
    fm_cell_text(table, interface_text(file->mpi, file->stdio, file->fortran));
    fm_cell_whole(table, 1);
    fm_cell_text(table, ranks ? ranks : "");
    csv_io(table, &file->io);
    fm_cell_none(table);
    csv_times(table, &file->io);
}

enum fm_status fm_view_io_csv(struct fm_report *report, FILE *out, struct fm_error *error)
{
    struct fm_io_summary io;
    struct fm_table table;
    enum fm_status status = fm_io_summarise(report->profile, &report->arena, &io, error);
    if (status)
        return status;
    fm_table_start(&table, &report->arena, csv_columns, sizeof csv_columns / sizeof *csv_columns);
    for (size_t i = 0; i < io.n_classes; i++)
        csv_class(report, &table, &io.classes[i]);
    for (size_t i = 0; i < io.n_files; i++)
        csv_file(report, &table, io.files[i]);
    fm_table_csv(&table, out);
    return FM_OK;
}
