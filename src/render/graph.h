/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures of trees with costs: the merged call graph and the module graph, after Figures 2 and 3 of Li and Luan, "A
 * Performance Tool for Earth System Models Development". One model and two writers: DOT, which Graphviz lays out, and
 * SVG, which is laid out here and needs no other tool.
 *
 * The larger the inclusive share of a node, the darker it is; only blue is used, so that it looks the same in greyscale
 * and to the colour-blind. Edges that lead to waiting are orange, and waiting times are in brackets. */
#ifndef FM_RENDER_GRAPH_H
#define FM_RENDER_GRAPH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"

enum { FM_GRAPH_NONE = UINT32_MAX };

struct fm_graph_node {
    uint32_t parent; /* smaller than its own number; FM_GRAPH_NONE for a root */
    const char *name;
    const char *cost;      /* second line, in smaller type */
    const char *title;     /* details for tooltips, several lines */
    double share, waiting; /* fraction of the time; waiting is part of share */
};

struct fm_graph {
    const char *title, *foot;   /* one line each; foot: what is left out, or "" */
    const char *shade, *orange; /* what they mean, in the legend; NULL: shares "of the time", "[waiting]" */
    struct fm_graph_node *nodes;
    size_t n;
};

enum fm_status fm_graph_dot(const struct fm_graph *graph, FILE *out);
enum fm_status fm_graph_svg(const struct fm_graph *graph, struct fm_arena *arena, FILE *out, struct fm_error *error);

/* ---- shared by both writers ---- */

struct fm_colour {
    unsigned char red, green, blue;
};

extern const struct fm_colour fm_waiting_colour;
struct fm_colour fm_share_colour(double share);
bool fm_colour_is_dark(struct fm_colour colour); /* use white text on it */
double fm_line_width(double share);              /* in px */

#endif
