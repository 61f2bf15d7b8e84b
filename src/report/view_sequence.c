/* SPDX-License-Identifier: BSD-3-Clause */
/* The activity of ranks over time, by module: one line per rank, one letter per moment. */
#include <string.h>

#include "base/units.h"
#include "render/chart.h"
#include "render/csv.h"
#include "report/programs.h"
#include "report/sequence_style.h"

enum { DEFAULT_ROWS = 32, DEFAULT_MODULES = FM_MODULE_LETTERS, LABEL = 6 /* "rank 0" */, TICK_COLUMNS = 12 };

struct sequence_text {
    struct fm_report *report;
    const struct fm_module_sequence *sequence;
    const char *letters;
    size_t label;   /* columns before the moments */
    size_t columns; /* for all moments */
    FILE *out;
};

/* ---- text ---- */

static size_t digits_of(uint32_t number)
{
    size_t digits = 1;
    while (number /= 10)
        digits++;
    return digits;
}

static void lay_out(struct sequence_text *page)
{
    const struct fm_module_sequence *s = page->sequence;
    page->label = LABEL + digits_of(s->rows[s->n_rows - 1].rank);
    size_t available = fm_output_columns(page->out) - page->label;
    page->columns = s->n_moments > available ? available : available / s->n_moments * s->n_moments;
}

static size_t moment_at(const struct sequence_text *page, size_t column)
{
    return column * page->sequence->n_moments / page->columns;
}

/* The first known moment of a column. Each moment is one sample: columns beyond its first stay blank. */
static char sign_at(const struct sequence_text *page, const struct fm_module_row *row, size_t column)
{
    size_t at = moment_at(page, column), end = moment_at(page, column + 1);
    if (column && at == moment_at(page, column - 1))
        return ' ';
    while (at + 1 < end && !row->moments[at].module)
        at++;
    return fm_sequence_sign(page->letters, &row->moments[at]);
}

static void print_row(const struct sequence_text *page, const struct fm_module_row *row)
{
    char line[FM_TEXT_COLUMNS + 1];
    size_t end = 0;
    for (size_t i = 0; i < page->columns; i++) {
        line[i] = sign_at(page, row, i);
        end = line[i] == ' ' ? end : i + 1;
    }
    fprintf(page->out, "rank %*u %.*s\n", (int)page->label - LABEL, row->rank, (int)end, line);
}

/* Prints the name of a program before its first row. Returns the program. */
static size_t print_program(const struct sequence_text *page, uint32_t rank, size_t before)
{
    size_t program = fm_program_of_rank(&page->report->programs, rank);
    if (program != FM_NO_PROGRAM && program != before) {
        fm_print_cut(page->out, fm_report_label(page->report, program), fm_output_columns(page->out));
        fputc('\n', page->out);
    }
    return program;
}

/* The number of ranks that each shown rank represents. */
static size_t rows_step(const struct sequence_text *page)
{
    size_t step = 1, shown = fm_report_rows(page->report, page->sequence->n_rows, DEFAULT_ROWS);
    while ((page->sequence->n_rows + step - 1) / step > shown)
        step *= 2;
    return step;
}

static double seconds(const struct sequence_text *page)
{
    return (double)page->sequence->moment_ns * (double)page->sequence->n_moments / 1e9;
}

/* "+----------+--------", and below it the times at the ticks. */
static void print_axis(const struct sequence_text *page)
{
    char line[FM_TEXT_COLUMNS + 1], text[FM_UNIT_CHARS];
    double start = (double)page->sequence->start_ns / 1e9, width = seconds(page) / (double)page->columns;
    unsigned ticks = (unsigned)(page->columns / TICK_COLUMNS);
    double step = fm_chart_step(seconds(page), ticks ? ticks : 1);
    size_t printed = 0;
    memset(line, '-', page->columns);
    uint64_t first = (uint64_t)(start / step);
    first += (double)first * step < start;
    for (uint64_t i = first; (double)i * step < start + seconds(page); i++)
        line[(size_t)(((double)i * step - start) / width)] = '+';
    fprintf(page->out, "%*s%.*s\n%*s", (int)page->label, "", (int)page->columns, line, (int)page->label, "");
    for (uint64_t i = first; (double)i * step < start + seconds(page); i++) {
        size_t at = (size_t)(((double)i * step - start) / width);
        const char *time = fm_chart_tick(text, (double)i * step, start + seconds(page));
        if ((!printed || at > printed) && at + strlen(time) <= fm_output_limit(page->out) - page->label)
            printed += (size_t)fprintf(page->out, "%*s%s", (int)(at - printed), "", time);
    }
    fputc('\n', page->out);
}

static void share_cell(struct fm_table *table, uint64_t ns, double whole)
{
    if (ns)
        fm_cell_number(table, fm_ratio((double)ns, whole));
    else
        fm_cell_none(table);
}

