/* SPDX-License-Identifier: BSD-3-Clause */
/* How certain the shares of modules of a running job are. Its segments have only sums since its start; the differences
 * between successive looks are the batches from which intervals are computed (analyse/modules/module_shares.h). */
#ifndef FM_HTTP_INTERVALS_H
#define FM_HTTP_INTERVALS_H

#include "analyse/modules/module_shares.h"

enum { FM_LOOKS = 64, FM_LOOK_MODULES = 64 };

/* One look: samples so far, in all and of each module. */
struct fm_look {
    double whole;
    double parts[FM_LOOK_MODULES];
};

struct fm_looks {
    char *names[FM_LOOK_MODULES]; /* those that were found first; others have no interval */
    size_t n_names;
    struct fm_look items[FM_LOOKS]; /* evenly spaced, except for the last one */
    size_t n;
    size_t stride, since; /* looks between two that are kept, and since the last one that is */
};

/* Adds a look, and sets the widths of the shares if there have been enough. */
void fm_looks_add(struct fm_looks *looks, struct fm_module_shares *shares, uint64_t samples, uint64_t ranks);
void fm_looks_close(struct fm_looks *looks);

#endif
