/* Where ranks work, from a call tree made by hand. */
#include "analyse/findings/work_place.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

enum { RANKS = 4 };
#define MS 1000000ull

struct made_tree {
    struct fm_arena arena;
    struct fm_calltree calls;
};

/* A context below another, with this time in itself on each rank, in ms. */
static struct fm_context *add(struct made_tree *tree, struct fm_context *parent, enum fm_context_kind kind,
                              const char *name, uint32_t line, const unsigned ms[RANKS])
{
    struct fm_calltree *calls = &tree->calls;
    const char *module = fm_calltree_text(calls, kind == FM_CONTEXT_ROUTINE ? "" : "/bin/model");
    struct fm_context_id id = {.kind = kind,
                               .name = fm_calltree_text(calls, name),
                               .module = module,
                               .path = fm_calltree_text(calls, "model.c"),
                               .defined = fm_calltree_text(calls, "model.c"),
                               .line = line};
    struct fm_context *context = fm_context_below(calls, parent, &id);
    struct fm_context_cost cost = {0};
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        struct fm_path_cost one = fm_path_cost_of(ms[rank] * MS, rank);
        fm_path_cost_merge(&cost.of, &one);
    }
    fm_context_cost_add(&context->own, &cost, RANKS, &tree->arena);
    for (struct fm_context *up = context; up; up = up->parent)
        fm_context_cost_add(&up->all, &cost, RANKS, &tree->arena);
    return context;
}

#define MS_OF(...) ((const unsigned[RANKS]){__VA_ARGS__})

/* main calls step, which calls work (uneven) and MPI, and output, on rank 0 only. */
static void make(struct made_tree *tree)
{
    *tree = (struct made_tree){0};
    if (!fm_calltree_start(&tree->calls, &tree->arena, RANKS))
        abort();
    struct fm_context *program = add(tree, tree->calls.root, FM_CONTEXT_FRAME, "main", 0, MS_OF(0));
    struct fm_context *step = add(tree, program, FM_CONTEXT_FRAME, "step", 10, MS_OF(0));
    struct fm_context *work = add(tree, step, FM_CONTEXT_FRAME, "work", 20, MS_OF(0));
    struct fm_context *inner = add(tree, work, FM_CONTEXT_FRAME, "inner", 30, MS_OF(0));
    add(tree, inner, FM_CONTEXT_STATEMENT, "inner", 40, MS_OF(100, 900, 100, 100));
    add(tree, step, FM_CONTEXT_ROUTINE, "MPI_Allreduce", 21, MS_OF(800, 100, 900, 900));
    struct fm_context *output = add(tree, program, FM_CONTEXT_FRAME, "output", 11, MS_OF(0));
    add(tree, output, FM_CONTEXT_STATEMENT, "output", 50, MS_OF(60, 0, 0, 0));
    struct fm_context *input = add(tree, output, FM_CONTEXT_FRAME, "fscanf", 51, MS_OF(0));
    struct fm_context *reading = add(tree, input, FM_CONTEXT_FRAME, "read", 52, MS_OF(0));
    add(tree, reading, FM_CONTEXT_STATEMENT, "read", 53, MS_OF(30, 0, 0, 0));
    add(tree, input, FM_CONTEXT_FRAME, "strtod", 54, MS_OF(10, 0, 0, 0));
}

static void test_uneven(struct made_tree *tree)
{
    struct fm_range one = {1, 1}, zero = {0, 0};
    struct fm_rankset busy = {&one, 1, 1}, other = {&zero, 1, 1};
    fm_work_mark(&tree->calls);
    struct fm_finding_place place = fm_work_uneven_place(&tree->calls, &busy);
    tap_ok(!strcmp(place.function, "inner") && place.line == 30, "the innermost function that has the difference");
    place = fm_work_uneven_place(&tree->calls, &other);
    tap_ok(!strcmp(place.function, "output"), "of other ranks another one; where they wait is none");
}

static void test_alone(struct made_tree *tree)
{
    fm_work_mark(&tree->calls);
    struct fm_lone_work work = fm_work_alone(&tree->calls, 0, 50 * MS);
    tap_ok(work.ns == 100 * MS && !strcmp(work.place.function, "output") && work.place.line == 11,
           "what only one rank does");
    tap_ok(work.reading_ns == 40 * MS, "and how much of it is reading");
    tap_ok(work.io_ns == 40 * MS && work.formatting_ns == 10 * MS,
           "of which what is not in system calls is formatting");
    tap_ok(fm_work_alone(&tree->calls, 0, 200 * MS).ns == 0, "few samples are chance");
    tap_ok(fm_work_alone(&tree->calls, 1, 50 * MS).ns == 0, "what all ranks do is not");
}

int main(void)
{
    struct made_tree tree;
    make(&tree);
    test_uneven(&tree);
    test_alone(&tree);
    fm_arena_destroy(&tree.arena);
    return tap_done();
}
