/* SPDX-License-Identifier: BSD-3-Clause */
/* The activity of ranks over time as a picture: a row of coloured cells per rank, time from left to right; transfer has
 * half the height, waiting is pale. */
#include "base/units.h"
#include "render/chart.h"
#include "render/xml.h"
#include "report/sequence_style.h"

enum {
    WIDTH = 1000,
    LABELS = 70,
    AXIS = 40,
    LEGEND_ROW = 22,
    LEGEND_COLUMNS = 2,
    TICKS = 10,
    MIN_LABEL = 14,
    MARK = 8, /* px, maximum */
    NAME_COLUMNS = 20,
    SAMPLE = 12, /* px, in the legend */
};
#define LABEL_STYLE "font-size=\"12\" fill=\"#4a5a6a\""
#define PALE "0.35"

struct sequence_picture {
    struct fm_report *report;
    const struct fm_module_sequence *sequence;
    unsigned *colours;     /* by module */
    double left, top, row; /* px: upper left corner of the cells, and row height */
    FILE *out;
};

static size_t legend_items(const struct fm_module_sequence *s)
{
    return s->n_modules < FM_CHART_COLOURS ? s->n_modules : FM_CHART_COLOURS;
}

static double x_of(const struct sequence_picture *page, size_t moment)
{
    return page->left + (double)WIDTH * (double)moment / (double)page->sequence->n_moments;
}

static const char *share_text(const struct sequence_picture *page, size_t moments)
{
    char share[FM_UNIT_CHARS];
    const struct fm_module_sequence *s = page->sequence;
    return fm_format(&page->report->arena, "%s",
                     fm_percent_fine(share, fm_ratio((double)moments, (double)s->n_moments)));
}

/* In px. Each moment is one sample: if a moment is wider than a mark, the rest stays white. */
static double mark_width(const struct sequence_picture *page)
{
    double moment = (double)WIDTH / (double)page->sequence->n_moments;
    return moment < MARK ? moment : MARK;
}

static double stroke_width(const struct sequence_picture *page)
{
    return page->row > 6 ? page->row - 2 : page->row;
}

static bool is_in(const struct fm_module_moment *moment, size_t module, enum fm_module_state state)
{
    return moment->module == module + 1 && moment->state == state;
}

/* The number of moments from `at` on that are drawn as one stroke: equal ones, if their marks touch. */
static size_t stroke_of(const struct sequence_picture *page, const struct fm_module_row *row, size_t at)
{
    return page->sequence->n_moments * MARK < WIDTH ? 1 : fm_module_run(page->sequence, row, at);
}

/* Draws all moments of a rank in one module and state as one dashed line with a title. */
static void draw_cells(const struct sequence_picture *page, const struct fm_module_row *row, double y, size_t module,
                       enum fm_module_state state)
{
    const struct fm_module_sequence *s = page->sequence;
    size_t moments = 0;
    for (size_t i = 0; i < s->n_moments; i++)
        moments += is_in(&row->moments[i], module, state);
    if (!moments)
        return;
    fprintf(page->out, "<path stroke=\"%s\"", fm_chart_colour(page->colours[module]));
    if (state == FM_MODULE_TRANSFER)
        fm_xml_attribute(page->out, "stroke-width", stroke_width(page) / 2);
    fprintf(page->out, "%s d=\"", state == FM_MODULE_WAITING ? " stroke-opacity=\"" PALE "\"" : "");
    for (size_t at = 0, n; at < s->n_moments; at += n) {
        n = stroke_of(page, row, at);
        if (!is_in(&row->moments[at], module, state))
            continue;
        fputc('M', page->out);
        fm_xml_number(page->out, x_of(page, at));
        fputc(' ', page->out);
        fm_xml_number(page->out, y);
        fputc('H', page->out);
        fm_xml_number(page->out, x_of(page, at + n - 1) + mark_width(page));
    }
    fprintf(page->out, "\"><title>rank %u: ", row->rank);
    fm_xml_text(page->out, s->modules[module].name);
    fprintf(page->out, ", %s %s of the time</title></path>\n", fm_module_states[state], share_text(page, moments));
}

