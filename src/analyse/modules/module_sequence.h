/* SPDX-License-Identifier: BSD-3-Clause */
/* What each process did over time, by module: the cells of the sequence of a profile (model/sequence.h), each with the
 * module that worked or waited. If a process waits or is in MPI, it is the module that called what waits, or MPI
 * (analyse/modules/module_breakdown.h).
 *
 * Times are those of the breakdown, so that shares agree with it: there, the time in a collective is divided into
 * transfer and waiting, and every thread counts. */
#ifndef FM_ANALYSE_MODULES_MODULE_SEQUENCE_H
#define FM_ANALYSE_MODULES_MODULE_SEQUENCE_H

#include "analyse/modules/module_breakdown.h"

struct fm_module_moment {
    uint32_t module; /* index in the list + 1; 0 if unknown */
    enum fm_module_state state;
};

struct fm_module_row {
    uint32_t rank;
    struct fm_module_moment *moments;
    size_t in[FM_MODULE_STATES]; /* number of moments */
};

struct fm_sequence_module {
    const char *name;
    size_t in[FM_MODULE_STATES];   /* number of moments in all rows */
    uint32_t place;                /* in the module file (fm_module_map_place); 0 without a file */
    uint64_t ns[FM_MODULE_STATES]; /* time of all threads; transfer and waiting in its calls */
};

struct fm_module_sequence {
    uint64_t start_ns; /* of the first moment, since the start of the job; at least 0 */
    uint64_t moment_ns;
    size_t n_moments;
    uint32_t rank_step;         /* large jobs have a row only for every rank_step-th rank */
    struct fm_module_row *rows; /* by rank */
    size_t n_rows;
    struct fm_sequence_module *modules; /* most time first */
    size_t n_modules;
    size_t n_named;              /* followed by the other modules of the module file, which may occur in other runs */
    size_t in[FM_MODULE_STATES]; /* number of moments in all rows */
    uint64_t ns[FM_MODULE_STATES];
};

extern const char *const fm_module_states[FM_MODULE_STATES]; /* "work", "transfer", "waiting" */

/* `modules` must be made from `calls`, and `calls` from the profile. Memory comes from the arena. */
enum fm_status fm_module_sequence_make(const struct fm_profile *profile, const struct fm_calltree *calls,
                                       const struct fm_module_breakdown *modules, const struct fm_module_map *map,
                                       struct fm_arena *arena, struct fm_module_sequence *sequence,
                                       struct fm_error *error);

/* Sums over all states. */
size_t fm_module_moments(const size_t in[FM_MODULE_STATES]);
uint64_t fm_sequence_ns(const uint64_t ns[FM_MODULE_STATES]);
/* The number of equal moments from `at` on. */
size_t fm_module_run(const struct fm_module_sequence *sequence, const struct fm_module_row *row, size_t at);

#endif
