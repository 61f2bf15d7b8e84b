/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/signal/context_tree.h"

#include <string.h>

#include "base/platform.h"

enum { SPINS = 10000 }; /* about 50 us, more than folding takes */
/* Limits of the work that is done at once to make room, about 20 us: slots visited, and nodes folded. */
enum { MAX_VISITED = 6000, MAX_FOLDED = 256 };
enum { SATURATED = UINT16_MAX }; /* children: saturated */

/* ---- the lock: one thread at a time; a signal handler must not sleep ---- */

/* The lock holds the number of its owner. */
static bool acquire(struct fm_context_tree *tree, unsigned thread)
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

static void release(struct fm_context_tree *tree)
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

/* The index slot of a node, or the one where it would be inserted. */
static uint32_t *place_of(const struct fm_context_tree *tree, uint32_t parent, uint64_t step, uint16_t module)
{
    for (uint32_t at = bucket_of(tree, parent, step, module);; at = (at + 1) & tree->index_mask) {
        uint32_t number = tree->index[at];
        const struct fm_segment_path *path = &tree->paths[number - 1];
        if (!number || (path->parent == parent && step_of(path) == step && path->module == module))
            return &tree->index[at];
    }
}

/* Later nodes that would not be found any more move up. */
static void remove_from_index(struct fm_context_tree *tree, const struct fm_segment_path *path)
{
    uint32_t hole = (uint32_t)(place_of(tree, path->parent, step_of(path), path->module) - tree->index);
    for (uint32_t at = hole;;) {
        at = (at + 1) & tree->index_mask;
        if (!tree->index[at])
            break;
        uint32_t from_home = (at - bucket_of_node(tree, tree->index[at] - 1)) & tree->index_mask;
        if (from_home < ((at - hole) & tree->index_mask))
            continue; /* it would end up before its home slot */
        tree->index[hole] = tree->index[at];
        hole = at;
    }
    tree->index[hole] = 0;
}

/* Rebuilds the index. Of identical nodes one gets the costs of all; the others are freed, and name it as their parent.
 * Returns the number of those. */
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

/* ---- free slots: those never used, and a list linked through the addresses of the others ---- */

static uint32_t free_places(const struct fm_context_tree *tree)
{
    return tree->capacity - tree->header->n_paths + tree->n_free;
}

static void release_place(struct fm_context_tree *tree, uint32_t number)
{
    tree->paths[number].address = tree->first_free;
    tree->first_free = number;
    tree->n_free++;
}

/* Returns 0 if there is none. */
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
    tree->children[parent] += tree->children[parent] != SATURATED;
}

/* Recounts children and free slots, after nodes were removed without updating the counts. */
static void recount(struct fm_context_tree *tree)
{
    memset(tree->children, 0, tree->capacity * sizeof *tree->children);
    tree->first_free = tree->n_free = 0;
    tree->epoch++;
    for (uint32_t i = 1; i < tree->header->n_paths; i++)
        if (tree->paths[i].kind)
            count_child(tree, tree->paths[i].parent);
        else
            release_place(tree, i);
}

/* Children of merged nodes move to the one that is left, where they may be identical to others in turn. */
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
    recount(tree);
}

/* ---- folding: a clock hand visits all slots, some at each sample while there is little room ---- */

static void fold(struct fm_context_tree *tree, uint32_t leaf)
{
    struct fm_segment_path *path = &tree->paths[leaf];
    remove_from_index(tree, path);
    tree->paths[path->parent].periods += path->periods;
    tree->header->folded_periods += path->periods;
    path->kind = FM_PATH_NONE;
    tree->children[path->parent] -= tree->children[path->parent] != SATURATED;
    release_place(tree, leaf);
}

/* The number of slots that should be free: it may take some rounds until light leaves are found. */
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

/* Whether a slot has a leaf that is light enough. */
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

/* Folds a leaf, and then its ancestors as they become leaves. Returns the number of nodes folded. */
static uint32_t fold_chain(struct fm_context_tree *tree, uint32_t leaf)
{
    uint32_t folded = 0;
    for (uint32_t parent; leaf && is_light_leaf(tree, leaf) && folded < MAX_FOLDED; leaf = parent, folded++) {
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
    for (uint32_t i = 0; i < MAX_VISITED && folded < MAX_FOLDED && free_places(tree) < until; i++) {
        if (tree->hand >= tree->header->n_paths)
            begin_round(tree);
        folded += fold_chain(tree, tree->hand++);
    }
    if (free_places(tree) >= wanted_places(tree)) /* next time light leaves go first again: new ones have grown */
        tree->heaviest = 1;
    if (!folded)
        return;
    tree->epoch++;
    fm_timeline_end_change(&tree->timeline, tree->paths);
}

/* The child for a step, created if necessary. Returns 0 if there is no room. */
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
    __atomic_store_n(&path->kind, (uint16_t)(step >> 56), __ATOMIC_RELEASE); /* visible to readers from now on */
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

/* Sets *node to the node of the outer calls that are unchanged. Returns the number of these calls. */
static uint32_t unchanged_part(const struct fm_context_tree *tree, struct fm_path_memory *memory,
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

/* Returns false if there is no room for the whole path. */
static bool add_path(struct fm_context_tree *tree, struct fm_path_memory *memory, const struct fm_sampled_path *path,
                     uint32_t *node)
{
    uint32_t i = unchanged_part(tree, memory, path, node);
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
    recount(tree);
    fm_timeline_give_up(&tree->timeline);
    release(tree);
}

bool fm_context_tree_add(struct fm_context_tree *tree, unsigned thread, struct fm_path_memory *memory,
                         const struct fm_sampled_path *path, uint64_t periods, uint64_t now_ns)
{
    uint32_t node;
    fm_context_tree_come_back(tree, thread);
    if (!acquire(tree, thread))
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
    release(tree);
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
    if (!acquire(tree, thread))
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
    release(tree);
}
