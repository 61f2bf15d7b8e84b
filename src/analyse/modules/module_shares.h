/* SPDX-License-Identifier: BSD-3-Clause */
/* The confidence intervals of module shares, for samples of a running job.
 *
 * Samples of one moment are not independent (ranks wait for each other), nor are those of successive moments (a model
 * has phases). Therefore the moments are divided into a fixed number of consecutive batches (method of batch means):
 * the more moments are taken, the longer the batches are and the less they depend on each other. The interval is
 * Student's for the ratio of two means over the batches: samples in the module, samples in all. */
#ifndef FM_ANALYSE_MODULES_MODULE_SHARES_H
#define FM_ANALYSE_MODULES_MODULE_SHARES_H

#include "analyse/modules/module_breakdown.h"

enum {
    FM_BATCHES = 10,
    FM_BATCH_MIN_MOMENTS = 10, /* per batch, before intervals are computed */
};
#define FM_SHARE_MATTERS 0.02 /* smaller shares need not be known precisely */

struct fm_module_share {
    const char *name; /* of the module */
    double share;     /* of all time: work, transfer and waiting */
    double transfer;  /* of all time */
    double waiting;   /* of all time */
    double width;     /* of the 95 % interval around `share`; 1 if not known yet */
};

struct fm_module_shares {
    struct fm_module_share *items; /* largest first */
    size_t n;
    double work, transfer, waiting; /* of all time */
    double widest;                  /* interval of a share above FM_SHARE_MATTERS */
};

/* The width of the 95 % interval of sum(parts) / sum(wholes), FM_BATCHES each, from `samples` samples in total. */
double fm_module_share_width(const double *parts, const double *wholes, uint64_t samples);

/* whole: the profile of all moments; batches: FM_BATCHES profiles of its batches, or NULL for no intervals. Memory
 * comes from the arena. */
enum fm_status fm_module_shares_find(struct fm_module_shares *shares, const struct fm_profile *whole,
                                     struct fm_profile *const *batches, const struct fm_module_map *map,
                                     struct fm_symbols *symbols, struct fm_arena *arena, struct fm_error *error);

#endif
