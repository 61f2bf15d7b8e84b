/* SPDX-License-Identifier: BSD-3-Clause */
/* Small line charts for an SVG picture: several side by side, each with a few lines that are named at their ends.
 * Lines differ in colour, in the shape of their marks and in their dashes, so that grey and colour-blind eyes do. */
#ifndef FM_RENDER_CHART_H
#define FM_RENDER_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { FM_CHART_LINES = 6, FM_CHART_WIDTH = 460, FM_CHART_HEIGHT = 250 };

struct fm_chart_line {
    const char *name;
    const double *values; /* not negative */
    unsigned style;       /* below FM_CHART_LINES: how it is drawn */
    bool reference;       /* no line of its own: what would be ideal */
};

struct fm_chart {
    const char *title, *below; /* below: what the horizontal axis has */
    struct fm_chart_line lines[FM_CHART_LINES];
    size_t n_lines;
    const double *places; /* of the points: from 0, left, to 1 */
    const char *const *labels;
    size_t n;
};

/* Values are seconds. Its upper left corner is at x, y. */
void fm_chart_draw(const struct fm_chart *chart, double x, double y, FILE *out);

/* What charts share with other pictures. Between two ticks: 1, 2, 2.5 or 5 times a power of ten, so that at most so many
 * reach a value. */
double fm_chart_step(double value, unsigned ticks);
/* "15 s", "0.25 s", "200 ms": all ticks of an axis in the unit of its largest value; FM_UNIT_CHARS. */
const char *fm_chart_tick(char *buffer, double seconds, double most);
const char *fm_chart_colour(size_t style); /* of lines, and further ones that differ from these */
enum { FM_CHART_COLOURS = 12 };            /* the last one is grey: of all the others */

#endif
