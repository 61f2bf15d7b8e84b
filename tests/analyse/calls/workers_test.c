/* Worker threads: what they do is found where the region was started if that can be told, and stays with them if not. */
#include "analyse/calls/workers.h"

#include <string.h>

#include "analyse/calls/made_tree.h"
#include "tap.h"

static const char GOMP[] = "/usr/lib/libgomp.so.1", LIBC[] = "/lib/libc.so.6";

/* By the names on the way to it. */
static const struct fm_context *at(const struct fm_calltree *tree, const char *path)
{
    char words[256], *rest = words;
    const struct fm_context *found = tree->root;
    snprintf(words, sizeof words, "%s", path);
    for (const char *word; found && (word = strsep(&rest, "/"));)
        for (found = found->first; found && strcmp(found->id.name, word) != 0;)
            found = found->next;
    return found;
}

static bool costs(const struct fm_context *context, uint64_t own_ms, uint64_t all_ms)
{
    return context && context->own.of.sum_ns == own_ms * 1000000 && context->all.of.sum_ns == all_ms * 1000000;
}

/* What is below every context adds up. */
static bool adds_up(const struct fm_calltree *tree)
{
    for (const struct fm_context *each = tree->root; each; each = fm_context_after(tree->root, each)) {
        uint64_t ns = 0;
        size_t n = 0;
        for (const struct fm_context *child = each->first; child; child = child->next, n++)
            ns += child->all.of.sum_ns;
        if (n != each->n_children || (each->first && ns != each->all.of.sum_ns))
            return false;
    }
    return true;
}

static void join(const struct made_row *rows, size_t n, struct fm_arena *arena, struct fm_calltree *tree)
{
    made_tree(rows, n, 0, arena, tree);
    uint64_t ns = tree->root->all.of.sum_ns;
    fm_calltree_begin_with_main(tree);
    tap_ok(!fm_calltree_join_workers(tree, NULL) && tree->root->all.of.sum_ns == ns && adds_up(tree),
           "all of it is somewhere");
}

/* A sample may be taken in startup code itself. */
static void test_startup(void)
{
    static const struct made_row rows[] = {
        {1, FRAME, "main", 0, {1}, NULL, NULL},
        {1, FRAME, "clone3", 0, {2}, LIBC, NULL},
        {2, FRAME, "start_thread", 0, {4}, LIBC, NULL},
        {3, FRAME, "[libpmix.so.2+0x10]", 0, {8}, "/usr/lib/libpmix.so.2", NULL},
        {3, FRAME, "own_thread", 0, {16}, NULL, NULL},
    };
    struct fm_arena arena = {0};
    struct fm_calltree tree;
    made_tree(ROWS(rows), 0, &arena, &tree);
    fm_calltree_begin_with_main(&tree);
    tap_ok(adds_up(&tree) && costs(at(&tree, "clone3"), 2, 2) && costs(at(&tree, "start_thread"), 4, 4) &&
               costs(at(&tree, "own_thread"), 16, 16),
           "startup code keeps the time of its own, and threads are beside it");
    tap_ok(fm_calltree_without_helpers(&tree) == 8000000 && adds_up(&tree), "threads of MPI are left out even so");
    fm_arena_destroy(&arena);
}

static void test_one_path(void)
{
    static const struct made_row rows[] = {
        {1, FRAME, "main", 0, {1}, NULL, NULL},
        {2, FRAME, "step", 10, {2}, NULL, NULL},
        {3, FRAME, "GOMP_parallel", 20, {4}, GOMP, NULL},
        {4, FRAME, "step._omp_fn.0", 0, {8}, NULL, NULL},
        {5, FRAME, "flux", 30, {16}, NULL, NULL},
        {3, FRAME, "[libgomp.so.1+0x30]", 20, {32}, GOMP, NULL},
        {1, FRAME, "clone", 0, {0}, LIBC, NULL},
        {2, FRAME, "start_thread", 0, {0}, LIBC, NULL},
        {3, FRAME, "[libgomp.so.1+0x10]", 0, {64}, GOMP, NULL},
        {4, FRAME, "[libgomp.so.1+0x20]", 0, {0}, GOMP, NULL},
        {5, FRAME, "step._omp_fn.0", 0, {128}, NULL, NULL},
        {6, FRAME, "flux", 30, {256}, NULL, NULL},
        {6, FRAME, "energy", 31, {512}, NULL, NULL},
        {4, FRAME, "flux", 0, {1024}, NULL, NULL},
    };
    struct fm_arena arena = {0};
    struct fm_calltree tree;
    join(ROWS(rows), &arena, &tree);
    tap_ok(costs(at(&tree, "main/step/GOMP_parallel/step"), 8 + 128, 8 + 16 + 128 + 256 + 512) &&
               costs(at(&tree, "main/step/GOMP_parallel/step/flux"), 16 + 256, 16 + 256) &&
               costs(at(&tree, "main/step/GOMP_parallel/step/energy"), 512, 512),
           "the body of a region with one call path has what its workers do there");
    tap_ok(costs(at(&tree, "main"), 1, 1023 - 64) && costs(at(&tree, "main/step"), 2, 1022 - 64),
           "so have the functions that lead to it");
    tap_ok(costs(at(&tree, FM_WORKERS), 64, 64 + 1024), "idle time stays with the workers");
    tap_ok(costs(at(&tree, FM_WORKERS "/flux"), 1024, 1024) && !at(&tree, FM_WORKERS "/[libgomp.so.1+0x20]"),
           "so does what is not in a body; frames with nothing left are gone");
    fm_arena_destroy(&arena);
}