static void draw_rows(const struct sequence_picture *page)
{
    const struct fm_module_sequence *s = page->sequence;
    size_t labelled = 1;
    while ((double)labelled * page->row < MIN_LABEL)
        labelled++;
    for (size_t i = 0; i < s->n_rows; i += labelled)
        fm_svg_text(page->out, page->left - 8, page->top + ((double)i + 0.5) * page->row + 4,
                    LABEL_STYLE " text-anchor=\"end\"", fm_format(&page->report->arena, "rank %u", s->rows[i].rank));
    fputs("\n<g fill=\"none\"", page->out);
    fm_xml_attribute(page->out, "stroke-width", stroke_width(page));
    fputs(">\n", page->out);
    for (size_t i = 0; i < s->n_rows; i++)
        for (size_t module = 0; module < s->n_modules; module++) {
            double y = page->top + ((double)i + 0.5) * page->row;
            for (enum fm_module_state state = 0; state < FM_MODULE_STATES; state++)
                draw_cells(page, &s->rows[i], y, module, state);
        }
    fputs("</g>\n", page->out);
}

static void draw_axis(const struct sequence_picture *page)
{
    const struct fm_module_sequence *s = page->sequence;
    double start = (double)s->start_ns / 1e9, span = (double)s->moment_ns * (double)s->n_moments / 1e9,
           step = fm_chart_step(span, TICKS), y = page->top + (double)s->n_rows * page->row + 4;
    char text[FM_UNIT_CHARS];
    fputs("<path stroke=\"#7d8fa1\" d=\"M", page->out);
    fm_xml_number(page->out, page->left);
    fputc(' ', page->out);
    fm_xml_number(page->out, y);
    fprintf(page->out, "h%d\"/>", WIDTH);
    uint64_t first = (uint64_t)(start / step);
    for (uint64_t i = first + ((double)first * step < start); (double)i * step <= start + span; i++) {
        double x = page->left + WIDTH * ((double)i * step - start) / span;
        fputs("<path stroke=\"#7d8fa1\" d=\"M", page->out);
        fm_xml_number(page->out, x);
        fputc(' ', page->out);
        fm_xml_number(page->out, y);
        fputs("v5\"/>", page->out);
        fm_svg_text(page->out, x, y + 18, LABEL_STYLE " text-anchor=\"middle\"",
                    fm_chart_tick(text, (double)i * step, start + span));
    }
    fputc('\n', page->out);
}

static void draw_sample(const struct sequence_picture *page, double x, double y, const char *colour,
                        enum fm_module_state state)
{
    int height = state == FM_MODULE_TRANSFER ? SAMPLE / 2 : SAMPLE;
    fprintf(page->out, "<rect width=\"%d\" height=\"%d\" fill=\"%s\" fill-opacity=\"%s\"", SAMPLE, height, colour,
            state == FM_MODULE_WAITING ? PALE : "1");
    fm_xml_attribute(page->out, "x", x);
    fm_xml_attribute(page->out, "y", y - 10 + (SAMPLE - height) / 2.0);
    fputs("/>", page->out);
}

/* "ocean: work 30 %, transfer 1 %, waiting 2 %" */
static const char *legend_text(const struct sequence_picture *page, const struct fm_sequence_module *module)
{
    double whole = (double)fm_sequence_ns(page->sequence->ns);
    char share[FM_UNIT_CHARS];
    struct fm_cut cut = fm_text_cut(module->name, NAME_COLUMNS);
    const char *text = cut.tail ? fm_format(&page->report->arena, "%.*s..%s:", (int)cut.head, module->name, cut.tail)
                                : fm_format(&page->report->arena, "%s:", module->name);
    const char *separator = " ";
    for (enum fm_module_state state = 0; state < FM_MODULE_STATES; state++) {
        if (!module->ns[state])
            continue;
        text = fm_format(&page->report->arena, "%s%s%s %s", text, separator, fm_module_states[state],
                         fm_percent_whole(share, fm_ratio((double)module->ns[state], whole)));
        separator = ", ";
    }
    return text;
}

