/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/signal/context_tree.h"

#include <string.h>

#include "base/platform.h"

enum { SPINS = 10000 }; /* some 50 us, more than folding takes */
/* What is done at most at once to make room, some 20 us: places that are looked at, and nodes that are folded. */
enum { MOST_LOOKED_AT = 6000, MOST_FOLDED = 256 };
enum { MANY = UINT16_MAX }; /* children: too many to be counted */

/* ---- one at a time; in handlers nobody may sleep ---- */

/* The lock holds the thread that is inside. */
static bool enter(struct fm_context_tree *tree, unsigned thread)
{
    for (int i = 0; i < SPINS; i++) {
        unsigned expected = 0;
        if (atomic_compare_exchange_weak_explicit(&tree->lock, &expected, thread, memory_order_acquire,
                                                  memory_order_relaxed))
            return true;
        if (expected == thread)
            return false;
    }
    return false;
}

static void leave(struct fm_context_tree *tree)
{
    atomic_store_explicit(&tree->lock, 0, memory_order_release);
}

/* ---- nodes ---- */

static uint32_t bucket_of(const struct fm_context_tree *tree, uint32_t parent, uint64_t step, uint16_t module)
{
    uint64_t hash = (step ^ (parent + ((uint64_t)module << 32)) * 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;
    return (uint32_t)(hash >> 32) & tree->index_mask;
}

static uint64_t step_of(const struct fm_segment_path *path)
{
    return fm_path_step(path->address, path->kind);
}

static uint32_t bucket_of_node(const struct fm_context_tree *tree, uint32_t number)
{
    const struct fm_segment_path *path = &tree->paths[number];
    return bucket_of(tree, path->parent, step_of(path), path->module);
}

/* Where the index has a node, or where it belongs. */
static uint32_t *place_of(const struct fm_context_tree *tree, uint32_t parent, uint64_t step, uint16_t module)
{
    for (uint32_t at = bucket_of(tree, parent, step, module);; at = (at + 1) & tree->index_mask) {
        uint32_t number = tree->index[at];
        const struct fm_segment_path *path = &tree->paths[number - 1];
        if (!number || (path->parent == parent && step_of(path) == step && path->module == module))
            return &tree->index[at];
    }
}

/* Those behind it that would not be found any more move up. */
static void forget_in_index(struct fm_context_tree *tree, const struct fm_segment_path *path)
{
    uint32_t hole = (uint32_t)(place_of(tree, path->parent, step_of(path), path->module) - tree->index);
    for (uint32_t at = hole;;) {
        at = (at + 1) & tree->index_mask;
        if (!tree->index[at])
            break;
        uint32_t from_home = (at - bucket_of_node(tree, tree->index[at] - 1)) & tree->index_mask;
        if (from_home < ((at - hole) & tree->index_mask))
            continue; /* it would come to lie before its home */
        tree->index[hole] = tree->index[at];
        hole = at;
    }
    tree->index[hole] = 0;
}

/* Of nodes that are the same one has the costs of all; the others are free, and name it as their parent. How many of
 * those there are. */
static uint32_t make_index(struct fm_context_tree *tree)
{
    uint32_t merged = 0;
    memset(tree->index, 0, (tree->index_mask + 1ull) * sizeof *tree->index);
    for (uint32_t i = 1; i < tree->header->n_paths; i++) {
        struct fm_segment_path *path = &tree->paths[i];
        uint32_t *place = path->kind ? place_of(tree, path->parent, step_of(path), path->module) : NULL;
        if (!place)
            continue;
        if (*place) {
            tree->paths[*place - 1].periods += path->periods;
            path->kind = FM_PATH_NONE;
            path->parent = *place - 1;
            merged++;
        } else {
            *place = i + 1;
        }
    }
    return merged;
}

/* ---- free places: those never used, and a chain through the addresses of the others ---- */

static uint32_t free_places(const struct fm_context_tree *tree)
{
    return tree->capacity - tree->header->n_paths + tree->n_free;
}

static void give_place(struct fm_context_tree *tree, uint32_t number)
{
    tree->paths[number].address = tree->first_free;
    tree->first_free = number;
    tree->n_free++;
}

/* 0: there is none. */
static uint32_t take_place(struct fm_context_tree *tree)
{
    uint32_t number = tree->first_free;
    if (number) {
        tree->first_free = (uint32_t)tree->paths[number].address;
        tree->n_free--;
        return number;
    }
    return tree->header->n_paths < tree->capacity ? tree->header->n_paths : 0;
}

static void count_child(struct fm_context_tree *tree, uint32_t parent)
{
    tree->children[parent] += tree->children[parent] != MANY;
}

/* After nodes have gone without notice. */
static void count_anew(struct fm_context_tree *tree)
{
    memset(tree->children, 0, tree->capacity * sizeof *tree->children);
    tree->first_free = tree->n_free = 0;
    tree->epoch++;
    for (uint32_t i = 1; i < tree->header->n_paths; i++)
        if (tree->paths[i].kind)
            count_child(tree, tree->paths[i].parent);
        else
            give_place(tree, i);
}

/* Children of nodes that were merged go to the one that is left; then they may be the same as others there. */
static void merge_nodes(struct fm_context_tree *tree)
{
    fm_timeline_begin_change(&tree->timeline);
    while (make_index(tree))
        for (uint32_t i = 1; i < tree->header->n_paths; i++) {
            const struct fm_segment_path *parent = &tree->paths[tree->paths[i].parent];
            if (tree->paths[i].kind && !parent->kind)
                tree->paths[i].parent = parent->parent;
        }
    fm_timeline_end_change(&tree->timeline, tree->paths);
    count_anew(tree);
}

/* ---- folding: a hand goes round over all places, some at each sample while there is little room ---- */

static void fold(struct fm_context_tree *tree, uint32_t leaf)
{
    struct fm_segment_path *path = &tree->paths[leaf];
    forget_in_index(tree, path);
    tree->paths[path->parent].periods += path->periods;
    tree->header->folded_periods += path->periods;
    path->kind = FM_PATH_NONE;
    tree->children[path->parent] -= tree->children[path->parent] != MANY;
    give_place(tree, leaf);
}

/* So many places should be free: it may take some rounds until light leaves are found. */
static uint32_t wanted_places(const struct fm_context_tree *tree)
{
    return tree->capacity / 8;
}

/* The next round folds heavier leaves: this one has not found enough. */
static void begin_round(struct fm_context_tree *tree)
{
    uint64_t more = tree->heaviest < UINT64_MAX / 2 ? 2 * tree->heaviest : UINT64_MAX;
    tree->heaviest = more > tree->lightest_left ? more : tree->lightest_left;
    tree->hand = 1;
    tree->lightest_left = 0;
}

/* Whether a place has a leaf that is light enough. */
static bool is_light_leaf(struct fm_context_tree *tree, uint32_t number)
{
    const struct fm_segment_path *path = &tree->paths[number];
    if (!path->kind || tree->children[number])
        return false;
    if (path->periods <= tree->heaviest)
        return true;
    if (!tree->lightest_left || path->periods < tree->lightest_left)
        tree->lightest_left = path->periods;
    return false;
}

/* A leaf, and what becomes one by that; how many they are. */
static uint32_t fold_chain(struct fm_context_tree *tree, uint32_t leaf)
{
    uint32_t folded = 0;
    for (uint32_t parent; leaf && is_light_leaf(tree, leaf) && folded < MOST_FOLDED; leaf = parent, folded++) {
        parent = tree->paths[leaf].parent;
        if (!folded)
            fm_timeline_begin_change(&tree->timeline);
        fold(tree, leaf);
    }
    return folded;
}

static void make_room(struct fm_context_tree *tree)
{
    uint32_t folded = 0, until = wanted_places(tree) + tree->capacity / 32;
    for (uint32_t i = 0; i < MOST_LOOKED_AT && folded < MOST_FOLDED && free_places(tree) < until; i++) {
        if (tree->hand >= tree->header->n_paths)
            begin_round(tree);
        folded += fold_chain(tree, tree->hand++);
    }
    if (free_places(tree) >= wanted_places(tree)) /* the next time light ones go first again: new leaves have grown */
        tree->heaviest = 1;
    if (!folded)
        return;
    tree->epoch++;
    fm_timeline_end_change(&tree->timeline, tree->paths);
}

/* The child that a step leads to, made if need be; 0: there is no room. */
static uint32_t child_of(struct fm_context_tree *tree, uint32_t parent, uint64_t step)
{
    uint32_t *place = place_of(tree, parent, step, 0);
    if (*place)
        return *place - 1;
    uint32_t number = take_place(tree);
    if (!number)
        return 0;
    struct fm_segment_path *path = &tree->paths[number];
    *path = (struct fm_segment_path){.address = step & 0xffffffffffffffu, .parent = parent};
    __atomic_store_n(&path->kind, (uint16_t)(step >> 56), __ATOMIC_RELEASE); /* now a reader may see it */
    count_child(tree, parent);
    if (tree->header->n_paths <= number)
        tree->header->n_paths = number + 1;
    *place = number + 1;
    return number;
}

/* ---- paths ---- */

static bool enter_child(struct fm_context_tree *tree, uint32_t *node, uint64_t step)
{
    uint32_t child = child_of(tree, *node, step);
    if (child)
        *node = child;
    return child != 0;
}

/* The node of the outer calls that are as they were; how many they are. */
static uint32_t known_part(const struct fm_context_tree *tree, struct fm_path_memory *memory,
                           const struct fm_sampled_path *path, uint32_t *node)
{
    if (memory->epoch != tree->epoch || memory->gap != path->gap)
        memory->n = 0;
    memory->epoch = tree->epoch;
    memory->gap = path->gap;
    uint32_t known = memory->n < path->n ? memory->n : path->n;
    *node = known ? memory->nodes[known - 1] : 0;
    return known;
}

/* false: there is no room for all of it. */
static bool add_path(struct fm_context_tree *tree, struct fm_path_memory *memory, const struct fm_sampled_path *path,
                     uint32_t *node)
{
    uint32_t i = known_part(tree, memory, path, node);
    if (!i && path->gap && !enter_child(tree, node, fm_path_step(0, FM_PATH_GAP)))
        return false;
    for (; i < path->n; i++) {
        if (!enter_child(tree, node, fm_path_step(path->calls[i], FM_PATH_CALL)))
            return false;
        memory->nodes[i] = *node;
        memory->n = i + 1;
    }
    return enter_child(tree, node, path->leaf);
}

void fm_context_tree_come_back(struct fm_context_tree *tree, unsigned thread)
{
    if (atomic_load_explicit(&tree->lock, memory_order_relaxed) != thread)
        return;
    make_index(tree);
    count_anew(tree);
    fm_timeline_give_up(&tree->timeline);
    leave(tree);
}

bool fm_context_tree_add(struct fm_context_tree *tree, unsigned thread, struct fm_path_memory *memory,
                         const struct fm_sampled_path *path, uint64_t periods, uint64_t now_ns)
{
    uint32_t node;
    fm_context_tree_come_back(tree, thread);
    if (!enter(tree, thread))
        return false;
    if (free_places(tree) < wanted_places(tree))
        make_room(tree);
    if (!add_path(tree, memory, path, &node)) {
        make_room(tree);
        if (!add_path(tree, memory, path, &node))
            tree->header->folded_periods += periods;
    }
    tree->paths[node].periods += periods;
    if (now_ns)
        fm_timeline_fill(&tree->timeline, now_ns, periods, node);
    leave(tree);
    return true;
}

void fm_context_tree_make(struct fm_context_tree *tree, struct fm_segment_header *header, uint16_t *children)
{
    const struct fm_segment_section *paths = &header->sections[FM_SECTION_PATHS],
                                    *index = &header->sections[FM_SECTION_PATH_INDEX];
    *tree = (struct fm_context_tree){.header = header,
                                     .paths = (struct fm_segment_path *)((char *)header + paths->offset),
                                     .index = (uint32_t *)((char *)header + index->offset),
                                     .capacity = paths->capacity,
                                     .index_mask = index->capacity - 1,
                                     .hand = 1,
                                     .heaviest = 1,
                                     .epoch = 1,
                                     .children = children};
    fm_timeline_make(&tree->timeline, header);
    tree->paths[0].kind = FM_PATH_ROOT;
    header->n_paths = 1;
}

void fm_context_tree_unload(struct fm_context_tree *tree, unsigned thread, const struct fm_segment_module *module,
                            unsigned number)
{
    bool seen = false;
    if (!enter(tree, thread))
        return;
    for (uint32_t i = 1; i < tree->header->n_paths; i++) {
        struct fm_segment_path *path = &tree->paths[i];
        if ((path->kind != FM_PATH_CALL && path->kind != FM_PATH_LEAF) || path->module ||
            path->address - module->start >= module->end - module->start)
            continue;
        path->address -= module->bias;
        path->module = (uint16_t)(number + 1);
        seen = true;
    }
    if (seen)
        merge_nodes(tree);
    leave(tree);
}
