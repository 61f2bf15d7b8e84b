#include "measure/signal/contexts.h"

#include <string.h>

#include "base/platform.h"

enum { SPINS = 10000 }; /* some 50 us, more than folding takes */

/* ---- one at a time; in handlers nobody may sleep ---- */

/* The lock holds the thread that is inside. */
static bool enter(struct fm_contexts *tree, unsigned thread)
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

static void leave(struct fm_contexts *tree)
{
    atomic_store_explicit(&tree->lock, 0, memory_order_release);
}

/* ---- nodes ---- */

static uint32_t home_of(const struct fm_contexts *tree, uint32_t parent, uint64_t step, uint16_t module)
{
    uint64_t hash = (step ^ (uint64_t)parent << 40 ^ (uint64_t)module << 32) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(hash >> 32) & tree->index_mask;
}

static uint64_t step_of(const struct fm_segment_path *path)
{
    return fm_path_step(path->address, path->kind);
}

/* Where the index has a node, or where it belongs. */
static uint32_t *place_of(const struct fm_contexts *tree, uint32_t parent, uint64_t step, uint16_t module)
{
    for (uint32_t at = home_of(tree, parent, step, module);; at = (at + 1) & tree->index_mask) {
        uint32_t number = tree->index[at];
        const struct fm_segment_path *path = &tree->paths[number - 1];
        if (!number || (path->parent == parent && step_of(path) == step && path->module == module))
            return &tree->index[at];
    }
}

/* Of nodes that are the same one has the costs of all; the others are free, and name it as their parent. How many of
 * those there are. */
static uint32_t make_index(struct fm_contexts *tree)
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

/* Children of nodes that were merged go to the one that is left; then they may be the same as others there. */
static void merge_nodes(struct fm_contexts *tree)
{
    fm_timeline_begin_change(&tree->timeline);
    while (make_index(tree))
        for (uint32_t i = 1; i < tree->header->n_paths; i++) {
            const struct fm_segment_path *parent = &tree->paths[tree->paths[i].parent];
            if (tree->paths[i].kind && !parent->kind)
                tree->paths[i].parent = parent->parent;
        }
    tree->next_free = 1;
    tree->epoch++;
    fm_timeline_end_change(&tree->timeline, tree->paths);
}

/* ---- folding ---- */

static void find_parents(struct fm_contexts *tree)
{
    memset(tree->is_parent, 0, (tree->capacity + 63ull) / 64 * sizeof *tree->is_parent);
    for (uint32_t i = 1; i < tree->capacity; i++)
        if (tree->paths[i].kind)
            tree->is_parent[tree->paths[i].parent / 64] |= 1ull << tree->paths[i].parent % 64;
}

/* All leaves of at most so many periods go into their parents; how many they are. */
static uint32_t fold_leaves(struct fm_contexts *tree, uint64_t periods)
{
    uint32_t folded = 0;
    find_parents(tree);
    for (uint32_t i = 1; i < tree->capacity; i++) {
        struct fm_segment_path *path = &tree->paths[i];
        if (!path->kind || path->periods > periods || tree->is_parent[i / 64] >> i % 64 & 1)
            continue;
        tree->paths[path->parent].periods += path->periods;
        tree->header->folded_periods += path->periods;
        path->kind = FM_PATH_NONE;
        folded++;
    }
    return folded;
}

/* An eighth of the places at once, so that it is rare. */
static void make_room(struct fm_contexts *tree)
{
    uint32_t folded = 0;
    fm_timeline_begin_change(&tree->timeline);
    for (uint64_t periods = 1; folded < tree->capacity / 8 && periods < UINT64_MAX / 2; periods *= 2)
        folded += fold_leaves(tree, periods);
    tree->next_free = 1;
    tree->epoch++;
    make_index(tree);
    fm_timeline_end_change(&tree->timeline, tree->paths);
}

/* A free place; 0: there is none. */
static uint32_t take_place(struct fm_contexts *tree)
{
    while (tree->next_free < tree->capacity && tree->paths[tree->next_free].kind)
        tree->next_free++;
    return tree->next_free < tree->capacity ? tree->next_free++ : 0;
}

/* The child that a step leads to, made if need be; 0: there is no room. */
static uint32_t child_of(struct fm_contexts *tree, uint32_t parent, uint64_t step)
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
    if (tree->header->n_paths <= number)
        tree->header->n_paths = number + 1;
    *place = number + 1;
    return number;
}

/* ---- paths ---- */

static bool enter_child(struct fm_contexts *tree, uint32_t *node, uint64_t step)
{
    uint32_t child = child_of(tree, *node, step);
    if (child)
        *node = child;
    return child != 0;
}

/* The node of the outer calls that are as they were; how many they are. */
static uint32_t known_part(const struct fm_contexts *tree, struct fm_path_memory *memory,
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
static bool add_path(struct fm_contexts *tree, struct fm_path_memory *memory, const struct fm_sampled_path *path,
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

void fm_contexts_come_back(struct fm_contexts *tree, unsigned thread)
{
    if (atomic_load_explicit(&tree->lock, memory_order_relaxed) != thread)
        return;
    tree->next_free = 1;
    tree->epoch++;
    make_index(tree);
    fm_timeline_give_up(&tree->timeline);
    leave(tree);
}

bool fm_contexts_add(struct fm_contexts *tree, unsigned thread, struct fm_path_memory *memory,
                     const struct fm_sampled_path *path, uint64_t periods, uint64_t now_ns)
{
    uint32_t node;
    fm_contexts_come_back(tree, thread);
    if (!enter(tree, thread))
        return false;
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

void fm_contexts_make(struct fm_contexts *tree, struct fm_segment_header *header, uint64_t *is_parent)
{
    const struct fm_segment_section *paths = &header->sections[FM_SECTION_PATHS],
                                    *index = &header->sections[FM_SECTION_PATH_INDEX];
    *tree = (struct fm_contexts){.header = header,
                                 .paths = (struct fm_segment_path *)((char *)header + paths->offset),
                                 .index = (uint32_t *)((char *)header + index->offset),
                                 .capacity = paths->capacity,
                                 .index_mask = index->capacity - 1,
                                 .next_free = 1,
                                 .epoch = 1,
                                 .is_parent = is_parent};
    fm_timeline_make(&tree->timeline, header);
    tree->paths[0].kind = FM_PATH_ROOT;
    header->n_paths = 1;
}

void fm_contexts_unload(struct fm_contexts *tree, unsigned thread, const struct fm_segment_module *module,
                        unsigned number)
{
    if (!enter(tree, thread))
        return;
    for (uint32_t i = 1; i < tree->header->n_paths; i++) {
        struct fm_segment_path *path = &tree->paths[i];
        if ((path->kind != FM_PATH_CALL && path->kind != FM_PATH_LEAF) || path->module ||
            path->address - module->start >= module->end - module->start)
            continue;
        path->address -= module->bias;
        path->module = (uint16_t)(number + 1);
    }
    merge_nodes(tree);
    leave(tree);
}
