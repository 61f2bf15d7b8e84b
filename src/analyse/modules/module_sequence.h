/* SPDX-License-Identifier: BSD-3-Clause */
/* What each process did over time, as modules of a model: the cells of a profile's sequence (model/sequence.h), each
 * with the module that was at work there or waited. Where a process waits, or is in MPI, the module is the one that has
 * called for it (analyse/modules/module_breakdown.h). */
#ifndef FM_ANALYSE_MODULES_MODULE_SEQUENCE_H
#define FM_ANALYSE_MODULES_MODULE_SEQUENCE_H

#include "analyse/modules/module_breakdown.h"

struct fm_module_moment {
    uint32_t module; /* number in the list + 1; 0: nothing is known */
    enum fm_module_state state;
};

struct fm_module_row {
    uint32_t rank;
    struct fm_module_moment *moments;
    size_t in[FM_MODULE_STATES]; /* moments */
};

struct fm_sequence_module {
    const char *name;
    size_t in[FM_MODULE_STATES]; /* moments of all rows */
    bool named;                  /* by the file of modules */
};

struct fm_module_sequence {
    uint64_t start_ns; /* of the first moment, since the start of the job; before it 0 */
    uint64_t moment_ns;
    size_t n_moments;
    uint32_t rank_step;         /* of larger jobs every so many-th rank is here */
    struct fm_module_row *rows; /* by rank */
    size_t n_rows;
    struct fm_sequence_module *modules; /* most moments first */
    size_t n_modules;
    size_t n_named; /* and behind these what the file of modules names, too: it may be there in another run */
    size_t in[FM_MODULE_STATES]; /* moments of all rows */
};

extern const char *const fm_module_states[FM_MODULE_STATES]; /* "work", "transfer", "waiting" */

/* `modules` are made from `calls`, and that from the profile. Memory is the arena's. */
enum fm_status fm_module_sequence_make(const struct fm_profile *profile, const struct fm_calltree *calls,
                                       const struct fm_module_breakdown *modules, const struct fm_module_map *map,
                                       struct fm_arena *arena, struct fm_module_sequence *sequence,
                                       struct fm_error *error);

size_t fm_module_moments(const size_t in[FM_MODULE_STATES]); /* in all states */
/* How many moments from `at` on are the same. */
size_t fm_module_run(const struct fm_module_sequence *sequence, const struct fm_module_row *row, size_t at);

#endif
