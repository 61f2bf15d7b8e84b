/* Call paths made up by hand for the sample job, and the names of their addresses: inlining, recursion, MPI, functions
 * without lines, a module without names, a stack without its outer frames. */
#ifndef FM_TESTS_SAMPLE_PATHS_H
#define FM_TESTS_SAMPLE_PATHS_H

#include "merge/merge.h"
#include "merge/parts.h"
#include "report/sample.h"
#include "symbols/symbols.h"

#define OCEAN "/opt/ocean/bin/miniocean"
#define LIBC "/lib/libc.so.6"
#define LIBZ "/lib/libz.so.1"
#define LIBX "/opt/vendor/libx.so"

struct sample_name {
    const char *module;
    uint64_t offset;
    enum fm_address kind;
    struct fm_symbol frames[2];
};

static const struct sample_name sample_names[] = {
    {OCEAN, 0x100, FM_RETURN_ADDRESS, {{"_start", "", "", 0, "", 0, false}}},
    {LIBC,
     0x200,
     FM_RETURN_ADDRESS,
     {{"__libc_start_main", "csu/libc-start.c", "", 360, "csu/libc-start.c", 1, false}}},
    {OCEAN, 0x110, FM_RETURN_ADDRESS, {{"main", "ocean.f90", "", 14, "ocean.f90", 5, false}}},
    {OCEAN, 0x118, FM_RETURN_ADDRESS, {{"main", "ocean.f90", "", 20, "ocean.f90", 5, false}}},
    {OCEAN, 0x11c, FM_RETURN_ADDRESS, {{"main", "ocean.f90", "", 22, "ocean.f90", 5, false}}},
    {OCEAN, 0x120, FM_RETURN_ADDRESS, {{"ocean::step", "ocean.f90", "", 31, "ocean.f90", 25, false}}},
    {OCEAN, 0x150, FM_SAMPLED_ADDRESS, {{"ocean::step", "ocean.f90", "", 33, "ocean.f90", 25, false}}},
    {OCEAN,
     0x130,
     FM_RETURN_ADDRESS,
     {{"solver::pcg", "solver.f90", "", 7, "solver.f90", 6, false},
      {"solver::dot", "solver.f90", "", 4, "solver.f90", 2, true}}},
    {OCEAN,
     0x138,
     FM_SAMPLED_ADDRESS,
     {{"solver::pcg", "solver.f90", "", 7, "solver.f90", 6, false},
      {"solver::dot", "solver.f90", "", 3, "solver.f90", 2, true}}},
    {OCEAN, 0x140, FM_SAMPLED_ADDRESS, {{"solver::pcg", "solver.f90", "", 8, "solver.f90", 6, false}}},
    {OCEAN, 0x144, FM_SAMPLED_ADDRESS, {{"solver::pcg", "solver.f90", "", 8, "solver.f90", 6, false}}},
    {OCEAN, 0x160, FM_RETURN_ADDRESS, {{"refine", "refine.f90", "", 50, "refine.f90", 40, false}}},
    {OCEAN, 0x168, FM_SAMPLED_ADDRESS, {{"refine", "refine.f90", "", 47, "refine.f90", 40, false}}},
    {OCEAN, 0x170, FM_RETURN_ADDRESS, {{"output", "output.f90", "", 12, "output.f90", 9, false}}},
    {LIBZ, 0x300, FM_SAMPLED_ADDRESS, {{"deflate", "", "", 0, "", 0, false}}},
    {LIBZ, 0x304, FM_SAMPLED_ADDRESS, {{"deflate", "", "", 0, "", 0, false}}},
};

/* Source lines come from the folder of this test's texts. */
static struct fm_symbols *sample_symbols(const char *folder)
{
    struct fm_symbols *symbols = fm_symbols_create(&(struct fm_symbols_options){.directory = folder, .threads = 1});
    for (size_t i = 0; i < sizeof sample_names / sizeof *sample_names; i++) {
        const struct sample_name *name = &sample_names[i];
        struct fm_site site = {name->module, "", name->offset};
        fm_symbols_know(symbols, &site, name->kind, name->frames, name->frames[1].function ? 2 : 1);
    }
    return symbols;
}

struct sample_node {
    uint32_t parent, kind;
    const char *module;
    uint64_t offset;
    const char *routine;
    uint64_t own_ms[4]; /* of the ranks */
};

