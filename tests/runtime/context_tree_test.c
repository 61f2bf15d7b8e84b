/* The calling context tree in a segment: against a plain list of paths, when it is full, and after a module was
 * unloaded. */
#include "runtime/signal/context_tree.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

enum { PATHS = 20000, INDEX = 32768, DEPTH = 12 };
enum { SMALL = 1000 };                               /* nodes that are soon used up */
enum { PERIOD = 1000, SHIFT = 10, START = 1 << 30 }; /* of the sequence */

#include "runtime/path_segment.h"

static struct fm_context_tree tree;
static uint32_t memory_nodes[DEPTH];
static struct fm_path_memory memory;

static void make_tree(uint32_t capacity)
{
    memset(&segment, 0, sizeof segment);
    memory = (struct fm_path_memory){.nodes = memory_nodes};
    segment.header.started_real_ns = START;
    segment.header.sample_period_ns = PERIOD;
    segment.header.sequence_shift = SHIFT;
    make_tree_in_segment(&tree, capacity);
}

/* ---- paths: the innermost step first, as the handler has them ---- */

static uint64_t state = 88172645463325252u;

static unsigned random_below(unsigned n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 33) % n;
}

static unsigned random_path(uint64_t *steps, unsigned width)
{
    unsigned n = 1 + random_below(DEPTH);
    for (unsigned i = 0; i < n; i++)
        steps[i] = fm_path_step(0x400000 + 16 * random_below(width), i ? FM_PATH_CALL : FM_PATH_LEAF);
    return n;
}

/* As a sample does it. now_ns: since the start, 0: not in the sequence. */
static bool add_at(unsigned thread, const uint64_t *steps, unsigned n, uint64_t periods, uint64_t now_ns)
{
    static uint64_t calls[DEPTH];
    unsigned same = 0;
    for (unsigned i = 0; i + 1 < n; i++) {
        uint64_t call = steps[n - 1 - i] & 0xffffffffffffffu;
        same += same == i && calls[i] == call;
        calls[i] = call;
    }
    memory.n = memory.n < same ? memory.n : same;
    struct fm_sampled_path path = {.calls = calls, .n = n - 1, .leaf = steps[0]};
    return fm_context_tree_add(&tree, thread, &memory, &path, periods, now_ns);
}

static bool add(unsigned thread, const uint64_t *steps, unsigned n, uint64_t periods)
{
    return add_at(thread, steps, n, periods, 0);
}

/* What the tree has at the end of a path; found by looking at all nodes, not by its index. */
static uint64_t periods_at(const uint64_t *steps, unsigned n)
{
    uint32_t node = 0;
    while (n-- > 0) {
        uint32_t child = 0;
        for (uint32_t i = 1; i < segment.header.n_paths; i++) {
            const struct fm_segment_path *p = &segment.paths[i];
            if (p->kind && p->parent == node && fm_path_step(p->address, p->kind) == steps[n])
                child = child ? UINT32_MAX : i; /* a second one would be wrong */
        }
        if (!child || child == UINT32_MAX)
            return UINT64_MAX;
        node = child;
    }
    return segment.paths[node].periods;
}

static uint64_t all_periods(void)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < segment.header.n_paths; i++)
        sum += segment.paths[i].kind ? segment.paths[i].periods : 0;
    return sum;
}

static bool is_a_tree(void)
{
    for (uint32_t i = 1; i < segment.header.n_paths; i++) {
        unsigned depth = 0;
        if (!segment.paths[i].kind)
            continue;
        for (uint32_t node = i; node; node = segment.paths[node].parent)
            if (!segment.paths[node].kind || ++depth > PATHS)
                return false;
    }
    return true;
}

/* ---- */

static void check_counts(void)
{
    static struct known {
        uint64_t steps[DEPTH];
        unsigned n;
        uint64_t periods;
    } known[60];
    unsigned n_known = 0, wrong = 0;
    make_tree(PATHS);
    for (unsigned i = 0; i < 60; i++) {
        struct known *new = &known[n_known];
        new->n = random_path(new->steps, 3);
        unsigned same = 0;
        while (same < n_known && (known[same].n != new->n || memcmp(known[same].steps, new->steps, new->n * 8) != 0))
            same++;
        n_known += same == n_known;
    }
    for (unsigned i = 0; i < 5000; i++) {
        struct known *path = &known[random_below(n_known)];
        unsigned periods = 1 + random_below(4);
        path->periods += periods;
        wrong += !add(1, path->steps, path->n, periods);
    }
    for (unsigned i = 0; i < n_known; i++)
        wrong += periods_at(known[i].steps, known[i].n) != known[i].periods;
    tap_ok(!wrong && segment.header.folded_periods == 0, "each path has its periods");
}

static void check_folding(void)
{
    uint64_t steps[DEPTH], added = 0;
    const uint64_t hot[3] = {fm_path_step(0x100, FM_PATH_LEAF), fm_path_step(0x200, FM_PATH_CALL),
                             fm_path_step(0x300, FM_PATH_CALL)};
    make_tree(SMALL);
    for (unsigned i = 0; i < 100000; i++) {
        unsigned n = random_path(steps, 500);
        bool is_hot = i % 3 == 0;
        add(1, is_hot ? hot : steps, is_hot ? 3 : n, 2);
        added += 2;
    }
    tap_ok(all_periods() == added, "a full tree loses nothing");
    tap_ok(segment.header.folded_periods > 0 && is_a_tree(), "what had no room was folded, and it still is a tree");
    tap_ok(periods_at(hot, 3) == 2 * 33334, "a heavy path keeps its place");
}

