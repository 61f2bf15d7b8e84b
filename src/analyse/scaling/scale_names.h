/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps strings of several runs to numbers that are equal if the strings mean the same: part of scale_join.c.
 *
 * Only the base names of load modules and source files count: programs are built and installed in many places. The main
 * programs of all runs count as the same, and so do the names of their unknown functions, "[pop]" and "[pop.new]". */
#ifndef FM_ANALYSE_SCALING_SCALE_NAMES_H
#define FM_ANALYSE_SCALING_SCALE_NAMES_H

#include "analyse/scaling/scale.h"

struct fm_number_slot {
    uint64_t key;
    uint32_t number; /* 0: free */
};

struct fm_numbers {
    struct fm_number_slot *slots;
    size_t n, capacity;
};

struct fm_scale_names {
    struct fm_arena *arena; /* must live until the join is done */
    const struct fm_scale_run *runs;
    struct fm_intern texts;
    struct fm_numbers known;     /* by address of a run's string: hashing addresses is much faster */
    struct fm_numbers functions; /* by numbers of name and load module */
    bool failed;                 /* out of memory */
};

uint32_t fm_scale_name_of(struct fm_scale_names *names, const struct fm_context *context, unsigned run);
uint32_t fm_scale_module_of(struct fm_scale_names *names, const struct fm_context *context, unsigned run);
uint32_t fm_scale_path_of(struct fm_scale_names *names, const struct fm_context *context, unsigned run);
/* 0 if the context is not a function. */
uint32_t fm_scale_function_of(struct fm_scale_names *names, enum fm_context_kind kind, uint32_t name, uint32_t module);
bool fm_scale_in_program(const struct fm_scale_run *run, const struct fm_context *context);

#endif
