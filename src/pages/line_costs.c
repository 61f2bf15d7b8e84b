/* SPDX-License-Identifier: BSD-3-Clause */
#include "pages/line_costs.h"

#include "base/saturate.h"
#include "base/sort.h"

#define NO_LINE UINT32_MAX

/* A context and the line that it is in, or is called from. */
struct line_place {
    int32_t path;
    uint32_t line, node;
};

static int compare_places(const void *a, const void *b)
{
    const struct line_place *x = a, *y = b;
    if (x->path != y->path)
        return x->path < y->path ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

static bool has_line(const struct fm_column_node *node)
{
    return node->path != FM_NO_STRING && node->line;
}

/* Finds all lines, without costs, and the number of the line of each node. */
static bool find_lines(const struct fm_columns *calls, struct fm_arena *arena, struct fm_arena *scratch,
                       struct fm_line_costs *costs, uint32_t *line_of)
{
    struct line_place *places = fm_arena_alloc(scratch, calls->n * sizeof *places);
    size_t n = 0;
    if (!places)
        return false;
    for (size_t i = 0; i < calls->n; i++) {
        line_of[i] = NO_LINE;
        if (has_line(&calls->nodes[i]))
            places[n++] = (struct line_place){calls->nodes[i].path, calls->nodes[i].line, (uint32_t)i};
    }
    if (!fm_sort(places, n, sizeof *places, compare_places, scratch))
        return false;
    for (size_t i = 0; i < n; i++) {
        costs->n += !i || compare_places(&places[i - 1], &places[i]) != 0;
        line_of[places[i].node] = (uint32_t)costs->n - 1;
    }
    costs->items = fm_arena_alloc(arena, costs->n * sizeof *costs->items);
    for (size_t i = 0; i < n && costs->items; i++)
        costs->items[line_of[places[i].node]] = (struct fm_line_cost){places[i].path, places[i].line, 0, 0};
    return costs->items != NULL;
}

/* active: by line, how many of the contexts on the stack have it. */
static void add_costs(const struct fm_columns *calls, const uint32_t *line_of, uint32_t *active,
                      struct fm_line_costs *costs)
{
    uint32_t at = 0; /* the innermost context on the stack; the root has no line */
    for (uint32_t i = 1; i < calls->n; i++) {
        const struct fm_column_node *node = &calls->nodes[i];
        for (; at != node->parent; at = calls->nodes[at].parent)
            if (line_of[at] != NO_LINE)
                active[line_of[at]]--;
        at = i;
        if (line_of[i] == NO_LINE)
            continue;
        struct fm_line_cost *cost = &costs->items[line_of[i]];
        if (!active[line_of[i]]++)
            fm_add_saturating(&cost->all_ns, node->all_ns);
        if (node->kind == FM_CONTEXT_STATEMENT || node->kind == FM_CONTEXT_CALL_SITE)
            fm_add_saturating(&cost->own_ns, node->own_ns);
    }
}

bool fm_line_costs_find(const struct fm_columns *calls, struct fm_arena *arena, struct fm_line_costs *costs)
{
    struct fm_arena scratch = {0};
    uint32_t *line_of = fm_arena_alloc(&scratch, calls->n * sizeof *line_of), *active = NULL;
    *costs = (struct fm_line_costs){0};
    if (line_of && find_lines(calls, arena, &scratch, costs, line_of))
        active = fm_arena_alloc(&scratch, costs->n * sizeof *active);
    if (active)
        add_costs(calls, line_of, active, costs);
    fm_arena_destroy(&scratch);
    return active != NULL;
}

struct fm_line_costs fm_line_costs_of(const struct fm_line_costs *costs, int32_t path)
{
    size_t low = 0, high = costs->n, n = 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (costs->items[middle].path < path)
            low = middle + 1;
        else
            high = middle;
    }
    while (low + n < costs->n && costs->items[low + n].path == path)
        n++;
    return (struct fm_line_costs){costs->items + low, n};
}
