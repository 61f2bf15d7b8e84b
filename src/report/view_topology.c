/* SPDX-License-Identifier: BSD-3-Clause */
/* Who sends to whom: the heaviest pairs as a table, and all pairs as a matrix, darker with volume. */
#include <inttypes.h>
#include <string.h>

#include "analyse/balance/topology.h"
#include "base/units.h"
#include "base/writer.h"
#include "report/views.h"

enum { CELLS = 64, DEFAULT_PAIRS = 12 };

static const char shades[] = " .:-=+*#%@";

static const struct fm_column columns[] = {
    {"from", "from", FM_COLUMN_RANK},
    {"to", "to", FM_COLUMN_RANK},
    {"bytes", "bytes", FM_COLUMN_BYTES},
    {"messages", "messages", FM_COLUMN_COUNT},
    {"sending", "send_s", FM_COLUMN_TIME},
    {"receiving", "receive_s", FM_COLUMN_TIME},
    {"rate", "bytes_per_second", FM_COLUMN_RATE},
    {"% bytes", "fraction_of_bytes", FM_COLUMN_PERCENT},
    {NULL, NULL, FM_COLUMN_TEXT}, /* if there are several programs: those of the ranks */
    {NULL, NULL, FM_COLUMN_TEXT},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void program_cell(struct fm_report *report, struct fm_table *table, uint32_t rank)
{
    size_t program = fm_program_of_rank(&report->programs, rank);
    fm_cell_text(table, program == FM_NO_PROGRAM ? "" : fm_report_label(report, program));
}

static void fill(struct fm_report *report, struct fm_table *table, const struct fm_column *shown,
                 const struct fm_topology *topology, const struct fm_pair *pairs, size_t rows)
{
    fm_table_start(table, &report->arena, shown, COLUMNS);
    for (size_t i = 0; i < rows; i++) {
        fm_cell_whole(table, pairs[i].from);
        fm_cell_whole(table, pairs[i].to);
        fm_cell_whole(table, pairs[i].bytes);
        fm_cell_whole(table, pairs[i].messages);
        fm_cell_whole(table, pairs[i].send_ns);
        fm_cell_whole(table, pairs[i].receive_ns);
        fm_cell_number(table, fm_pair_rate(&pairs[i]));
        fm_cell_number(table, fm_ratio((double)pairs[i].bytes, (double)topology->bytes));
        program_cell(report, table, pairs[i].from);
        program_cell(report, table, pairs[i].to);
    }
}

/* ---- programs ---- */

static enum fm_status print_programs(struct fm_report *report, const struct fm_topology *topology, FILE *out,
                                     struct fm_error *error)
{
    static const struct fm_column program_columns[] = {
        {"from", NULL, FM_COLUMN_TEXT},      {"to", NULL, FM_COLUMN_TEXT},         {"pairs", NULL, FM_COLUMN_COUNT},
        {"bytes", NULL, FM_COLUMN_BYTES},    {"messages", NULL, FM_COLUMN_COUNT},  {"sending", NULL, FM_COLUMN_TIME},
        {"receiving", NULL, FM_COLUMN_TIME}, {"% bytes", NULL, FM_COLUMN_PERCENT},
    };
    struct fm_program_pairs pairs;
    struct fm_table table;
    if (!fm_topology_programs(topology, &report->programs, &report->arena, &pairs))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the traffic between programs");
    size_t rows = fm_report_rows(report, pairs.n, DEFAULT_PAIRS);
    fm_table_start(&table, &report->arena, program_columns, sizeof program_columns / sizeof *program_columns);
    for (size_t i = 0; i < rows; i++) {
        const struct fm_pair *sum = &pairs.items[i].sum;
        fm_cell_text(&table, fm_report_label(report, sum->from));
        fm_cell_text(&table, fm_report_label(report, sum->to));
        fm_cell_whole(&table, pairs.items[i].pairs);
        fm_cell_whole(&table, sum->bytes);
        fm_cell_whole(&table, sum->messages);
        fm_cell_whole(&table, sum->send_ns);
        fm_cell_whole(&table, sum->receive_ns);
        fm_cell_number(&table, fm_ratio((double)sum->bytes, (double)topology->bytes));
    }
    fm_table_print(&table, out);
    fm_print_more(out, rows, pairs.n, "line");
    fputc('\n', out);
    return FM_OK;
}

/* ---- matrix ---- */

struct picture {
    uint64_t volume[CELLS][CELLS]; /* [from][to] */
    bool any[CELLS][CELLS];        /* messages of 0 bytes are traffic too */
    uint64_t most;
    uint64_t ranks, block; /* ranks of the job; ranks per side of a cell */
    size_t cells;
};

static void paint(struct picture *picture, const struct fm_topology *topology)
{
    for (size_t i = 0; i < topology->n; i++) {
        const struct fm_pair *pair = &topology->pairs[i];
        size_t row = pair->from / picture->block, column = pair->to / picture->block;
        if (row >= picture->cells || column >= picture->cells)
            continue;
        uint64_t *volume = &picture->volume[row][column];
        *volume += pair->bytes;
        picture->any[row][column] = true;
        picture->most = *volume > picture->most ? *volume : picture->most;
    }
}

static char shade_of(const struct picture *picture, size_t row, size_t column)
{
    if (!picture->any[row][column])
        return shades[0];
    /* Any traffic leaves at least a dot; the largest is the darkest. */
    size_t darkest = sizeof shades - 2;
    double share = fm_ratio((double)picture->volume[row][column], (double)picture->most);
    size_t shade = (size_t)(share * (double)darkest + 0.999999);
    return shades[shade < 1 ? 1 : shade > darkest ? darkest : shade];
}

static void print_axis(const struct picture *picture, size_t label, size_t cell, FILE *out)
{
    char axis[2 * CELLS + FM_UNIT_CHARS];
    memset(axis, ' ', sizeof axis);
    size_t end = 0;
    size_t tick = picture->cells <= 10 ? 1 : picture->cells <= CELLS / 2 ? 4 : 8;
    for (size_t column = 0; column < picture->cells; column += tick) {
        char number[FM_UNIT_CHARS];
        int length = snprintf(number, sizeof number, "%" PRIu64, column * picture->block);
        memcpy(axis + column * cell, number, (size_t)length);
        end = column * cell + (size_t)length;
    }
    fprintf(out, "%*s %.*s\n", (int)label, "", (int)end, axis);
}

static void print_picture(const struct picture *picture, FILE *out)
{
    size_t cell = picture->cells <= CELLS / 2 ? 2 : 1; /* characters are twice as high as wide */
    char number[FM_UNIT_CHARS];
    size_t label = (size_t)snprintf(number, sizeof number, "%" PRIu64, (picture->cells - 1) * picture->block);
    label = label < 4 ? 4 : label;
    print_axis(picture, label, cell, out);
    for (size_t row = 0; row < picture->cells; row++) {
        fprintf(out, "%*" PRIu64 "|", (int)label, row * picture->block);
        for (size_t column = 0; column < picture->cells; column++)
            for (size_t i = 0; i < cell; i++)
                fputc(shade_of(picture, row, column), out);
        fputs("|\n", out);
    }
}

static enum fm_status draw(struct fm_report *report, const struct fm_topology *topology, FILE *out,
                           struct fm_error *error)
{
    struct picture *picture = fm_arena_alloc(&report->arena, sizeof *picture);
    char most[FM_UNIT_CHARS];
    if (!picture)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the picture of the topology");
    picture->ranks = report->summary.ranks ? report->summary.ranks : 1;
    for (size_t i = 0; i < topology->n; i++) { /* ranks of spawned or other jobs may be beyond its size */
        const struct fm_pair *pair = &topology->pairs[i];
        uint32_t highest = pair->from > pair->to ? pair->from : pair->to;
        if (highest >= picture->ranks && highest != FM_NO_RANK)
            picture->ranks = (uint64_t)highest + 1;
    }
    picture->block = (picture->ranks + CELLS - 1) / CELLS;
    picture->cells = (picture->ranks + picture->block - 1) / picture->block;
    paint(picture, topology);
    fprintf(out, "Rows send, columns receive");
    if (picture->block > 1)
        fprintf(out, "; a cell is %" PRIu64 " x %" PRIu64 " ranks", picture->block, picture->block);
    fprintf(out, ". Shades '%s' up to %s.\n", shades + 1, fm_bytes_text(most, (double)picture->most));
    print_picture(picture, out);
    return FM_OK;
}

/* ---- view ---- */

static void print_grid(const struct fm_job *job, struct fm_arena *arena, FILE *out)
{
    if (!fm_grid_covers(&job->cart, job->ranks))
        return;
    struct fm_writer dims = {.arena = arena};
    for (uint32_t i = 0; i < job->cart.n; i++)
        fm_write(&dims, "%s%" PRIu32, i ? " x " : "", job->cart.dims[i]);
    if (fm_writer_text(&dims))
        fm_print_sentence(out, "The program arranges its ranks in a grid of %s%s.", fm_writer_text(&dims),
                          job->cart.n > 1 ? "; the last dimension varies fastest" : "");
}

static void print_totals(struct fm_report *report, const struct fm_topology *topology, FILE *out)
{
    char pairs[FM_UNIT_CHARS], messages[FM_UNIT_CHARS], bytes[FM_UNIT_CHARS];
    fprintf(out, "%s pair%s exchanged %s messages, %s, point to point.\n", fm_count_text(pairs, topology->n),
            topology->n == 1 ? "" : "s", fm_count_text(messages, topology->messages),
            fm_bytes_text(bytes, (double)topology->bytes));
    if (topology->dropped)
        fm_print_folded(out,
                        fm_format(&report->arena,
                                  "The profile of this large job omits %s lighter pairs "
                                  "with %s messages, %s.",
                                  fm_count_text(pairs, topology->dropped),
                                  fm_count_text(messages, topology->dropped_messages),
                                  fm_bytes_text(bytes, (double)topology->dropped_bytes)),
                        0);
    fputc('\n', out);
}

enum fm_status fm_view_topology_text(struct fm_report *report, FILE *out, struct fm_error *error)
{
    struct fm_topology topology;
    struct fm_table table;
    enum fm_status status = fm_topology_find(report->profile, &report->arena, &topology, error);
    if (status)
        return status;
    fm_print_incomplete(report, out);
    if (fm_print_uncounted(report, out))
        return FM_OK;
    print_grid(&report->profile->job, &report->arena, out);
    if (topology.n == 0) {
        fputs("No point-to-point message was sent between ranks.\n", out);
        return FM_OK;
    }
    const struct fm_pair *heaviest = fm_topology_heaviest(&topology, &report->arena);
    if (!heaviest)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory to sort %zu pairs", topology.n);
    size_t rows = fm_report_rows(report, topology.n, DEFAULT_PAIRS);
    print_totals(report, &topology, out);
    if (report->programs.n)
        status = print_programs(report, &topology, out, error);
    if (status)
        return status;
    fill(report, &table, columns, &topology, heaviest, rows);
    fm_table_print(&table, out);
    fm_print_more(out, rows, topology.n, "pair");
    fm_print_sentence(
        out, "sending, receiving: time in the calls of the pair, without MPI_Wait; rate: over the longer one.");
    fputc('\n', out);
    return draw(report, &topology, out, error);
}

enum fm_status fm_view_topology_csv(struct fm_report *report, FILE *out, struct fm_error *error)
{
    struct fm_topology topology;
    struct fm_table table;
    enum fm_status status = fm_topology_find(report->profile, &report->arena, &topology, error);
    if (status)
        return status;
    struct fm_column shown[COLUMNS];
    memcpy(shown, columns, sizeof columns);
    if (report->programs.n) {
        shown[COLUMNS - 2].key = "from_program";
        shown[COLUMNS - 1].key = "to_program";
    }
    fill(report, &table, shown, &topology, topology.pairs, topology.n);
    fm_table_csv(&table, out);
    return FM_OK;
}
