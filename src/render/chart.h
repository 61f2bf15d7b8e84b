/* SPDX-License-Identifier: BSD-3-Clause */
/* Small line charts for an SVG picture: several side by side, each with a few lines that are labelled at their ends.
 * Lines differ in colour, marker shape and dashes, so that they can be distinguished in greyscale and by the
 * colour-blind. */
#ifndef FM_RENDER_CHART_H
#define FM_RENDER_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { FM_CHART_LINES = 6, FM_CHART_WIDTH = 460, FM_CHART_HEIGHT = 250 };

struct fm_chart_line {
    const char *name;
    const double *values; /* not negative */
    unsigned style;       /* of dashes and markers, below FM_CHART_LINES */
    unsigned colour;      /* of fm_chart_colour */
    bool reference;       /* drawn as the ideal line, not as a data line */
};

struct fm_chart {
    const char *title, *below; /* below: label of the horizontal axis */
    struct fm_chart_line lines[FM_CHART_LINES];
    size_t n_lines;
    const double *places; /* horizontal positions of the points: 0 (left) to 1 */
    const char *const *labels;
    size_t n;
};

/* Values are in seconds. x, y: upper left corner. */
void fm_chart_draw(const struct fm_chart *chart, double x, double y, FILE *out);

/* The following are shared with other pictures. The distance between ticks: 1, 2, 2.5 or 5 times a power of ten, so
 * that at most `ticks` ticks reach `value`. */
double fm_chart_step(double value, unsigned ticks);
/* "15 s", "0.25 s", "200 ms": all ticks of an axis have the unit of its maximum. The buffer has FM_UNIT_CHARS bytes. */
const char *fm_chart_tick(char *buffer, double seconds, double max);
const char *fm_chart_colour(size_t style); /* those of the lines, and more that differ from these */
enum { FM_CHART_COLOURS = 12, FM_CHART_OTHER = FM_CHART_COLOURS - 1 }; /* OTHER: grey, for everything else */

#endif
