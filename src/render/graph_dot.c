/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a graph for Graphviz. */
#include <string.h>

#include "render/graph.h"
#include "render/text.h"

static void write_text(FILE *out, const char *text)
{
    fm_print_safe(out, FM_SAFE_DOT, text, strlen(text));
}

static void write_attribute(FILE *out, const char *key, const char *text, const char *more)
{
    fprintf(out, ", %s=\"", key);
    write_text(out, text);
    if (more[0]) {
        fputs("\\n", out);
        write_text(out, more);
    }
    fputc('"', out);
}

static void write_colour(FILE *out, const char *key, struct fm_colour colour)
{
    fprintf(out, ", %s=\"#%02x%02x%02x\"", key, colour.red, colour.green, colour.blue);
}

/* Prints tenths as integers, independent of the locale. */
static void write_width(FILE *out, double width)
{
    unsigned tenths = (unsigned)(width * 10 + 0.5);
    fprintf(out, "penwidth=%u.%u", tenths / 10, tenths % 10);
}

static void write_node(FILE *out, const struct fm_graph_node *node, size_t number)
{
    struct fm_colour fill = fm_share_colour(node->share);
    fprintf(out, "  n%zu [", number);
    write_width(out, node->waiting > 0 ? 2.5 : 1);
    write_attribute(out, "label", node->name, node->cost);
    write_attribute(out, "tooltip", node->title, "");
    write_colour(out, "fillcolor", fill);
    if (node->waiting > 0)
        write_colour(out, "color", fm_waiting_colour);
    if (fm_colour_is_dark(fill))
        fputs(", fontcolor=white", out);
    fputs("]\n", out);
}

static void write_edge(FILE *out, const struct fm_graph_node *node, size_t number)
{
    fprintf(out, "  n%u -> n%zu [", node->parent, number);
    write_width(out, fm_line_width(node->share));
    if (node->waiting > 0)
        write_colour(out, "color", fm_waiting_colour);
    write_attribute(out, "tooltip", node->name, node->cost);
    fputs("]\n", out);
}

enum fm_status fm_graph_dot(const struct fm_graph *graph, FILE *out)
{
    fputs("digraph fathom {\n"
          "  graph [charset=\"UTF-8\", rankdir=LR, fontname=\"sans-serif\", labelloc=t",
          out);
    write_attribute(out, "label", graph->title, graph->foot);
    fputs("]\n"
          "  node [shape=box, style=\"filled,rounded\", fontname=\"sans-serif\", color=\"#5b6b7d\"]\n"
          "  edge [color=\"#9fb0c0\", arrowsize=0.7]\n",
          out);
    for (size_t i = 0; i < graph->n; i++)
        write_node(out, &graph->nodes[i], i);
    for (size_t i = 0; i < graph->n; i++)
        if (graph->nodes[i].parent != FM_GRAPH_NONE)
            write_edge(out, &graph->nodes[i], i);
    fputs("}\n", out);
    return FM_OK;
}