static const struct sample_node sample_nodes[] = {
    {0, FM_PATH_ROOT, "", 0, "", {0}},
    {0, FM_PATH_GAP, "", 0, "", {0}},
    {1, FM_PATH_LEAF, LIBX, 0x900, "", {0, 0, 40, 0}},
    {1, FM_PATH_LEAF, LIBX, 0x980, "", {0, 0, 20, 0}},
    {0, FM_PATH_CALL, OCEAN, 0x100, "", {0}}, /* 4 _start */
    {4, FM_PATH_CALL, LIBC, 0x200, "", {0}},  /* 5 __libc_start_main */
    {5, FM_PATH_CALL, OCEAN, 0x110, "", {0}}, /* 6 main calls step */
    {6, FM_PATH_CALL, OCEAN, 0x120, "", {0}}, /* 7 step calls pcg */
    {7, FM_PATH_CALL, OCEAN, 0x130, "", {0}}, /* 8 dot in pcg calls ... */
    {8, FM_PATH_ROUTINE, "", 0, "MPI_Allreduce", {4000, 4100, 4200, 900}},
    {7, FM_PATH_LEAF, OCEAN, 0x138, "", {800, 820, 810, 1900}},
    {7, FM_PATH_LEAF, OCEAN, 0x140, "", {500, 480, 490, 1500}},
    {7, FM_PATH_LEAF, OCEAN, 0x144, "", {200, 210, 190, 600}},
    {6, FM_PATH_LEAF, OCEAN, 0x150, "", {1500, 1500, 1500, 2500}},
    {5, FM_PATH_CALL, OCEAN, 0x118, "", {0}},            /* 14 main calls output */
    {14, FM_PATH_CALL, OCEAN, 0x170, "", {30, 0, 0, 0}}, /* 15 output calls deflate */
    {15, FM_PATH_LEAF, LIBZ, 0x300, "", {700, 0, 0, 0}},
    {15, FM_PATH_LEAF, LIBZ, 0x304, "", {600, 0, 0, 0}},
    {5, FM_PATH_CALL, OCEAN, 0x11c, "", {0}},  /* 18 main calls refine */
    {18, FM_PATH_CALL, OCEAN, 0x160, "", {0}}, /* 19 refine calls refine */
    {19, FM_PATH_CALL, OCEAN, 0x160, "", {0}}, /* 20 and again */
    {20, FM_PATH_LEAF, OCEAN, 0x168, "", {100, 100, 100, 100}},
    {19, FM_PATH_LEAF, OCEAN, 0x168, "", {200, 200, 200, 200}},
    {18, FM_PATH_LEAF, OCEAN, 0x168, "", {300, 300, 300, 300}},
};
enum { SAMPLE_NODES = sizeof sample_nodes / sizeof *sample_nodes };

/* One after the other as they are in the tree, in cells of 134 ms; those of higher ranks begin later. */
static void sample_add_sequence(struct fm_profile *profile, struct fm_call_paths *paths, const uint32_t *places,
                                uint32_t rank)
{
    struct fm_sequence *s = &paths->sequence;
    s->shift = 27;
    s->first = (profile->job.started_real_ns >> 27) + 1 + rank;
    s->rows = sample_alloc(profile, sizeof *s->rows);
    s->rows[0] = (struct fm_sequence_row){rank, sample_alloc(profile, FM_SEQUENCE_CELLS * sizeof(uint32_t))};
    s->n = s->capacity = 1;
    for (uint32_t i = 0; i < SAMPLE_NODES; i++)
        for (uint64_t ms = 0; ms < sample_nodes[i].own_ms[rank]; ms += 134)
            s->rows[0].cells[s->n_cells++] = places[i] + 1;
    if (rank == 1)
        s->rows[0].cells[20] = 0;
}

/* As ranks measure it: only what they have, and then merged. */
static void sample_add_rank(struct fm_profile *profile, uint32_t rank)
{
    struct fm_call_paths paths = {.samples = 8000, .partial = rank == 2 ? 60 : 0, .period_ns = {1000000, 1000000}};
    uint64_t below[SAMPLE_NODES] = {0};
    uint32_t places[SAMPLE_NODES] = {0};
    for (size_t i = SAMPLE_NODES; i-- > 0;) {
        below[i] += sample_nodes[i].own_ms[rank];
        if (i)
            below[sample_nodes[i].parent] += below[i];
    }
    paths.nodes = sample_alloc(profile, SAMPLE_NODES * sizeof *paths.nodes);
    for (size_t i = 0; i < SAMPLE_NODES; i++) {
        const struct sample_node *node = &sample_nodes[i];
        if (!below[i])
            continue;
        places[i] = (uint32_t)paths.n;
        paths.nodes[paths.n++] = (struct fm_path_node){
            .parent = places[node->parent],
            .kind = node->kind,
            .site = {node->module, "", node->offset},
            .routine = node->routine,
            .own = fm_path_cost_of(node->own_ms[rank] * MS, rank),
        };
    }
    fm_call_paths_inclusive(&paths, rank);
    fm_call_paths_make_shares(&paths, &profile->arena, &profile->arena, rank);
    sample_add_sequence(profile, &paths, places, rank);
    fm_merge_paths(profile, &paths, &profile->arena);
}

static struct fm_profile *sample_sampled(void)
{
    struct fm_profile *profile = sample_profile(4);
    for (uint32_t rank = 0; rank < 4; rank++)
        sample_add_rank(profile, rank);
    return profile;
}

#endif
