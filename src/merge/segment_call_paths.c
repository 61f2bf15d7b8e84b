/* SPDX-License-Identifier: BSD-3-Clause */
/* The calling context tree of a segment. Its nodes are in any order, and whatever is wrong with them (missing parents,
 * cycles, kinds that cannot have children) must not take more than linear time: such nodes are dropped and their costs
 * are counted as lost.
 *
 * First the depth of every node is determined; then, level by level, nodes are sorted by parent and content, and equal
 * ones are combined. Children are then in order, and their positions in depth-first order follow from the sizes of the
 * subtrees. */
#include <string.h>

#include "base/saturate.h"
#include "base/sort.h"
#include "merge/segment_reader.h"
#include "model/order.h"
#include "model/strings.h"

enum { NOT_SEEN = 0xffff, ON_PATH = 0xfffe, DROPPED = 0xfffd, TOO_DEEP = 0xfffc }; /* special values of a depth */

/* A node as recorded: a slot of the segment. */
struct place {
    uint64_t offset; /* in its load module; of a routine, its order */
    uint64_t periods;
    uint32_t parent; /* if too deep: the place that has received its periods */
    uint32_t what;   /* index of the load module + 1, 0: none; or number of the routine */
    uint16_t kind, depth;
};

/* Sort key of a level. */
struct node_key {
    uint64_t parent_kind; /* node of the parent << 32 | kind */
    uint64_t offset;
    uint32_t order, place;
};

/* A node of the tree; sorted by level. */
struct node {
    uint32_t parent, place;
    uint32_t size;                 /* number of nodes of its subtree that have a cost */
    uint32_t position, next_child; /* in depth-first order; where the next child goes */
    uint64_t own_ns, all_ns;
};

struct context_tree {
    struct fm_segment_reader *reader;
    struct fm_arena *scratch;
    struct place *places;
    size_t n_places;
    uint32_t *node_of;                      /* by place */
    uint32_t *sorted;                       /* places sorted by depth */
    size_t levels[FM_CALL_PATHS_DEPTH + 2]; /* index of the first place of each level */
    struct node *nodes;
    size_t n_nodes;
    uint64_t folded, lost; /* periods */
};

/* ---- places ---- */

static void read_site(struct context_tree *t, struct place *place, const struct fm_segment_path *from,
                      const struct fm_mapped_module **last)
{
    const struct fm_mapped_modules *modules = &t->reader->modules;
    const struct fm_mapped_module *module = NULL;
    place->offset = from->address;
    if (from->module > modules->n)
        place->depth = DROPPED;
    else if (from->module)
        module = &modules->list[from->module - 1];
    else if ((module = fm_mapped_module_at(modules, from->address, *last)))
        place->offset -= module->bias;
    if (module && *module->path) {
        place->what = (uint32_t)(module - modules->list) + 1;
        *last = from->module ? *last : module;
    }
}

static void read_place(struct context_tree *t, size_t i, const struct fm_mapped_module **last)
{
    struct fm_segment_path from;
    struct place *place = &t->places[i];
    fm_segment_item(&t->reader->view, FM_SECTION_PATHS, i, &from, sizeof from);
    *place = (struct place){.periods = from.periods, .parent = from.parent, .kind = from.kind, .depth = NOT_SEEN};
    if (from.kind == FM_PATH_CALL || from.kind == FM_PATH_LEAF)
        read_site(t, place, &from, last);
    else if (from.kind == FM_PATH_ROUTINE && from.address < t->reader->routines.n)
        place->what = (uint32_t)from.address;
    else if (from.kind != FM_PATH_GAP)
        place->depth = DROPPED;
}

static const struct fm_mapped_module *module_of(const struct context_tree *t, const struct place *place)
{
    return place->kind != FM_PATH_ROUTINE && place->what ? &t->reader->modules.list[place->what - 1] : NULL;
}

static bool can_have_child(const struct place *parent, const struct place *child)
{
    return parent->kind == FM_PATH_ROOT || (child->kind != FM_PATH_GAP && parent->kind < FM_PATH_ROUTINE);
}

/* Replaces the offset of routines by their order by name. */
static bool order_routines(struct context_tree *t)
{
    uint16_t *orders = fm_arena_alloc(t->scratch, t->reader->routines.n * sizeof *orders);
    if (!orders)
        return false;
    for (size_t i = 0; i < t->n_places; i++)
        if (t->places[i].kind == FM_PATH_ROUTINE)
            orders[t->places[i].what] = 1;
    if (!fm_order_routines(t->reader, orders))
        return false;
    for (size_t i = 0; i < t->n_places; i++)
        if (t->places[i].kind == FM_PATH_ROUTINE)
            t->places[i].offset = orders[t->places[i].what];
    return true;
}

