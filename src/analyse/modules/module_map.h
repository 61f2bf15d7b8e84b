/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps functions to modules of a model. Modules are parts of the model as its scientists see them, "ocean", "coupler",
 * and have nothing to do with load modules. They are defined in a text file, one definition per line:
 *
 *   # comment
 *   module  barotropic  file      barotropic.f90 pcg.f90
 *   module  barotropic  function  pcg_* solver_mod::*
 *   module  io          library   libnetcdf*.so*
 *   group   ocean       barotropic baroclinic
 *   waiting MPI_Wait* MPI_Recv *sleep
 *
 * Patterns are shell patterns. One with a '/' is matched against the whole path, others against the last component. The
 * first matching line counts. `waiting` replaces the default list of functions and routines in which all time is
 * waiting; `waiting +` adds to it.
 *
 * Without a file, the module of a function is its source file, or its load module if that is unknown. With a file,
 * functions that match no line are in "(unmapped)"; MPI routines are in "mpi" unless a line matches. */
#ifndef FM_ANALYSE_MODULES_MODULE_MAP_H
#define FM_ANALYSE_MODULES_MODULE_MAP_H

#include "analyse/calls/calltree.h"

#define FM_UNMAPPED "(unmapped)"

struct fm_module_rule {
    enum { FM_RULE_FILE, FM_RULE_FUNCTION, FM_RULE_LIBRARY } kind;
    const char *module, *pattern;
    unsigned line; /* in the file */
};

struct fm_module_group {
    const char *name;
    const char **modules;
    size_t n;
};

struct fm_module_map {
    const char *path; /* of the file; NULL if there is none */
    struct fm_module_rule *rules;
    size_t n_rules, rules_capacity;
    struct fm_module_group *groups;
    size_t n_groups, groups_capacity;
    const char **waiting; /* patterns, first those that a file need not list */
    size_t n_waiting, n_usual_waiting, waiting_capacity;
};

/* The default map, without a file. */
enum fm_status fm_module_map_usual(struct fm_module_map *map, struct fm_arena *arena, struct fm_error *error);
/* Errors name file, line and word. */
enum fm_status fm_module_map_read(struct fm_module_map *map, const char *path, struct fm_arena *arena,
                                  struct fm_error *error);
/* The first rule that matches a frame or routine; NULL if none does. */
const struct fm_module_rule *fm_module_map_rule(const struct fm_module_map *map, const struct fm_context *context);
/* The module of a frame or routine that no rule matches. The string belongs to the map or the context. */
const char *fm_module_map_name(const struct fm_module_map *map, const struct fm_context *context);
/* The place of a module among those of the file, from 1; "mpi" and FM_UNMAPPED, which need no line, come last. 0 without
 * a file. */
uint32_t fm_module_map_place(const struct fm_module_map *map, const char *module);
/* Whether all time in a function is waiting: one that a module file says waits, or a function of MPI or of the system
 * known to wait. The program's own functions of such names work. */
bool fm_module_map_waits(const struct fm_module_map *map, const struct fm_context_id *function);

#endif