static unsigned nodes(void)
{
    unsigned n = 0;
    for (uint32_t i = 1; i < segment.header.n_paths; i++)
        n += segment.paths[i].kind != FM_PATH_NONE;
    return n;
}

/* In a handler: a sample does not make room for all that are to come. */
static void check_little_by_little(void)
{
    enum { SAMPLES = 20000, MOST_AT_ONCE = 1100 };
    uint64_t steps[DEPTH];
    unsigned before = 0, most = 0, kept = 0;
    make_tree(PATHS);
    for (unsigned i = 0; i < SAMPLES; i++) {
        add(1, steps, random_path(steps, 1u << 30), 1);
        unsigned now = nodes();
        most = before > now && before - now > most ? before - now : most;
        kept = i > SAMPLES / 2 && (!kept || now < kept) ? now : kept;
        before = now;
    }
    tap_ok(most > 0 && most < MOST_AT_ONCE, "a full tree is folded little by little (%u nodes at once)", most);
    tap_ok(kept > PATHS / 4 * 3, "and stays full (%u of %u)", kept, (unsigned)PATHS);
    tap_ok(all_periods() == SAMPLES && is_a_tree(), "and loses nothing");
}

static void check_too_small(void)
{
    uint64_t steps[DEPTH];
    make_tree(8);
    for (unsigned i = 0; i < 1000; i++)
        add(1, steps, random_path(steps, 50), 1);
    tap_ok(all_periods() == 1000 && is_a_tree(), "a tree of eight nodes");
}

static void check_unloading(void)
{
    const struct fm_segment_module module = {.start = 0x10000, .end = 0x20000, .bias = 0x10000};
    const uint64_t path[3] = {fm_path_step(0x10100, FM_PATH_LEAF), fm_path_step(0x10200, FM_PATH_CALL),
                              fm_path_step(0x400, FM_PATH_CALL)};
    make_tree(PATHS);
    add(1, path, 3, 5);
    fm_context_tree_unload(&tree, 1, &module, 7);
    add(1, path, 3, 3);
    unsigned old = 0, new = 0;
    for (uint32_t i = 1; i < segment.header.n_paths; i++) {
        const struct fm_segment_path *p = &segment.paths[i];
        old += p->kind == FM_PATH_LEAF && p->module == 8 && p->address == 0x100 && p->periods == 5;
        new += p->kind == FM_PATH_LEAF && !p->module && p->address == 0x10100 && p->periods == 3;
    }
    tap_ok(old == 1 && new == 1 && is_a_tree(), "another module at the place of an unloaded one is another");
}

/* The path of a place begins like the steps; a free place has none. */
static bool leads_to(uint32_t place, const uint64_t *steps, unsigned n)
{
    uint64_t way[DEPTH];
    unsigned depth = 0;
    for (uint32_t node = place; node; node = segment.paths[node].parent) {
        if (!segment.paths[node].kind || depth == DEPTH)
            return false;
        way[depth++] = fm_path_step(segment.paths[node].address, segment.paths[node].kind);
    }
    return depth <= n && memcmp(way, steps + n - depth, depth * sizeof *way) == 0;
}

static void check_sequence(void)
{
    static struct {
        uint64_t steps[DEPTH];
        unsigned n;
    } samples[1000];
    unsigned wrong = 0, shorter = 0;
    make_tree(SMALL);
    for (unsigned i = 0; i < 1000; i++) {
        samples[i].n = random_path(samples[i].steps, 500);
        add_at(1, samples[i].steps, samples[i].n, 1, ((uint64_t)i << SHIFT) + 1000);
    }
    for (unsigned i = 0; i < 1000; i++) {
        uint32_t cell = segment.sequence.cells[i];
        wrong += !cell || !leads_to(cell - 1, samples[i].steps, samples[i].n);
        shorter += cell && segment.paths[cell - 1].kind != FM_PATH_LEAF;
    }
    tap_ok(!wrong && shorter > 500 && segment.header.sequence_changes == segment.sequence.changes &&
               segment.header.sequence_changes,
           "cells of the sequence name the nodes that costs went to");
    segment.sequence.changes++;
    atomic_store(&tree.lock, 1);
    fm_context_tree_come_back(&tree, 1);
    for (unsigned i = 0; i < FM_SEQUENCE_CELLS; i++)
        wrong += segment.sequence.cells[i];
    tap_ok(!wrong && segment.header.sequence_changes == segment.sequence.changes,
           "a change that was not ended leaves no sequence");
    add_at(1, samples[0].steps, samples[0].n, 1, (5000ull << SHIFT) + 1000);
    tap_ok(segment.header.sequence_first == (START >> SHIFT) + 5000 && segment.sequence.cells[0], "it begins anew");
}

/* As a jump out of a handler leaves it. */
static void check_abandoned(void)
{
    const uint64_t path[2] = {fm_path_step(0x100, FM_PATH_LEAF), fm_path_step(0x200, FM_PATH_CALL)};
    make_tree(PATHS);
    add(1, path, 2, 5);
    atomic_store(&tree.lock, 1);
    memset(segment.index, 0, sizeof segment.index);
    bool other = add(2, path, 2, 1), same = add(1, path, 2, 2);
    tap_ok(!other && same && periods_at(path, 2) == 7 && segment.header.n_paths == 3,
           "the thread that left it in disorder puts it in order");
    atomic_store(&tree.lock, 1);
    fm_context_tree_come_back(&tree, 1);
    tap_ok(add(2, path, 2, 1), "also at its end");
}

int main(void)
{
    check_counts();
    check_folding();
    check_little_by_little();
    check_too_small();
    check_unloading();
    check_sequence();
    check_abandoned();
    return tap_done();
}
