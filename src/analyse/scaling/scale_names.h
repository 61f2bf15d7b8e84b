/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of several runs as numbers that are equal where the texts mean the same: part of scale_join.c.
 *
 * Of load modules and source files the last part of the path counts: programs are built and installed in many places.
 * The main programs of all runs are one, and so are "[pop]" and "[pop.new]", what is not known of them. */
#ifndef FM_ANALYSE_SCALING_SCALE_NAMES_H
#define FM_ANALYSE_SCALING_SCALE_NAMES_H

#include "analyse/scaling/scale.h"

struct fm_number_slot {
    uint64_t key;
    uint32_t number; /* 0 = free */
};

struct fm_numbers {
    struct fm_number_slot *slots;
    size_t n, capacity;
};

struct fm_scale_names {
    struct fm_arena *arena; /* until the join is over */
    const struct fm_scale_run *runs;
    struct fm_intern texts;
    struct fm_numbers known;     /* text of a run, by its address: hashing addresses is much faster than texts */
    struct fm_numbers functions; /* by numbers of name and module */
    bool failed;                 /* no memory */
};

uint32_t fm_scale_name_of(struct fm_scale_names *names, const struct fm_context *context, unsigned run);
uint32_t fm_scale_module_of(struct fm_scale_names *names, const struct fm_context *context, unsigned run);
uint32_t fm_scale_path_of(struct fm_scale_names *names, const struct fm_context *context, unsigned run);
/* 0: the context is no function. */
uint32_t fm_scale_function_of(struct fm_scale_names *names, enum fm_context_kind kind, uint32_t name, uint32_t module);
bool fm_scale_in_program(const struct fm_scale_run *run, const struct fm_context *context);

#endif