static void print_legend(const struct sequence_text *page)
{
    static const struct fm_column columns[] = {{"", NULL, FM_COLUMN_BAR},
                                               {"module", NULL, FM_COLUMN_TEXT},
                                               {"work %", NULL, FM_COLUMN_PERCENT},
                                               {"transfer %", NULL, FM_COLUMN_PERCENT},
                                               {"waiting %", NULL, FM_COLUMN_PERCENT}};
    const struct fm_module_sequence *s = page->sequence;
    double whole = (double)fm_sequence_ns(s->ns);
    struct fm_table table;
    size_t shown = fm_report_rows(page->report, s->n_modules, DEFAULT_MODULES);
    fm_table_start(&table, &page->report->arena, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < shown; i++) {
        fm_cell_text(&table, fm_format(&page->report->arena, "%c", page->letters[i]));
        fm_cell_text(&table, s->modules[i].name);
        for (enum fm_module_state state = 0; state < FM_MODULE_STATES; state++)
            share_cell(&table, s->modules[i].ns[state], whole);
    }
    fputc('\n', page->out);
    fm_table_print(&table, page->out);
    fm_print_more(page->out, shown, s->n_modules, "module");
}

static void print_foot(const struct sequence_text *page, size_t step)
{
    char time[FM_UNIT_CHARS];
    const struct fm_module_sequence *s = page->sequence;
    size_t every = step * s->rank_step;
    size_t letters = s->n_moments < page->columns ? s->n_moments : page->columns;
    fm_print_sentence(page->out, "Each character is a sample and stands for %s: upper case work, lower case waiting%s.",
                      fm_time_text(time, seconds(page) * 1e9 / (double)letters),
                      s->in[FM_MODULE_TRANSFER] ? ", = transfer" : "");
    fputs("Blanks: no sample.\n", page->out);
    fm_print_sentence(page->out,
                      "MPI time is attributed to the calling module; a collective is waiting if most of its time is.");
    fm_print_sentence(
        page->out,
        "Only the main thread of a process is drawn; %%: of the sampled time of all threads, as in modules.");
    if (every > 1)
        fprintf(page->out, "One rank in %zu is shown%s.\n", every, step > 1 ? "; --all shows more" : "");
    if (s->n_modules > FM_MODULE_LETTERS)
        fprintf(page->out, "%c, %c: other modules.\n", FM_MODULE_OTHER, FM_SEQUENCE_OTHER_WAITS);
}

enum fm_status fm_view_sequence_text(struct fm_report *report, FILE *out, struct fm_error *error)
{
    struct fm_module_sequence sequence;
    fm_print_incomplete(report, out);
    enum fm_status status = fm_report_sequence(report, &sequence, error);
    if (status)
        return status;
    if (!sequence.n_rows) {
        fm_print_folded(out, fm_no_sequence, 0);
        return FM_OK;
    }
    char *letters = fm_arena_alloc(&report->arena, sequence.n_named + 1);
    struct sequence_text page = {.report = report, .sequence = &sequence, .letters = letters, .out = out};
    if (!letters || !fm_sequence_letters(&sequence, &report->arena, letters))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the sequence");
    lay_out(&page);
    fm_print_folded(out, fm_sequence_headline(report, &sequence), 2);
    fputc('\n', out);
    size_t step = rows_step(&page);
    size_t program = FM_NO_PROGRAM;
    for (size_t i = 0; i < sequence.n_rows; i += step) {
        program = print_program(&page, sequence.rows[i].rank, program);
        print_row(&page, &sequence.rows[i]);
    }
    print_axis(&page);
    print_legend(&page);
    print_foot(&page, step);
    return FM_OK;
}

/* ---- CSV ---- */

/* One row for each period that a rank was in one module and state. */
enum fm_status fm_view_sequence_csv(struct fm_report *report, FILE *out, struct fm_error *error)
{
    static const char *const keys[] = {"rank", "start_s", "end_s", "module", "state"};
    struct fm_module_sequence s;
    struct fm_csv csv = {.out = out};
    enum fm_status status = fm_report_sequence(report, &s, error);
    if (status)
        return status;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        fm_csv_text(&csv, keys[i]);
    fm_csv_end_row(&csv);
    for (size_t row = 0; row < s.n_rows; row++)
        for (size_t at = 0, n; at < s.n_moments; at += n) {
            const struct fm_module_moment *moment = &s.rows[row].moments[at];
            n = fm_module_run(&s, &s.rows[row], at);
            if (!moment->module)
                continue;
            fm_csv_whole(&csv, s.rows[row].rank);
            fm_csv_seconds(&csv, s.start_ns + at * s.moment_ns);
            fm_csv_seconds(&csv, s.start_ns + (at + n) * s.moment_ns);
            fm_csv_text(&csv, s.modules[moment->module - 1].name);
            fm_csv_text(&csv, fm_module_states[moment->state]);
            fm_csv_end_row(&csv);
        }
    return FM_OK;
}
