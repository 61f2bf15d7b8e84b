/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost of a model's modules: grouping aggregation over the tree of calls (after Li and Luan, "A Performance Tool for
 * Earth System Models Development").
 *
 * The walk goes depth first over the tree. As long as a function belongs to its caller's module its cost stays there;
 * where one of another module is called, the cost moves to a node for that module below the caller's. So the same module
 * called along different paths is kept apart, and one that calls itself through another as well.
 *
 * Work, transfer and waiting are told apart at the ends of paths and kept apart in every module above. Waiting is what is
 * spent in functions and routines of the map's list entirely, and of other collective routines what a rank spends above
 * the fastest one at the same call site, an estimate. Of the rest, what is in MPI is transfer and what is not is work. In
 * MPI are its routines, its libraries with all that they call, and the functions that the map gives to the module "mpi".
 * At every node work + transfer + waiting is what the tree of calls has there, to the nanosecond. */
#ifndef FM_ANALYSE_MODULES_MODULE_BREAKDOWN_H
#define FM_ANALYSE_MODULES_MODULE_BREAKDOWN_H

#include "analyse/modules/module_map.h"

struct fm_module_cost {
    uint64_t work_ns, transfer_ns, waiting_ns;
    uint64_t estimated_ns; /* of the waiting */
    uint64_t mpi_ns;       /* in MPI: the transfer, and of the waiting what is there */
};

enum fm_module_state { FM_MODULE_WORK, FM_MODULE_TRANSFER, FM_MODULE_WAITING, FM_MODULE_STATES };

struct fm_module_node {
    const char *name;             /* of the module; of the root "" */
    uint32_t module;              /* its number in the list; of the root it has none */
    uint32_t parent, first, next; /* 0: none; node 0 is the root */
    struct fm_module_cost own, all;
};

/* A module, wherever it is called. */
struct fm_module_item {
    const char *name;
    const char *group;         /* or NULL */
    struct fm_module_cost own; /* adds up to the whole */
    struct fm_module_cost all; /* with what it calls, counted once where it is on the stack twice */
    uint64_t causes_ns;        /* waiting in what it has called, or MPI for it: adds up to all waiting */
};

struct fm_module_breakdown {
    struct fm_module_node *nodes; /* parents before their children; children by their cost, most first */
    size_t n;
    struct fm_module_item *items; /* most time of its own first */
    size_t n_items;
    struct fm_module_cost whole;
    /* In the order of the map: rules, not those of libraries, that are the first to fit no function of the tree. */
    const struct fm_module_rule **idle;
    size_t n_idle;
};

/* Memory is the arena's; tree and map must outlive it. */
enum fm_status fm_module_breakdown_make(const struct fm_calltree *calls, const struct fm_module_map *map,
                                        struct fm_arena *arena, struct fm_module_breakdown *modules,
                                        struct fm_error *error);

/* The module that is seen to be at work or waiting where a leaf of that tree is, by its number in the list: its own, or
 * whoever has called what waits, or MPI. UINT32_MAX: there is none. *state: waiting if most of the time there is. */
uint32_t fm_module_shown(const struct fm_module_breakdown *modules, const struct fm_module_map *map,
                         const struct fm_calltree *calls, const struct fm_context *leaf, enum fm_module_state *state);

void fm_module_cost_add(struct fm_module_cost *to, const struct fm_module_cost *cost);

static inline uint64_t fm_module_total(const struct fm_module_cost *cost)
{
    return cost->work_ns + cost->transfer_ns + cost->waiting_ns;
}

#endif
