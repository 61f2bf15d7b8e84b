/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/chart.h"

#include "base/units.h"
#include "render/xml.h"

enum { LEFT = 58, RIGHT = 130, TOP = 34, BOTTOM = 42, MAX_TICKS = 5, LABEL_ROW = 14, MAX_DECIMALS = 9 };

struct style {
    const char *colour, *dashes;
};
static const char *const dashes[FM_CHART_LINES] = {"", "7 3", "2 3", "9 3 2 3", "4 2", "1 2"};
/* Any two differ by at least 0.08 in OKLab, also for people with protanopia, deuteranopia or tritanopia. The pages have
 * the same colours, and others on a dark background: web/src/style/tokens.css (tests/web/colours_test.py). */
static const char *const colours[FM_CHART_COLOURS] = {"#0072b2", "#d55e00", "#009e73", "#6e1307", "#3821d9", "#56b4e9",
                                                      "#934e0e", "#8db498", "#e0d400", "#5a1b60", "#8589b8", "#4d4d4d"};
static const struct style reference = {"#8594a3", "3 4"};
#define LABEL_STYLE "font-size=\"11\" fill=\"#4a5a6a\""

struct plot_area {
    const struct fm_chart *chart;
    double x, y, width, height; /* of the plotting area */
    double step;                /* between ticks */
    unsigned ticks;             /* the last one is at the upper edge */
    FILE *out;
};

double fm_chart_step(double value, unsigned ticks)
{
    static const double steps[] = {1, 2, 2.5, 5, 10};
    double power = 1e-9, min_step = value / ticks;
    size_t step = 0;
    while (power * 10 <= min_step)
        power *= 10;
    while (steps[step] * power < min_step && step < sizeof steps / sizeof *steps - 1)
        step++;
    return steps[step] * power;
}

const char *fm_chart_colour(size_t style)
{
    return colours[style < FM_CHART_OTHER ? style : FM_CHART_OTHER];
}

static double largest(const struct fm_chart *chart)
{
    double max = 1e-9;
    for (size_t i = 0; i < chart->n_lines; i++)
        for (size_t k = 0; k < chart->n; k++)
            max = chart->lines[i].values[k] > max ? chart->lines[i].values[k] : max;
    return max;
}

static double x_of(const struct plot_area *frame, size_t point)
{
    return frame->x + frame->chart->places[point] * frame->width;
}

static double y_of(const struct plot_area *frame, double value)
{
    return frame->y + frame->height * (1 - value / (frame->step * frame->ticks));
}

static struct style style_of(const struct plot_area *frame, size_t line)
{
    const struct fm_chart_line *of = &frame->chart->lines[line];
    return of->reference ? reference : (struct style){fm_chart_colour(of->colour), dashes[of->style]};
}

/* ---- elements ---- */

static bool is_whole(double number)
{
    double off = number - (double)fm_rounded(number);
    return off < 1e-3 && off > -1e-3;
}

