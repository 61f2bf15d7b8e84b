/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a graph as SVG, from left to right. Text is real text, nodes have tooltips, and nothing external is loaded. */
#include "base/utf8.h"
#include "render/graph.h"
#include "render/tree_layout.h"
#include "render/xml.h"

enum {
    MARGIN = FM_SVG_MARGIN,
    HEAD = FM_SVG_HEAD,
    FOOT = 48,
    BOX_HEIGHT = 40,
    ROW = 52,
    GAP = 52, /* between columns, for the edges */
    PADDING = 10,
    NAME_SIZE = 13,
    COST_SIZE = 12,
    NAME_COLUMNS = 34,
    MIN_WIDTH = 560,
};

struct drawing {
    const struct fm_graph *graph;
    const struct fm_tree_position *places;
    double *left, *width; /* by column */
    size_t columns;
    double page_width, page_height;
    FILE *out;
};

/* ---- geometry ---- */

static double box_top(const struct drawing *drawing, size_t node)
{
    return HEAD + drawing->places[node].row * ROW;
}

static double name_width(const char *name)
{
    struct fm_cut cut = fm_text_cut(name, NAME_COLUMNS);
    return cut.tail ? NAME_COLUMNS * 0.64 : fm_xml_width(name);
}

static bool measure(struct drawing *drawing, struct fm_arena *arena)
{
    const struct fm_graph *graph = drawing->graph;
    double bottom = HEAD, right = MARGIN;
    for (size_t i = 0; i < graph->n; i++)
        drawing->columns = drawing->places[i].depth >= drawing->columns ? drawing->places[i].depth + 1
                                                                        : drawing->columns;
    drawing->left = fm_arena_alloc(arena, drawing->columns * sizeof *drawing->left);
    drawing->width = fm_arena_alloc(arena, drawing->columns * sizeof *drawing->width);
    if (!drawing->left || !drawing->width)
        return false;
    for (size_t i = 0; i < graph->n; i++) {
        double name = 1.08 * NAME_SIZE * name_width(graph->nodes[i].name); /* bold is wider */
        double cost = COST_SIZE * fm_xml_width(graph->nodes[i].cost);
        double width = (name > cost ? name : cost) + 2 * PADDING, *widest = &drawing->width[drawing->places[i].depth];
        *widest = width > *widest ? width : *widest;
        bottom = box_top(drawing, i) + BOX_HEIGHT > bottom ? box_top(drawing, i) + BOX_HEIGHT : bottom;
    }
    for (size_t i = 0; i < drawing->columns; i++) {
        drawing->left[i] = right;
        right += drawing->width[i] + GAP;
    }
    drawing->page_width = right - GAP + MARGIN > MIN_WIDTH ? right - GAP + MARGIN : MIN_WIDTH;
    double title = fm_svg_title_width(graph->title);
    drawing->page_width = title > drawing->page_width ? title : drawing->page_width;
    drawing->page_height = bottom + FOOT;
    return true;
}

/* ---- elements ---- */

static void colour(const struct drawing *drawing, const char *name, struct fm_colour of)
{
    fprintf(drawing->out, " %s=\"#%02x%02x%02x\"", name, of.red, of.green, of.blue);
}

static void title(const struct drawing *drawing, const char *text)
{
    fputs("<title>", drawing->out);
    fm_xml_text(drawing->out, text);
    fputs("</title>", drawing->out);
}

static void line(const struct drawing *drawing, size_t node, double width, struct fm_colour of)
{
    const struct fm_tree_position *from = &drawing->places[drawing->graph->nodes[node].parent],
                                  *to = &drawing->places[node];
    double x1 = drawing->left[from->depth] + drawing->width[from->depth], x2 = drawing->left[to->depth];
    double y1 = HEAD + from->row * ROW + BOX_HEIGHT / 2.0, y2 = HEAD + to->row * ROW + BOX_HEIGHT / 2.0;
    const double points[] = {x1, y1, (x1 + x2) / 2, y1, (x1 + x2) / 2, y2, x2, y2};
    fputs("<path d=\"", drawing->out);
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        fputs(i == 0 ? "M" : i == 2 ? " C" : " ", drawing->out);
        fm_xml_number(drawing->out, points[i]);
    }
    fputs("\" fill=\"none\"", drawing->out);
    colour(drawing, "stroke", of);
    fm_xml_attribute(drawing->out, "stroke-width", width);
    fputs("/>\n", drawing->out);
}

/* The whole call in grey, the waiting part in orange on top. */
static void edge(const struct drawing *drawing, size_t node)
{
    const struct fm_graph_node *of = &drawing->graph->nodes[node];
    double waiting = fm_line_width(of->waiting);
    line(drawing, node, fm_line_width(of->share), (struct fm_colour){0xb4, 0xc0, 0xcd});
    if (of->waiting > 0)
        line(drawing, node, waiting > 2 ? waiting : 2, fm_waiting_colour);
}

