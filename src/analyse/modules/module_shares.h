/* SPDX-License-Identifier: BSD-3-Clause */
/* How well the shares of modules are known that come from samples of a running job.
 *
 * Samples of one moment are not independent (ranks wait for one another), nor are those of moments that follow each
 * other (a model has phases). So moments are put together into a fixed number of stretches, one after the other: as
 * more moments come the stretches get longer, and what they have less and less to do with each other. The interval is
 * Student's for the ratio of two means over the stretches: samples in the module, samples in all. */
#ifndef FM_ANALYSE_MODULES_MODULE_SHARES_H
#define FM_ANALYSE_MODULES_MODULE_SHARES_H

#include "analyse/modules/module_breakdown.h"

enum {
    FM_STRETCHES = 10,
    FM_STRETCH_LEAST = 10, /* moments in one, before anything is believed */
};
#define FM_SHARE_MATTERS 0.02 /* what is less than that may be known as badly as it likes */

struct fm_module_share {
    const char *name; /* of the module */
    double share;     /* of all time: work, transfer and waiting */
    double transfer;  /* of all time */
    double waiting;   /* of all time */
    double width;     /* of the 95 % interval of `share`, which is in its middle; 1 when nothing is known yet */
};

struct fm_module_shares {
    struct fm_module_share *items; /* largest first */
    size_t n;
    double work, transfer, waiting; /* of all time */
    double widest;                  /* interval of a share that matters */
};

/* The width of the 95 % interval of sum(parts) / sum(wholes), each of FM_STRETCHES, from so many samples in all. */
double fm_module_share_width(const double *parts, const double *wholes, uint64_t samples);

/* whole: the profile of all moments; stretches: FM_STRETCHES profiles of its stretches, or NULL: no intervals.
 * Memory is the arena's. */
enum fm_status fm_module_shares_find(struct fm_module_shares *shares, const struct fm_profile *whole,
                                     struct fm_profile *const *stretches, const struct fm_module_map *map,
                                     struct fm_symbols *symbols, struct fm_arena *arena, struct fm_error *error);

#endif
