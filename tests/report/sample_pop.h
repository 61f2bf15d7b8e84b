/* Two runs made up by hand, on 4 and on 64 ranks, that lose what the Parallel Ocean Program lost in the paper that
 * scaling analysis is from (Coarfa et al., ICS 2007): 71 % in all, 60 % in communication, 21 % of it in scalar
 * reductions that one routine makes in succession. */
#ifndef FM_TESTS_SAMPLE_POP_H
#define FM_TESTS_SAMPLE_POP_H

#include "merge/parts.h"
#include "report/sample.h"
#include "symbols/symbols.h"

#define POP "/opt/pop/bin/pop"
#define BINDING "/usr/lib/libmpi_mpifh.so.40" /* has addresses from 0x900 on */

struct pop_name {
    uint64_t offset;
    enum fm_address kind;
    struct fm_symbol symbol;
};

#define POP_CALL(offset, name, source, number)                                                                     \
    {                                                                                                              \
        offset, FM_RETURN_ADDRESS,                                                                                 \
        {                                                                                                          \
            .function = name, .path = source, .file = source, .line = number, .defined = source, .defined_line = 1 \
        }                                                                                                          \
    }
#define POP_LINE(offset, name, source, number)                                                                     \
    {                                                                                                              \
        offset, FM_SAMPLED_ADDRESS,                                                                                \
        {                                                                                                          \
            .function = name, .path = source, .file = source, .line = number, .defined = source, .defined_line = 1 \
        }                                                                                                          \
    }

static const struct pop_name pop_names[] = {
    POP_CALL(0x110, "pop", "pop.F90", 72),
    POP_CALL(0x114, "pop", "pop.F90", 96),
    POP_CALL(0x120, "step_mod::step", "step_mod.F90", 210),
    POP_CALL(0x124, "step_mod::step", "step_mod.F90", 231),
    POP_CALL(0x128, "step_mod::step", "step_mod.F90", 240),
    POP_CALL(0x12c, "step_mod::step", "step_mod.F90", 255),
    POP_CALL(0x130, "barotropic::barotropic_driver", "barotropic.F90", 322),
    POP_CALL(0x140, "solvers::pcg", "solvers.F90", 530),
    POP_CALL(0x144, "solvers::pcg", "solvers.F90", 541),
    POP_CALL(0x150, "boundary::update_ghost_cells", "boundary.F90", 880),
    POP_CALL(0x154, "global_reductions::global_sum", "global_reductions.F90", 140),
    POP_CALL(0x158, "global_reductions::global_sum_scalar_dbl", "global_reductions.F90", 188),
    POP_CALL(0x15c, "global_reductions::global_sum_scalar_int", "global_reductions.F90", 230),
    POP_CALL(0x160, "diagnostics::diag_global", "diagnostics.F90", 601),
    POP_CALL(0x164, "diagnostics::diag_global", "diagnostics.F90", 602),
    POP_CALL(0x168, "diagnostics::diag_global", "diagnostics.F90", 603),
    POP_LINE(0x200, "baroclinic::baroclinic_driver", "baroclinic.F90", 455),
    POP_LINE(0x210, "solvers::pcg", "solvers.F90", 512),
    POP_LINE(0x220, "initial::initialize_pop", "initial.F90", 133),
};

static struct fm_symbols *pop_symbols(void)
{
    struct fm_symbols *symbols = fm_symbols_create(&(struct fm_symbols_options){.threads = 1});
    for (size_t i = 0; i < sizeof pop_names / sizeof *pop_names; i++) {
        struct fm_site site = {POP, "", pop_names[i].offset};
        fm_symbols_know(symbols, &site, pop_names[i].kind, &pop_names[i].symbol, 1);
    }
    return symbols;
}