static bool read_places(struct context_tree *t)
{
    const struct fm_mapped_module *last = NULL;
    t->places = fm_arena_alloc(t->scratch, t->n_places * sizeof *t->places);
    if (!t->places)
        return false;
    for (size_t i = 0; i < t->n_places; i++)
        read_place(t, i, &last);
    struct place *root = &t->places[0];
    root->parent = 0;
    root->depth = root->kind == FM_PATH_ROOT ? 0 : DROPPED;
    for (size_t i = 1; i < t->n_places; i++) {
        struct place *place = &t->places[i];
        if (place->parent >= t->n_places || !can_have_child(&t->places[place->parent], place))
            place->depth = DROPPED;
    }
    return order_routines(t);
}

/* ---- depths ---- */

static uint16_t depth_below(struct context_tree *t, uint32_t parent, struct place *place)
{
    uint16_t depth = t->places[parent].depth;
    if (depth < FM_CALL_PATHS_DEPTH)
        return depth + 1;
    if (depth != FM_CALL_PATHS_DEPTH && depth != TOO_DEEP)
        return DROPPED; /* its parent is on the current path: a cycle */
    place->parent = depth == TOO_DEEP ? t->places[parent].parent : parent;
    fm_add_saturating(&t->places[place->parent].periods, place->periods);
    fm_add_saturating(&t->folded, place->periods);
    place->periods = 0;
    return TOO_DEEP;
}

/* Follows the parents of a place up to one whose depth is known, or that is already on the path; then goes back
 * down. */
static void find_depth(struct context_tree *t, uint32_t place, uint32_t *chain)
{
    size_t n = 0;
    for (; t->places[place].depth == NOT_SEEN; place = t->places[place].parent) {
        t->places[place].depth = ON_PATH;
        chain[n++] = place;
    }
    for (; n--; place = chain[n])
        t->places[chain[n]].depth = depth_below(t, place, &t->places[chain[n]]);
}

/* Sorts the places by depth. */
static bool sort_by_depth(struct context_tree *t)
{
    uint32_t *chain = fm_arena_alloc(t->scratch, t->n_places * sizeof *chain);
    t->sorted = fm_arena_alloc(t->scratch, t->n_places * sizeof *t->sorted);
    if (!chain || !t->sorted)
        return false;
    for (size_t i = 0; i < t->n_places; i++) {
        find_depth(t, (uint32_t)i, chain);
        const struct place *place = &t->places[i];
        if (place->depth <= FM_CALL_PATHS_DEPTH)
            t->levels[place->depth + 1]++;
        else if (place->kind != FM_PATH_NONE)
            fm_add_saturating(&t->lost, place->periods);
    }
    for (size_t depth = 1; depth < FM_CALL_PATHS_DEPTH + 2; depth++)
        t->levels[depth] += t->levels[depth - 1];
    size_t next[FM_CALL_PATHS_DEPTH + 2];
    memcpy(next, t->levels, sizeof next);
    for (size_t i = 0; i < t->n_places; i++)
        if (t->places[i].depth <= FM_CALL_PATHS_DEPTH)
            t->sorted[next[t->places[i].depth]++] = (uint32_t)i;
    return true;
}

/* ---- the tree, level by level ---- */

