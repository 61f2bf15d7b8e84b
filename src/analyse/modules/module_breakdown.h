/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost of the modules of a model: grouping aggregation over the call tree (after Li and Luan, "A Performance Tool
 * for Earth System Models Development").
 *
 * The tree is walked depth first. The cost of a function in the same module as its caller is added to the caller's
 * node; if a function of another module is called, its cost goes to a node for that module below the caller's. So a
 * module that is called along different paths has several nodes, and so has one that calls itself through another
 * module.
 *
 * Work, transfer and waiting are distinguished at the leaves and kept separate in every module above. Waiting is all
 * time in the functions and routines of the map's waiting list, that in which thread run-times wait
 * (analyse/calls/thread_runtimes.h) and, in other collective routines, the time of a rank
 * beyond the fastest one at the same call site, an estimate. The rest is transfer if it is in MPI, and work if not. In
 * MPI are its routines, its libraries with everything they call, and the functions that the map assigns to the module
 * "mpi". At every node work + transfer + waiting equals the time in the call tree, to the nanosecond. */
#ifndef FM_ANALYSE_MODULES_MODULE_BREAKDOWN_H
#define FM_ANALYSE_MODULES_MODULE_BREAKDOWN_H

#include "analyse/modules/module_map.h"

struct fm_module_cost {
    uint64_t work_ns, transfer_ns, waiting_ns;
    uint64_t estimated_ns; /* part of the waiting time */
    uint64_t mpi_ns;       /* in MPI: transfer, and waiting in MPI */
};

enum fm_module_state { FM_MODULE_WORK, FM_MODULE_TRANSFER, FM_MODULE_WAITING, FM_MODULE_STATES };

struct fm_module_node {
    const char *name;             /* of the module; "" for the root */
    uint32_t module;              /* index in the list; the root has none */
    uint32_t parent, first, next; /* 0: none; node 0 is the root */
    struct fm_module_cost own, all;
};

/* A module, over all its nodes. */
struct fm_module_item {
    const char *name;
    const char *group;         /* or NULL */
    struct fm_module_cost own; /* all modules add up to the total */
    struct fm_module_cost all; /* with everything it calls, counted once even if it is on the stack twice */
    uint64_t transfers_ns;     /* transfer in its calls of MPI; adds up to all transfer */
    uint64_t causes_ns;        /* waiting in what it has called, or MPI called for it; adds up to all waiting */
};

struct fm_module_breakdown {
    struct fm_module_node *nodes; /* parents before their children; children by cost, largest first */
    size_t n;
    struct fm_module_item *items; /* by exclusive cost, largest first */
    size_t n_items;
    struct fm_module_cost whole;
    /* Rules, except those for libraries, that are the first match of no function in the tree; in the order of the
     * map. */
    const struct fm_module_rule **idle;
    size_t n_idle;
};

/* Memory comes from the arena; tree and map must outlive the result. */
enum fm_status fm_module_breakdown_make(const struct fm_calltree *calls, const struct fm_module_map *map,
                                        struct fm_arena *arena, struct fm_module_breakdown *modules,
                                        struct fm_error *error);

/* The module to show for a leaf of that tree, by index in the list: its own, that of the caller of what waits, or MPI.
 * UINT32_MAX if there is none. *state is waiting if most of the time there is. */
uint32_t fm_module_shown(const struct fm_module_breakdown *modules, const struct fm_module_map *map,
                         const struct fm_calltree *calls, const struct fm_context *leaf, enum fm_module_state *state);

void fm_module_cost_add(struct fm_module_cost *to, const struct fm_module_cost *cost);

static inline uint64_t fm_module_total(const struct fm_module_cost *cost)
{
    return cost->work_ns + cost->transfer_ns + cost->waiting_ns;
}

#endif
