/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures of trees with costs: the merged graph of calls and the graph of modules, after Figures 2 and 3 of Li and Luan,
 * "A Performance Tool for Earth System Models Development". One model and two writers: DOT, which graphviz lays out, and
 * SVG, which is laid out here and needs no other tool.
 *
 * A node is the darker the more of the time it has with all that it calls; blue alone, so that it reads the same in grey
 * and to the colour-blind. Ways that lead to waiting are lines in orange, and the waiting is written in brackets. */
#ifndef FM_RENDER_GRAPH_H
#define FM_RENDER_GRAPH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"

enum { FM_GRAPH_NONE = UINT32_MAX };

struct fm_graph_node {
    uint32_t parent; /* its number is smaller; FM_GRAPH_NONE: called by none */
    const char *name;
    const char *cost;      /* a second line, shorter */
    const char *title;     /* what is told of it where there is room: lines */
    double share, waiting; /* of the time; waiting is a part of it */
};

struct fm_graph {
    const char *title, *foot; /* a line each; of what is left out, or "" */
    struct fm_graph_node *nodes;
    size_t n;
};

enum fm_status fm_graph_dot(const struct fm_graph *graph, FILE *out);
enum fm_status fm_graph_svg(const struct fm_graph *graph, struct fm_arena *arena, FILE *out, struct fm_error *error);

/* ---- what both writers share ---- */

struct fm_colour {
    unsigned char red, green, blue;
};

extern const struct fm_colour fm_waiting_colour;
struct fm_colour fm_share_colour(double share);
bool fm_colour_is_dark(struct fm_colour colour); /* text on it is white */
double fm_line_width(double share);              /* in px */

#endif
