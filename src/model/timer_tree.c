/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/timer_tree.h"

#include <string.h>

#include "base/saturate.h"
#include "base/sort.h"

/* A timer; links are sorted by descending length. References to links are indices + 1, so that 0 is none. */
struct link {
    const struct fm_timer *timer;
    size_t parent, child, next;
    size_t node; /* index of its node + 1; 0: not added yet */
};

struct timer_links {
    struct link *links;
    struct fm_timer_node *nodes;
    size_t n;
};

static int compare_length(const struct fm_timer *a, const struct fm_timer *b)
{
    if (a->total_ns.max != b->total_ns.max)
        return a->total_ns.max > b->total_ns.max ? -1 : 1;
    return strcmp(a->name, b->name);
}

static int longest_first(const void *a, const void *b)
{
    return compare_length(*(const struct fm_timer *const *)a, *(const struct fm_timer *const *)b);
}

static int longest_link_first(const void *a, const void *b)
{
    return compare_length(((const struct link *)a)->timer, ((const struct link *)b)->timer);
}

const struct fm_timer **fm_timers_by_length(const struct fm_timer *timers, size_t n, struct fm_arena *arena)
{
    const struct fm_timer **order = fm_arena_alloc(arena, (n + 1) * sizeof *order);
    for (size_t i = 0; order && i < n; i++)
        order[i] = &timers[i];
    return order && fm_sort(order, n, sizeof *order, longest_first, arena) ? order : NULL;
}

/* Its index + 1; 0 if there is none. */
static size_t find(const struct fm_timer *timers, size_t n, const char *name)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(timers[middle].name, name);
        if (order == 0)
            return middle + 1;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

/* Links timers to their parents, from the shortest to the longest, each one in front of its siblings. */
static bool link_all(struct link *links, const struct fm_timer *timers, size_t n, struct fm_arena *arena)
{
    size_t *place = fm_arena_alloc(arena, n * sizeof *place); /* index by name -> index by length, + 1 */
    for (size_t i = 0; place && i < n; i++)
        place[links[i].timer - timers] = i + 1;
    for (size_t i = n; place && i-- > 0;) {
        size_t parent = find(timers, n, links[i].timer->parent);
        if (!parent)
            continue;
        struct link *outer = &links[place[parent - 1] - 1];
        links[i].parent = place[parent - 1];
        links[i].next = outer->child;
        outer->child = i + 1;
    }
    return place;
}

static size_t first_not_added(const struct link *links, size_t at)
{
    while (at && links[at - 1].node)
        at = links[at - 1].next;
    return at;
}

/* Adds a timer and all below it. Nothing is added twice: in a damaged profile, timers can be nested in each other. */
static void add_below(struct timer_links *tree, size_t root)
{
    struct link *links = tree->links;
    unsigned depth = 0;
    for (size_t at = root; at;) {
        size_t outer = depth ? links[links[at - 1].parent - 1].node : 0;
        tree->nodes[tree->n++] = (struct fm_timer_node){.timer = links[at - 1].timer, .depth = depth, .outer = outer};
        links[at - 1].node = tree->n;
        size_t next = first_not_added(links, links[at - 1].child);
        depth += next != 0;
        while (!next && at != root) {
            next = first_not_added(links, links[at - 1].next);
            if (!next) {
                at = links[at - 1].parent;
                depth--;
            }
        }
        at = next;
    }
}

/* A node comes after its parent: from the last to the first, all nodes below a node are added before it. */
static void add_overheads(struct timer_links *tree)
{
    for (size_t i = tree->n; i-- > 0;) {
        const struct fm_timer_node *node = &tree->nodes[i];
        if (node->outer) {
            fm_add_saturating(&tree->nodes[node->outer - 1].inside_ns, node->timer->overhead_ns);
            fm_add_saturating(&tree->nodes[node->outer - 1].inside_ns, node->inside_ns);
        }
    }
}

bool fm_timer_tree(const struct fm_timer *timers, size_t n, struct fm_arena *arena, struct fm_timer_node **nodes)
{
    struct timer_links tree = {.links = fm_arena_alloc(arena, n * sizeof *tree.links),
                               .nodes = fm_arena_alloc(arena, n * sizeof *tree.nodes)};
    for (size_t i = 0; tree.links && i < n; i++)
        tree.links[i].timer = &timers[i];
    if (!tree.links || !tree.nodes || !fm_sort(tree.links, n, sizeof *tree.links, longest_link_first, arena) ||
        !link_all(tree.links, timers, n, arena))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!tree.links[i].parent)
            add_below(&tree, i + 1);
    for (size_t i = 0; i < n; i++)
        if (!tree.links[i].node)
            add_below(&tree, i + 1);
    add_overheads(&tree);
    *nodes = tree.nodes;
    return true;
}

static uint64_t subtract(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

uint64_t fm_timer_exclusive(const struct fm_timer *timer)
{
    return subtract(timer->total_ns.sum, timer->children_ns);
}

uint64_t fm_timer_corrected(const struct fm_timer_node *node)
{
    return subtract(subtract(node->timer->total_ns.sum, node->timer->overhead_inside_ns), node->inside_ns);
}