static int compare_items(const void *a, const void *b)
{
    const struct node_key *x = a, *y = b;
    if (x->parent_kind != y->parent_kind)
        return x->parent_kind < y->parent_kind ? -1 : 1;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static uint64_t cost_ns(const struct context_tree *t, uint64_t periods)
{
    unsigned __int128 ns = (unsigned __int128)periods * t->reader->view.header.sample_period_ns;
    return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

static void add_item(struct context_tree *t, const struct node_key *item, bool is_new)
{
    if (is_new) {
        uint32_t parent = (uint32_t)(item->parent_kind >> 32);
        t->nodes[t->n_nodes++] = (struct node){.parent = parent, .place = item->place};
    }
    t->node_of[item->place] = (uint32_t)t->n_nodes - 1;
    fm_add_saturating(&t->nodes[t->n_nodes - 1].own_ns, cost_ns(t, t->places[item->place].periods));
}

static bool make_level(struct context_tree *t, const uint32_t *places, size_t n, struct node_key *items)
{
    for (size_t i = 0; i < n; i++) {
        const struct place *place = &t->places[places[i]];
        uint64_t parent = t->node_of[place->parent]; /* of the root: 0, the root itself */
        const struct fm_mapped_module *module = module_of(t, place);
        items[i] = (struct node_key){parent << 32 | place->kind, place->offset, module ? module->order : 0, places[i]};
    }
    if (!fm_sort(items, n, sizeof *items, compare_items, t->scratch))
        return false;
    for (size_t i = 0; i < n; i++)
        add_item(t, &items[i], !i || compare_items(&items[i - 1], &items[i]));
    return true;
}

static bool make_levels(struct context_tree *t)
{
    struct node_key *items = fm_arena_alloc(t->scratch, t->n_places * sizeof *items);
    t->nodes = fm_arena_alloc(t->scratch, t->n_places * sizeof *t->nodes);
    t->node_of = fm_arena_alloc(t->scratch, t->n_places * sizeof *t->node_of);
    if (!items || !t->nodes || !t->node_of)
        return false;
    for (size_t depth = 0; depth <= FM_CALL_PATHS_DEPTH; depth++)
        if (!make_level(t, t->sorted + t->levels[depth], t->levels[depth + 1] - t->levels[depth], items))
            return false;
    return true;
}

/* ---- depth-first order ---- */

/* Computes positions; parents come before their children, and siblings are in order. */
static void compute_positions(struct context_tree *t)
{
    for (size_t i = t->n_nodes; i-- > 0;) {
        struct node *node = &t->nodes[i], *parent = &t->nodes[node->parent];
        fm_add_saturating(&node->all_ns, node->own_ns);
        node->size += node->all_ns != 0;
        if (i) {
            fm_add_saturating(&parent->all_ns, node->all_ns);
            parent->size += node->size;
        }
    }
    for (size_t i = 0; i < t->n_nodes; i++) {
        struct node *node = &t->nodes[i], *parent = &t->nodes[node->parent];
        node->position = i ? parent->next_child : 0;
        node->next_child = node->position + 1;
        if (i)
            parent->next_child += node->size;
    }
}

static struct fm_path_node path_of(const struct context_tree *t, const struct node *node)
{
    const struct place *place = &t->places[node->place];
    struct fm_path_node path = {
        .parent = t->nodes[node->parent].position, .kind = place->kind, .site = {"", "", 0}, .routine = ""};
    if (place->kind == FM_PATH_ROUTINE)
        path.routine = fm_routine_name_in(&t->reader->routines, place->what);
    else
        path.site.offset = place->offset;
    const struct fm_mapped_module *module = module_of(t, place);
    if (module) {
        path.site.module = module->path;
        path.site.build_id = module->build_id;
    }
    path.own = fm_path_cost_of(node->own_ns, t->reader->rank);
    path.all = fm_path_cost_of(node->all_ns, t->reader->rank);
    return path;
}

static bool make_paths(struct context_tree *t)
{
    struct fm_profile *profile = t->reader->profile;
    struct fm_call_paths *paths = &profile->paths;
    compute_positions(t);
    size_t n = t->n_nodes ? t->nodes[0].size : 0;
    if (!n)
        return true;
    paths->nodes = fm_arena_alloc(&profile->arena, n * sizeof *paths->nodes);
    if (!paths->nodes)
        return false;
    paths->n = paths->capacity = n;
    for (size_t i = 0; i < t->n_nodes; i++)
        if (t->nodes[i].size)
            paths->nodes[t->nodes[i].position] = path_of(t, &t->nodes[i]);
    return t->reader->rank == FM_NO_RANK ||
           fm_call_paths_make_shares(paths, &profile->arena, t->scratch, t->reader->rank);
}

/* nodes[i]: position of the node that place i has become + 1; 0 if it was dropped. */
static enum fm_status read_sequence(struct context_tree *t)
{
    uint32_t *nodes = fm_arena_alloc(t->scratch, t->n_places * sizeof *nodes);
    if (!nodes)
        return fm_segment_reader_no_memory(t->reader);
    for (size_t i = 0; i < t->n_places; i++) {
        const struct place *place = &t->places[i];
        size_t at = place->depth == TOO_DEEP ? place->parent : i;
        const struct node *node = t->places[at].depth <= FM_CALL_PATHS_DEPTH ? &t->nodes[t->node_of[at]] : NULL;
        nodes[i] = node && node->size ? node->position + 1 : 0;
    }
    return fm_read_sequence(t->reader, nodes, t->n_places);
}

enum fm_status fm_read_paths(struct fm_segment_reader *r)
{
    struct context_tree t = {.reader = r, .scratch = &r->view.scratch};
    const struct fm_segment_header *header = &r->view.header;
    struct fm_call_paths *paths = &r->profile->paths;
    t.n_places = header->sample_period_ns ? fm_segment_items(&r->view, FM_SECTION_PATHS) : 0;
    if (t.n_places && !(read_places(&t) && sort_by_depth(&t) && make_levels(&t) && make_paths(&t)))
        return fm_segment_reader_no_memory(r);
    paths->samples = header->samples;
    paths->partial = header->samples_partial;
    paths->lost = fm_sum(header->samples_lost, t.lost);
    paths->folded_ns = cost_ns(&t, fm_sum(header->folded_periods, t.folded));
    paths->period_ns[0] = paths->period_ns[1] = header->sample_period_ns;
    return t.n_places ? read_sequence(&t) : FM_OK;
}
