/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/tree_layout.h"

/* The outline of a subtree: its extent up and down on each level, relative to the row of its root. */
struct outline {
    double *top, *bottom;
    size_t levels, capacity;
};

struct tree_layout {
    struct fm_arena *arena;
    uint32_t *first, *next; /* children, as number + 1; node n is the parent of all roots */
    double *offsets;        /* of a child relative to its parent, in rows */
    struct outline *outlines;
    bool failed;
};

static bool reserve(struct outline *outline, size_t levels, struct fm_arena *arena)
{
    size_t capacity = outline->capacity;
    double *top = fm_arena_grow(arena, outline->top, &capacity, levels, sizeof *top);
    double *bottom = fm_arena_grow(arena, outline->bottom, &outline->capacity, levels, sizeof *bottom);
    if (!top || !bottom)
        return false;
    outline->top = top;
    outline->bottom = bottom;
    return true;
}

/* The smallest offset at which a subtree does not overlap the rows already taken. */
static double min_offset(const struct outline *taken, const struct outline *child)
{
    double down = 0;
    for (size_t i = 0; i < taken->levels && i < child->levels; i++)
        if (taken->bottom[i] + 1 - child->top[i] > down)
            down = taken->bottom[i] + 1 - child->top[i];
    return down;
}

/* Adds a child to `taken`, the outline of its siblings; the children are on level 0. */
static void add_child(struct tree_layout *layout, struct outline *taken, const struct outline *child, double *offset)
{
    if (!reserve(taken, child->levels, layout->arena)) {
        layout->failed = true;
        return;
    }
    *offset = taken->levels ? min_offset(taken, child) : -child->top[0];
    for (size_t i = 0; i < child->levels; i++) {
        if (i >= taken->levels) {
            taken->top[i] = *offset + child->top[i];
            taken->levels = i + 1;
        }
        taken->bottom[i] = *offset + child->bottom[i];
    }
}

static void place(struct tree_layout *layout, uint32_t node)
{
    struct outline below = {0}, *own = &layout->outlines[node];
    uint32_t last = 0;
    for (uint32_t child = layout->first[node]; child && !layout->failed; child = layout->next[child]) {
        add_child(layout, &below, &layout->outlines[child - 1], &layout->offsets[child - 1]);
        last = child;
    }
    layout->failed = layout->failed || !reserve(own, below.levels + 1, layout->arena);
    if (layout->failed)
        return;
    double middle = last ? (layout->offsets[layout->first[node] - 1] + layout->offsets[last - 1]) / 2 : 0;
    for (uint32_t child = layout->first[node]; child; child = layout->next[child])
        layout->offsets[child - 1] -= middle;
    own->levels = below.levels + 1;
    own->top[0] = own->bottom[0] = 0;
    for (size_t i = 0; i < below.levels; i++) {
        own->top[i + 1] = below.top[i] - middle;
        own->bottom[i + 1] = below.bottom[i] - middle;
    }
}

struct fm_tree_position *fm_tree_layout(const uint32_t *parents, size_t n, struct fm_arena *arena)
{
    struct fm_tree_position *places = fm_arena_alloc(arena, (n + 1) * sizeof *places);
    struct tree_layout layout = {
        .arena = arena,
        .first = fm_arena_alloc(arena, (n + 1) * sizeof *layout.first),
        .next = fm_arena_alloc(arena, (n + 2) * sizeof *layout.next),
        .offsets = fm_arena_alloc(arena, (n + 1) * sizeof *layout.offsets),
        .outlines = fm_arena_alloc(arena, (n + 1) * sizeof *layout.outlines),
    };
    if (!places || !layout.first || !layout.next || !layout.offsets || !layout.outlines)
        return NULL;
    for (uint32_t i = (uint32_t)n; i-- > 0 && !layout.failed;) { /* children before parents; keeps their order */
        place(&layout, i);
        uint32_t parent = parents[i] == UINT32_MAX ? (uint32_t)n : parents[i];
        layout.next[i + 1] = layout.first[parent];
        layout.first[parent] = i + 1;
    }
    place(&layout, (uint32_t)n);
    if (layout.failed)
        return NULL;
    double top = 0;
    for (size_t i = 0; i < layout.outlines[n].levels; i++)
        top = layout.outlines[n].top[i] < top ? layout.outlines[n].top[i] : top;
    for (size_t i = 0; i < n; i++) {
        bool root = parents[i] == UINT32_MAX;
        places[i].depth = root ? 0 : places[parents[i]].depth + 1;
        places[i].row = layout.offsets[i] + (root ? -top : places[parents[i]].row);
    }
    return places;
}
