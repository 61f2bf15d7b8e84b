/* SPDX-License-Identifier: BSD-3-Clause */
/* Two trees of calls with very many contexts, compared: joined, sorted, judged.
 * Usage: scale [contexts]. Prints seconds of CPU and memory; making the trees is not part of the comparison, but they are
 * in the memory. Of 16 leaves one is in the second tree alone, of 16 contexts
 * one at another line there; every third frame is one of four functions, so that there is something to judge. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "analyse/scaling/scale_verdict.h"

enum { FUNCTIONS = 20000, HOT = 4, FAN = 6, DEEP = 60 };

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double memory_mib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

/* The same for the same numbers in both trees. */
static uint64_t hash(uint64_t a, uint64_t b)
{
    uint64_t h = (a + 1) * 0x9e3779b97f4a7c15u ^ (b + 1) * 0xc2b2ae3d27d4eb4fu;
    h ^= h >> 31;
    h *= 0xbf58476d1ce4e5b9u;
    return h ^ h >> 29;
}

/* Contexts are made breadth first; the path to each is its own number. */
struct queued {
    struct fm_context *context;
    uint64_t path;
    unsigned depth;
};

static struct fm_context_id id_of(struct fm_calltree *tree, const char *const *names, uint64_t path, unsigned second,
                                  const struct fm_context *parent, bool leaf)
{
    static const char *const modules[2][2] = {{"/home/a/bin/model", "/opt/a/lib/libphysics.so"},
                                              {"/home/b/bin/model.new", "/opt/b/lib/libphysics.so"}};
    bool moved = second && path % 16 == 1;
    return (struct fm_context_id){
        .kind = leaf ? FM_CONTEXT_STATEMENT : FM_CONTEXT_FRAME,
        .name = leaf ? parent->id.name : names[path % (path / 32 % 3 ? FUNCTIONS : HOT)],
        .module = fm_calltree_text(tree, modules[second][path / 16 % 8 == 0]),
        .path = fm_calltree_text(tree, second ? "/home/b/src/model.f90" : "/home/a/src/model.f90"),
        .defined = "",
        .line = 1 + (uint32_t)(path >> 20) % 5000 + moved,
    };
}

static void make(struct fm_calltree *tree, struct fm_arena *arena, size_t contexts, unsigned second)
{
    struct fm_arena scratch = {0};
    struct queued *queue = fm_arena_alloc(&scratch, (contexts + FAN + 1) * sizeof *queue);
    const char **names = fm_arena_alloc(arena, FUNCTIONS * sizeof *names);
    size_t n = 1;
    fm_calltree_start(tree, arena, 64);
    for (size_t i = 0; i < FUNCTIONS; i++) {
        char name[64];
        snprintf(name, sizeof name, "ocean_physics_module_%zu::step_%zu", i / 40, i);
        names[i] = fm_calltree_text(tree, name);
    }
    queue[0] = (struct queued){tree->root, 1, 0};
    for (size_t at = 0; at < n && tree->n < contexts && !tree->failed; at++)
        for (uint64_t i = 0; i < FAN && tree->n < contexts; i++) {
            struct queued *from = &queue[at];
            uint64_t path = hash(from->path, i);
            bool leaf = from->depth && (i >= FAN / 2 || from->depth == DEEP);
            if (leaf && path % 16 == 2 && !second)
                continue;
            struct fm_context_id id = id_of(tree, names, path, second, from->context, leaf);
            struct fm_context *made = fm_context_below(tree, from->context, &id);
            if (leaf) {
                struct fm_context_cost cost = {.of = fm_path_cost_of(1000000 + path % 1000000 * (1 + second), 0)};
                made->own = made->all = cost;
                fm_context_cost_add(&from->context->own, &cost, 64, NULL);
            } else {
                queue[n++] = (struct queued){made, path, from->depth + 1};
            }
        }
    for (size_t at = n; at-- > 0;) /* children before parents */
        for (const struct fm_context *child = queue[at].context->first; child; child = child->next)
            fm_context_cost_add(&queue[at].context->all, &child->all, 64, NULL);
    fm_arena_destroy(&scratch);
}

int main(int argc, char **argv)
{
    size_t contexts = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
    struct fm_arena arena = {0};
    struct fm_calltree trees[2];
    for (unsigned i = 0; i < 2; i++)
        make(&trees[i], &arena, contexts, i);
    struct fm_scale_run runs[] = {{&trees[0], 64, 10000000, "/home/a/bin/model", "a"},
                                  {&trees[1], 1024, 10000000, "/home/b/bin/model.new", "b"}};
    struct fm_scale scale;
    struct fm_verdicts verdicts;
    struct fm_error error = {0};
    double trees_mib = memory_mib(), start = cpu_seconds();
    if (fm_scale_join(FM_SCALE_STRONG, runs, 2, &arena, &scale, &error))
        return 1;
    double joined = cpu_seconds();
    if (fm_scale_sort(&scale, 0, 1, false, &error))
        return 1;
    double sorted = cpu_seconds();
    if (fm_scale_judge(&scale, 0, 1, &verdicts, &error))
        return 1;
    double judged = cpu_seconds();
    size_t both = 0, by_name = 0;
    for (size_t i = 0; i < scale.n; i++) {
        both += scale.nodes[i].runs == 3;
        by_name += scale.nodes[i].by_name;
    }
    printf("%zu and %zu contexts, %zu joined, %zu of them in both, %zu by name; %zu verdicts\n", trees[0].n, trees[1].n,
           scale.n, both, by_name, verdicts.n);
    printf("  joining  %8.2f s\n", joined - start);
    printf("  sorting  %8.2f s\n", sorted - joined);
    printf("  judging  %8.2f s\n", judged - sorted);
    printf("  together %8.2f s of CPU\n", judged - start);
    printf("  memory   %8.0f MiB at most, %.0f of them before\n", memory_mib(), trees_mib);
    fm_arena_destroy(&arena);
    return 0;
}