static const struct pop_node {
    uint32_t parent, kind;
    uint64_t offset;
    const char *routine;
    uint64_t small_ms, large_ms; /* of all 4 ranks, of all 64 */
} pop_nodes[] = {
    {0, FM_PATH_ROOT, 0, "", 0, 0},
    {0, FM_PATH_CALL, 0x110, "", 0, 0}, /* 1 pop calls initialize_pop */
    {1, FM_PATH_LEAF, 0x220, "", 496, 6336},
    {0, FM_PATH_CALL, 0x114, "", 0, 0}, /* 3 pop calls step */
    {3, FM_PATH_CALL, 0x120, "", 0, 0}, /* 4 step calls baroclinic_driver */
    {4, FM_PATH_LEAF, 0x200, "", 20000, 24000},
    {3, FM_PATH_CALL, 0x124, "", 0, 0}, /* 6 step calls barotropic_driver */
    {6, FM_PATH_CALL, 0x130, "", 0, 0}, /* 7 barotropic_driver calls pcg */
    {7, FM_PATH_CALL, 0x140, "", 0, 0}, /* 8 pcg calls update_ghost_cells */
    {8, FM_PATH_CALL, 0x150, "", 0, 0},
    {9, FM_PATH_ROUTINE, 0, "MPI_Waitall", 1200, 20032},
    {7, FM_PATH_CALL, 0x144, "", 0, 0}, /* 11 pcg calls global_sum */
    {11, FM_PATH_CALL, 0x154, "", 0, 0},
    {12, FM_PATH_ROUTINE, 0, "MPI_Allreduce", 500, 5504},
    {7, FM_PATH_LEAF, 0x210, "", 5000, 6016},
    {3, FM_PATH_CALL, 0x128, "", 0, 0}, /* 15 step calls diag_global, which sums three scalars */
    {15, FM_PATH_CALL, 0x160, "", 0, 0},
    {16, FM_PATH_CALL, 0x158, "", 0, 0},
    {17, FM_PATH_ROUTINE, 0, "MPI_Allreduce", 360, 7680},
    {16, FM_PATH_LEAF, 0x900, "", 4, 64}, /* a little in the binding of the language, in the line of the call */
    {15, FM_PATH_CALL, 0x164, "", 0, 0},
    {20, FM_PATH_CALL, 0x158, "", 0, 0},
    {21, FM_PATH_ROUTINE, 0, "MPI_Allreduce", 320, 7360},
    {15, FM_PATH_CALL, 0x168, "", 0, 0},
    {23, FM_PATH_CALL, 0x15c, "", 0, 0},
    {24, FM_PATH_ROUTINE, 0, "MPI_Allreduce", 320, 6976},
    {3, FM_PATH_CALL, 0x12c, "", 0, 0}, /* 26 step calls update_ghost_cells */
    {26, FM_PATH_CALL, 0x150, "", 0, 0},
    {27, FM_PATH_ROUTINE, 0, "MPI_Waitall", 800, 16032},
};
enum { POP_NODES = sizeof pop_nodes / sizeof *pop_nodes };

static void pop_add_rank(struct fm_profile *profile, uint32_t rank)
{
    uint32_t ranks = profile->job.ranks;
    struct fm_call_paths paths = {.period_ns = {MS, MS}, .n = POP_NODES};
    paths.nodes = sample_alloc(profile, POP_NODES * sizeof *paths.nodes);
    for (size_t i = 0; i < POP_NODES; i++) {
        const struct pop_node *node = &pop_nodes[i];
        uint64_t ms = ranks == 4 ? node->small_ms : node->large_ms;
        bool address = node->kind != FM_PATH_ROOT && node->kind != FM_PATH_ROUTINE;
        paths.samples += ms / ranks;
        paths.nodes[i] = (struct fm_path_node){
            .parent = node->parent,
            .kind = node->kind,
            .site = {!address                ? ""
                     : node->offset >= 0x900 ? BINDING
                                             : POP,
                     "", node->offset},
            .routine = node->routine,
            .own = fm_path_cost_of(ms * MS / ranks, rank),
        };
    }
    fm_call_paths_inclusive(&paths, rank);
    fm_merge_paths(profile, &paths, &profile->arena);
}

static struct fm_profile *pop_profile(uint32_t ranks)
{
    static const char *argv[] = {POP};
    struct fm_profile *profile = sample_profile(ranks);
    profile->job.exe = POP;
    profile->job.build_id = "";
    profile->job.argv = argv;
    profile->job.n_argv = 1;
    for (uint32_t rank = 0; rank < ranks; rank++)
        pop_add_rank(profile, rank);
    return profile;
}

#endif
