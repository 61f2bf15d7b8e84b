/* SPDX-License-Identifier: BSD-3-Clause */
/* Call paths as stored in a file: what can be derived is left out, and numbers are made small (doc/FORMAT.md). The
 * fields are the columns in format/call_path_fields.c. */
#ifndef FM_FORMAT_CALL_PATH_FORM_H
#define FM_FORMAT_CALL_PATH_FORM_H

#include "model/call_paths.h"

struct fm_path_counts {
    uint64_t samples, partial, lost, folded_ns, period_ns[2];
};

/* A load module. Sorted by module and build id. */
struct fm_path_place {
    const char *module, *build_id;
};

struct fm_path_record {
    uint32_t up;          /* levels to go up from the previous node to the parent */
    uint32_t kind, place; /* place: index + 1, 0: none */
    uint64_t offset;      /* difference from the offset of an earlier node there, as 0, -1, 1, -2 ... */
    const char *routine;
    uint32_t has_own; /* 1: it has an exclusive cost */
};

/* A cost. First come the exclusive costs; then the inclusive costs, except those that have only one part (the exclusive
 * cost or an only child) and are therefore equal to it. */
struct fm_path_figures {
    uint32_t more_ranks; /* number of ranks - 1 */
    uint64_t sum_ns;     /* 0 for inclusive costs: the sum of the parts */
    uint64_t rest_ns;    /* sum - max */
    uint64_t gap_ns;     /* max - min */
    uint64_t squares[2]; /* 0 if there is only one rank */
    uint32_t max_rank;
    int32_t rank_distance; /* min_rank - max_rank */
};

struct fm_path_form {
    struct fm_path_place *places;
    size_t n_places;
    struct fm_path_record *steps;
    size_t n;
    struct fm_path_figures *figures;
    size_t n_figures;
};

/* Allocates from the arena; returns false if out of memory. */
bool fm_path_form_make(const struct fm_call_paths *paths, struct fm_arena *arena, struct fm_path_form *form);

/* Number of figures that belong to steps that were read; if the steps are invalid, *wrong (unless already set) is set
 * to a description of the problem. */
size_t fm_path_form_count(const struct fm_path_form *form, const char **wrong);
/* Computes the nodes: `nodes` has form->n items, zeroed. Must only be called if fm_path_form_count succeeded. Returns
 * false if out of memory. */
bool fm_path_form_read(const struct fm_path_form *form, struct fm_arena *arena, struct fm_path_node *nodes);

#endif