/* Samples of work, transfer and waiting side by side, then the name and the shares. */
static void draw_legend_item(const struct sequence_picture *page, size_t place, unsigned colour,
                             const struct fm_sequence_module *module)
{
    size_t line = place / LEGEND_COLUMNS;
    double x = page->left + (double)(place % LEGEND_COLUMNS) * WIDTH / LEGEND_COLUMNS;
    double y = page->top + (double)page->sequence->n_rows * page->row + AXIS + 16 + (double)line * LEGEND_ROW;
    for (enum fm_module_state state = 0; state < FM_MODULE_STATES; state++)
        draw_sample(page, x + state * (SAMPLE + 2), y, fm_chart_colour(colour), state);
    fm_svg_text(page->out, x + 48, y, LABEL_STYLE, legend_text(page, module));
    fputc('\n', page->out);
}

/* Modules without a colour of their own are one item. */
static void draw_legend(const struct sequence_picture *page)
{
    const struct fm_module_sequence *s = page->sequence;
    struct fm_sequence_module others = {0};
    size_t n = 0;
    for (size_t i = 0; i < s->n_modules; i++) {
        if (page->colours[i] != FM_CHART_OTHER) {
            draw_legend_item(page, n++, page->colours[i], &s->modules[i]);
            continue;
        }
        others.name = others.name ? "others" : s->modules[i].name;
        for (enum fm_module_state state = 0; state < FM_MODULE_STATES; state++)
            others.ns[state] += s->modules[i].ns[state];
    }
    if (others.name)
        draw_legend_item(page, n, FM_CHART_OTHER, &others);
}

static void draw_note(const struct sequence_picture *page, double y)
{
    char time[FM_UNIT_CHARS];
    fm_svg_text(
        page->out, page->left, y, LABEL_STYLE,
        fm_format(&page->report->arena,
                  "Each mark is one sample and stands for %s; half height: transfer, pale: waiting, white: no data.",
                  fm_time_text(time, (double)page->sequence->moment_ns)));
    fputc('\n', page->out);
}

static double height_of_row(size_t rows)
{
    return rows <= 16 ? 24 : rows <= 32 ? 16 : 10;
}

enum fm_status fm_view_sequence_svg(struct fm_report *report, FILE *out, struct fm_error *error)
{
    struct fm_module_sequence sequence;
    enum fm_status status = fm_report_sequence(report, &sequence, error);
    if (status)
        return status;
    if (!sequence.n_rows)
        return fm_fail(error, FM_ERR_INPUT, "%s", fm_no_sequence);
    struct sequence_picture page = {.report = report,
                                    .sequence = &sequence,
                                    .colours = fm_arena_alloc(&report->arena, sequence.n_named * sizeof(unsigned)),
                                    .left = FM_SVG_MARGIN + LABELS,
                                    .top = FM_SVG_HEAD,
                                    .row = height_of_row(sequence.n_rows),
                                    .out = out};
    if (!page.colours || !fm_sequence_colours(&sequence, &report->arena, page.colours))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for a picture");
    size_t legend = (legend_items(&sequence) + LEGEND_COLUMNS - 1) / LEGEND_COLUMNS;
    double height = page.top + (double)sequence.n_rows * page.row + AXIS + (double)(legend + 1) * LEGEND_ROW +
                    FM_SVG_MARGIN;
    const char *title = fm_sequence_headline(report, &sequence);
    double width = page.left + WIDTH + 2 * FM_SVG_MARGIN, min_width = fm_svg_title_width(title);
    fm_svg_start(out, width > min_width ? width : min_width, height, title);
    draw_rows(&page);
    draw_axis(&page);
    draw_legend(&page);
    draw_note(&page, height - FM_SVG_MARGIN);
    fputs("</svg>\n", out);
    return FM_OK;
}
