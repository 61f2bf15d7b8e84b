#include "present/graph.h"

#include "base/units.h"

const struct fm_colour fm_waiting_colour = {0xd5, 0x5e, 0x00};

/* By the square root, as most shares are small: 1 % is a tenth of the way, 25 % the half. */
static double root_of(double share)
{
    double low = 0, high = 1;
    for (int i = 0; i < 20; i++) {
        double middle = (low + high) / 2;
        *(middle * middle < share ? &low : &high) = middle;
    }
    return high;
}

struct fm_colour fm_share_colour(double share)
{
    static const double stops[][3] = {{247, 250, 253}, {208, 226, 243}, {141, 187, 223}, {63, 131, 191}, {18, 63, 120}};
    enum { LAST = sizeof stops / sizeof *stops - 1 };
    double way = root_of(share) * LAST;
    int from = way >= LAST ? LAST - 1 : (int)way;
    double part = way - from, mixed[3];
    for (int i = 0; i < 3; i++)
        mixed[i] = stops[from][i] + part * (stops[from + 1][i] - stops[from][i]) + 0.5;
    return (struct fm_colour){(unsigned char)mixed[0], (unsigned char)mixed[1], (unsigned char)mixed[2]};
}

bool fm_colour_is_dark(struct fm_colour colour)
{
    return 3 * colour.red + 6 * colour.green + colour.blue < 1330;
}

double fm_line_width(double share)
{
    return 1 + 9 * share;
}

/* Rows come parents first, and every parent of one that is shown is shown. */
enum fm_status fm_graph_start(struct fm_report *report, const struct fm_tree_rows *rows, struct fm_graph *graph,
                              struct fm_error *error)
{
    char share[FM_UNIT_CHARS], count[FM_UNIT_CHARS];
    double whole = (double)report->profile->paths.nodes[0].all.sum_ns;
    graph->foot = "";
    graph->n = rows->n;
    graph->nodes = fm_arena_alloc(&report->arena, rows->n * sizeof *graph->nodes);
    if (!graph->nodes)
        return fm_fail(error, FM_ERR_MEMORY, "no memory left for a picture");
    for (size_t i = 0; i < rows->n; i++) {
        const struct fm_context *context = rows->items[i].context;
        uint32_t parent = FM_GRAPH_NONE;
        for (size_t k = i; k-- > 0 && parent == FM_GRAPH_NONE;)
            if (rows->items[k].context == context->parent)
                parent = (uint32_t)k;
        graph->nodes[i] = (struct fm_graph_node){.parent = parent, .name = context->id.name, .cost = "", .title = ""};
        graph->nodes[i].share = fm_ratio((double)context->all.of.sum_ns, whole);
    }
    if (rows->left_out)
        graph->foot = fm_format(&report->arena, "%s more below %s of the time", fm_count_text(count, rows->left_out),
                                fm_percent_fine(share, fm_ratio((double)rows->limit_ns, whole)));
    return FM_OK;
}