static void test_several_paths(void)
{
    static const struct made_row rows[] = {
        {1, FRAME, "main", 0, {1}, NULL, NULL},
        {2, FRAME, "step", 10, {2}, NULL, NULL},
        {3, FRAME, "GOMP_parallel", 20, {0}, GOMP, NULL},
        {4, FRAME, "step._omp_fn.0", 0, {4}, NULL, NULL},
        {2, FRAME, "step", 11, {8}, NULL, NULL},
        {3, FRAME, "GOMP_parallel", 20, {0}, GOMP, NULL},
        {4, FRAME, "step._omp_fn.0", 0, {16}, NULL, NULL},
        {2, FRAME, "once", 12, {32}, NULL, NULL},
        {1, FRAME, "[libgomp.so.1+0x10]", 0, {64}, GOMP, NULL},
        {2, FRAME, "step._omp_fn.0", 0, {128}, NULL, NULL},
        {2, FRAME, "once._omp_fn.0", 0, {256}, NULL, NULL},
        {2, FRAME, "never._omp_fn.0", 0, {512}, NULL, NULL},
    };
    struct fm_arena arena = {0};
    struct fm_calltree tree;
    join(ROWS(rows), &arena, &tree);
    tap_ok(costs(at(&tree, FM_WORKERS "/step"), 128, 128) && costs(at(&tree, "main"), 1, 63 + 256),
           "with several call paths a body stays with the workers");
    tap_ok(costs(at(&tree, "main/once/once"), 256, 256), "a body that only workers were seen in is below its function");
    tap_ok(costs(at(&tree, FM_WORKERS "/never"), 512, 512), "if that was seen");
    fm_arena_destroy(&arena);
}

static void test_nested(void)
{
    static const struct made_row rows[] = {
        {1, FRAME, "gomp_thread_start", 0, {0}, GOMP, NULL}, {2, FRAME, "inner._omp_fn.0", 0, {1}, NULL, NULL},
        {2, FRAME, "outer._omp_fn.0", 0, {2}, NULL, NULL},   {3, FRAME, "GOMP_parallel", 5, {0}, GOMP, NULL},
        {4, FRAME, "inner._omp_fn.0", 0, {4}, NULL, NULL},   {2, FRAME, "f._omp_fn.0", 0, {8}, NULL, NULL},
        {3, FRAME, "GOMP_parallel", 6, {0}, GOMP, NULL},     {4, FRAME, "g._omp_fn.0", 0, {16}, NULL, NULL},
        {2, FRAME, "g._omp_fn.0", 0, {32}, NULL, NULL},      {3, FRAME, "GOMP_parallel", 7, {0}, GOMP, NULL},
        {4, FRAME, "f._omp_fn.0", 0, {64}, NULL, NULL},      {1, FRAME, "main", 0, {0}, NULL, NULL},
        {2, FRAME, "GOMP_parallel", 10, {0}, GOMP, NULL},    {3, FRAME, "outer._omp_fn.0", 0, {128}, NULL, NULL},
    };
    struct fm_arena arena = {0};
    struct fm_calltree tree;
    join(ROWS(rows), &arena, &tree);
    tap_ok(costs(at(&tree, "main/GOMP_parallel/outer"), 130, 135) &&
               costs(at(&tree, "main/GOMP_parallel/outer/GOMP_parallel/inner"), 5, 5),
           "nested regions: a body that is found in the work of workers");
    tap_ok(costs(at(&tree, FM_WORKERS "/f/GOMP_parallel/g"), 16, 16) &&
               costs(at(&tree, FM_WORKERS "/g/GOMP_parallel/f"), 64, 64),
           "two that call each other stay");
    fm_arena_destroy(&arena);
}

static void test_without_names(void)
{
    static const struct made_row rows[] = {
        {1, FRAME, "_start", 0, {0}, NULL, NULL},
        {2, FRAME, "__libc_start_main", 0, {0}, LIBC, NULL},
        {3, FRAME, "[libc.so.6+0x27000]", 0, {0}, LIBC, NULL},
        {4, FRAME, "[program+0x1000]", 0, {0}, NULL, NULL},
        {5, FRAME, "f", 10, {1}, NULL, NULL},
        {1, FRAME, "[libc.so.6+0x109000]", 0, {0}, LIBC, NULL},
        {2, FRAME, "[libc.so.6+0x88000]", 0, {0}, LIBC, NULL},
        {3, FRAME, "[program+0x2000]", 0, {0}, NULL, NULL},
        {4, FRAME, "g", 10, {2}, NULL, NULL},
    };
    struct fm_arena arena = {0};
    struct fm_calltree tree;
    join(ROWS(rows), &arena, &tree);
    tap_ok(costs(at(&tree, "main/f"), 1, 1) && costs(at(&tree, "[program+0x2000]/g"), 2, 2) &&
               tree.root->n_children == 2,
           "main and threads are found in a C library without names");
    fm_arena_destroy(&arena);
}

int main(void)
{
    test_startup();
    test_one_path();
    test_several_paths();
    test_nested();
    test_without_names();
    return tap_done();
}