const char *fm_chart_tick(char *buffer, double seconds, double max)
{
    static const struct {
        double seconds;
        const char *name;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
    char number[FM_UNIT_CHARS];
    size_t unit = 0;
    unsigned decimals = 0;
    while (unit < sizeof units / sizeof *units - 1 && units[unit].seconds > max * 1.000001)
        unit++;
    for (double value = seconds / units[unit].seconds; decimals < MAX_DECIMALS && !is_whole(value); value *= 10)
        decimals++;
    fm_decimal_text(number, seconds / units[unit].seconds, decimals);
    snprintf(buffer, FM_UNIT_CHARS, "%.24s %s", number, units[unit].name);
    return seconds > 0 ? buffer : "0";
}

static void draw_axes(const struct plot_area *frame)
{
    char text[FM_UNIT_CHARS];
    for (unsigned i = 0; i <= frame->ticks; i++) {
        double y = y_of(frame, frame->step * i);
        fputs("<path d=\"M", frame->out);
        fm_xml_number(frame->out, frame->x);
        fputc(' ', frame->out);
        fm_xml_number(frame->out, y);
        fputs(" h", frame->out);
        fm_xml_number(frame->out, frame->width);
        fprintf(frame->out, "\" stroke=\"%s\"/>", i ? "#e3e8ed" : "#7d8fa1");
        fm_svg_text(frame->out, frame->x - 8, y + 4, LABEL_STYLE " text-anchor=\"end\"",
                    fm_chart_tick(text, frame->step * i, frame->step * frame->ticks));
    }
    for (size_t i = 0; i < frame->chart->n; i++)
        fm_svg_text(frame->out, x_of(frame, i), frame->y + frame->height + 16, LABEL_STYLE " text-anchor=\"middle\"",
                    frame->chart->labels[i]);
    fm_svg_text(frame->out, frame->x + frame->width / 2, frame->y + frame->height + 32,
                LABEL_STYLE " text-anchor=\"middle\"", frame->chart->below);
    fputc('\n', frame->out);
}

static void draw_mark(const struct plot_area *frame, size_t line, size_t point)
{
    static const char *const shapes[] = {
        "m-4 0 a4 4 0 1 0 8 0 a4 4 0 1 0 -8 0 z",
        "m-3.5 -3.5 h7 v7 h-7 z",
        "m0 -4.5 l4.5 8 h-9 z",
        "m0 -5 l5 5 l-5 5 l-5 -5 z",
        "m0 4.5 l4.5 -8 h-9 z",
        "m-4 -1.5 h8 v3 h-8 z",
    };
    fputs("<path d=\"M", frame->out);
    fm_xml_number(frame->out, x_of(frame, point));
    fputc(' ', frame->out);
    fm_xml_number(frame->out, y_of(frame, frame->chart->lines[line].values[point]));
    fprintf(frame->out, " %s\" fill=\"%s\"/>", shapes[frame->chart->lines[line].style], style_of(frame, line).colour);
}

static void draw_line(const struct plot_area *frame, size_t line)
{
    struct style style = style_of(frame, line);
    char text[FM_UNIT_CHARS];
    fputs("<g><title>", frame->out);
    fm_xml_text(frame->out, frame->chart->lines[line].name);
    for (size_t i = 0; i < frame->chart->n; i++) {
        fputs(i ? ", " : ": ", frame->out);
        fputs(fm_time_fine(text, frame->chart->lines[line].values[i] * 1e9), frame->out);
    }
    fputs("</title><path d=\"", frame->out);
    for (size_t i = 0; i < frame->chart->n; i++) {
        fputs(i ? " L" : "M", frame->out);
        fm_xml_number(frame->out, x_of(frame, i));
        fputc(' ', frame->out);
        fm_xml_number(frame->out, y_of(frame, frame->chart->lines[line].values[i]));
    }
    fprintf(frame->out, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"", style.colour);
    if (style.dashes[0])
        fprintf(frame->out, " stroke-dasharray=\"%s\"", style.dashes);
    fputs("/>", frame->out);
    for (size_t i = 0; i < frame->chart->n && !frame->chart->lines[line].reference; i++)
        draw_mark(frame, line, i);
    fputs("</g>\n", frame->out);
}

/* Draws the names at the right ends of the lines, from top to bottom, each at least one row below the previous one, and
 * moved up again if they would leave the frame. */
static void draw_names(const struct plot_area *frame)
{
    const struct fm_chart *chart = frame->chart;
    size_t order[FM_CHART_LINES], last = chart->n - 1;
    double at[FM_CHART_LINES], lowest = frame->y + frame->height;
    for (size_t i = 0; i < chart->n_lines; i++) {
        size_t k = i;
        for (; k > 0 && chart->lines[order[k - 1]].values[last] < chart->lines[i].values[last]; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    for (size_t i = 0; i < chart->n_lines; i++) {
        at[i] = y_of(frame, chart->lines[order[i]].values[last]);
        if (i && at[i] < at[i - 1] + LABEL_ROW)
            at[i] = at[i - 1] + LABEL_ROW;
    }
    for (size_t i = chart->n_lines; i-- > 0; lowest = at[i] - LABEL_ROW)
        at[i] = at[i] > lowest ? lowest : at[i];
    for (size_t i = 0; i < chart->n_lines; i++) {
        char style[64];
        snprintf(style, sizeof style, "font-size=\"12\" fill=\"%s\"", style_of(frame, order[i]).colour);
        fm_svg_text(frame->out, frame->x + frame->width + 12, at[i] + 4, style, chart->lines[order[i]].name);
    }
    fputc('\n', frame->out);
}

void fm_chart_draw(const struct fm_chart *chart, double x, double y, FILE *out)
{
    struct plot_area frame = {.chart = chart,
                              .x = x + LEFT,
                              .y = y + TOP,
                              .width = FM_CHART_WIDTH - LEFT - RIGHT,
                              .height = FM_CHART_HEIGHT - TOP - BOTTOM,
                              .step = fm_chart_step(largest(chart), MAX_TICKS),
                              .out = out};
    while (frame.step * frame.ticks < largest(chart) && frame.ticks < MAX_TICKS + 1)
        frame.ticks++;
    fm_svg_text(out, x + LEFT, y + 16, "font-size=\"13\" font-weight=\"bold\" fill=\"#1b2733\"", chart->title);
    draw_axes(&frame);
    for (size_t i = 0; i < chart->n_lines; i++)
        draw_line(&frame, i);
    draw_names(&frame);
}
