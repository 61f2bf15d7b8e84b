/* SPDX-License-Identifier: BSD-3-Clause */
/* Which module of a model a function belongs to: modules are what a scientist thinks in, "ocean", "coupler", and have
 * nothing to do with load modules. A text file says it, in lines of words:
 *
 *   # what follows a # is not read
 *   module  barotropic  file      barotropic.f90 pcg.f90
 *   module  barotropic  function  pcg_* solver_mod::*
 *   module  io          library   libnetcdf*.so*
 *   group   ocean       barotropic baroclinic
 *   waiting MPI_Wait* MPI_Recv *sleep
 *
 * The words are patterns as the shell has them. One with a '/' is compared with a whole path, else with its last part.
 * The first line that matches a function counts. `waiting` replaces the usual list of functions and routines in which
 * time is waiting entirely; `waiting +` adds to it.
 *
 * Without a file a function belongs to the source file it is written in, else to its load module. What a file says
 * nothing of belongs to "(unmapped)", MPI routines to "mpi" unless it says otherwise. */
#ifndef FM_ANALYSE_MODULES_MODULE_MAP_H
#define FM_ANALYSE_MODULES_MODULE_MAP_H

#include "analyse/calls/calltree.h"

#define FM_UNMAPPED "(unmapped)"

struct fm_module_rule {
    enum { FM_RULE_FILE, FM_RULE_FUNCTION, FM_RULE_LIBRARY } kind;
    const char *module, *pattern;
    unsigned line; /* of the file */
};

struct fm_module_group {
    const char *name;
    const char **modules;
    size_t n;
};

struct fm_module_map {
    const char *path; /* of the file; NULL: there is none */
    struct fm_module_rule *rules;
    size_t n_rules, rules_capacity;
    struct fm_module_group *groups;
    size_t n_groups, groups_capacity;
    const char **waiting; /* patterns */
    size_t n_waiting, waiting_capacity;
};

/* Without a file. */
enum fm_status fm_module_map_usual(struct fm_module_map *map, struct fm_arena *arena, struct fm_error *error);
/* A bad line is an error that names file, line and word. */
enum fm_status fm_module_map_read(struct fm_module_map *map, const char *path, struct fm_arena *arena,
                                  struct fm_error *error);
/* The first one that fits a frame or routine; NULL: none does. */
const struct fm_module_rule *fm_module_map_rule(const struct fm_module_map *map, const struct fm_context *context);
/* Of a frame or routine that no rule fits; the text is the map's or the context's. */
const char *fm_module_map_name(const struct fm_module_map *map, const struct fm_context *context);
/* Whether time in it is waiting entirely. */
bool fm_module_map_waits(const struct fm_module_map *map, const char *function);

#endif