static void name_text(const struct drawing *drawing, const char *name)
{
    struct fm_cut cut = fm_text_cut(name, NAME_COLUMNS);
    if (!cut.tail) {
        fm_xml_text(drawing->out, name);
        return;
    }
    char head[8 * NAME_COLUMNS];
    snprintf(head, sizeof head, "%.*s..", (int)cut.head, name);
    fm_xml_text(drawing->out, head);
    fm_xml_text(drawing->out, cut.tail);
}

static void box(const struct drawing *drawing, size_t node)
{
    const struct fm_graph_node *of = &drawing->graph->nodes[node];
    struct fm_colour fill = fm_share_colour(of->share);
    double x = drawing->left[drawing->places[node].depth], y = box_top(drawing, node);
    const char *ink = fm_colour_is_dark(fill) ? "#ffffff" : "#1b2733";
    fputs("<g>", drawing->out);
    title(drawing, of->title);
    fputs("<rect", drawing->out);
    fm_xml_attribute(drawing->out, "x", x);
    fm_xml_attribute(drawing->out, "y", y);
    fm_xml_attribute(drawing->out, "width", drawing->width[drawing->places[node].depth]);
    fm_xml_attribute(drawing->out, "height", BOX_HEIGHT);
    fputs(" rx=\"6\"", drawing->out);
    colour(drawing, "fill", fill);
    colour(drawing, "stroke", of->waiting > 0 ? fm_waiting_colour : (struct fm_colour){0x7d, 0x8f, 0xa1});
    fm_xml_attribute(drawing->out, "stroke-width", of->waiting > 0 ? 2 : 1);
    fputs("/><text", drawing->out);
    fm_xml_attribute(drawing->out, "x", x + PADDING);
    fm_xml_attribute(drawing->out, "y", y + 17);
    fprintf(drawing->out, " font-size=\"%d\" font-weight=\"bold\" fill=\"%s\">", NAME_SIZE, ink);
    name_text(drawing, of->name);
    fputs("</text><text", drawing->out);
    fm_xml_attribute(drawing->out, "x", x + PADDING);
    fm_xml_attribute(drawing->out, "y", y + 33);
    fprintf(drawing->out, " font-size=\"%d\" fill=\"%s\">", COST_SIZE, ink);
    fm_xml_text(drawing->out, of->cost);
    fputs("</text></g>\n", drawing->out);
}

/* ---- page ---- */

static void legend(const struct drawing *drawing)
{
    static const struct {
        double share;
        const char *label;
    } steps[] = {{0.01, "1 %"}, {0.1, "10 %"}, {0.25, "25 %"}, {0.5, "50 %"}, {1, "100 %"}};
    static const char label_style[] = "font-size=\"11\" fill=\"#4a5a6a\"";
    double x = MARGIN, y = drawing->page_height - 26;
    bool waits = false;
    for (size_t i = 0; i < drawing->graph->n; i++)
        waits |= drawing->graph->nodes[i].waiting > 0;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++, x += 58) {
        fputs("<rect", drawing->out);
        fm_xml_attribute(drawing->out, "x", x);
        fm_xml_attribute(drawing->out, "y", y);
        fputs(" width=\"14\" height=\"12\" stroke=\"#7d8fa1\"", drawing->out);
        colour(drawing, "fill", fm_share_colour(steps[i].share));
        fputs("/>", drawing->out);
        fm_svg_text(drawing->out, x + 18, y + 10, label_style, steps[i].label);
    }
    fm_svg_text(drawing->out, x, y + 10, label_style, drawing->graph->shade ? drawing->graph->shade : "of the time");
    x += 78;
    if (waits) {
        fputs("<path d=\"M", drawing->out);
        fm_xml_number(drawing->out, x);
        fputc(' ', drawing->out);
        fm_xml_number(drawing->out, y + 6);
        fputs(" h24\" stroke-width=\"3\"", drawing->out);
        colour(drawing, "stroke", fm_waiting_colour);
        fputs("/>", drawing->out);
        fm_svg_text(drawing->out, x + 30, y + 10, label_style,
                    drawing->graph->orange ? drawing->graph->orange : "[waiting]");
        x += 96;
    }
    fm_svg_text(drawing->out, x, y + 10, label_style, drawing->graph->foot);
    fputc('\n', drawing->out);
}

enum fm_status fm_graph_svg(const struct fm_graph *graph, struct fm_arena *arena, FILE *out, struct fm_error *error)
{
    struct drawing drawing = {.graph = graph, .out = out};
    uint32_t *parents = fm_arena_alloc(arena, graph->n * sizeof *parents);
    for (size_t i = 0; parents && i < graph->n; i++)
        parents[i] = graph->nodes[i].parent;
    drawing.places = parents ? fm_tree_layout(parents, graph->n, arena) : NULL;
    if (!drawing.places || !measure(&drawing, arena))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for a picture");
    fm_svg_start(out, drawing.page_width, drawing.page_height, graph->title);
    for (size_t i = 0; i < graph->n; i++)
        if (graph->nodes[i].parent != FM_GRAPH_NONE)
            edge(&drawing, i);
    for (size_t i = 0; i < graph->n; i++)
        box(&drawing, i);
    legend(&drawing);
    fputs("</svg>\n", out);
    return FM_OK;
}
