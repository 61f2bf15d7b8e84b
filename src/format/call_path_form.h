/* SPDX-License-Identifier: BSD-3-Clause */
/* Call paths as a file has them: what follows from the rest is left out, and numbers are made small (doc/FORMAT.md).
 * The fields are columns of format/call_path_fields.c. */
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
    uint32_t up;          /* how many nodes, from the one before upwards, it does not hang below */
    uint32_t kind, place; /* number of the place + 1, 0: none */
    uint64_t offset;      /* difference from an earlier node's in that place, as 0, -1, 1, -2 ... */
    const char *routine;
    uint32_t has_own; /* 1: it has costs of its own */
};

/* A cost. First come those that nodes have of their own; then what nodes have in all, but for those that have one part
 * alone, their own or an only child, and therefore just what that has. */
struct fm_path_figures {
    uint32_t more_ranks; /* than one */
    uint64_t sum_ns;     /* of what they have in all 0: it is the sum of the parts */
    uint64_t rest_ns;    /* sum - max */
    uint64_t gap_ns;     /* max - min */
    uint64_t squares[2]; /* of one rank 0 */
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

/* In the arena; false: no memory. */
bool fm_path_form_make(const struct fm_call_paths *paths, struct fm_arena *arena, struct fm_path_form *form);

/* How many figures belong to steps that were read; *wrong (if it is not set) says what is wrong with the steps. */
size_t fm_path_form_count(const struct fm_path_form *form, const char **wrong);
/* The nodes: form->n of them, zeroed. Only after the count was right. false: no memory. */
bool fm_path_form_read(const struct fm_path_form *form, struct fm_arena *arena, struct fm_path_node *nodes);

#endif
