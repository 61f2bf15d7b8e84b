/* SPDX-License-Identifier: BSD-3-Clause */
/* Values that are merged over ranks; merging is associative and commutative. */
#ifndef FM_MODEL_VALUES_H
#define FM_MODEL_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bins.h"
#include "base/rankset.h"

#define FM_NO_RANK 0xffffffffu

/* An extreme event; of equal values, that with the lowest rank, then the lowest event number. */
struct fm_extreme {
    uint64_t ns;
    uint64_t event; /* counted from 1 within the rank's entry; 0 = no event */
    uint32_t rank;
};

struct fm_histogram {
    uint64_t bins[FM_DURATION_BINS];
};

/* Statistics of events of one kind over all ranks. */
struct fm_stats {
    uint64_t count;           /* calls */
    uint64_t count_arguments; /* sum of the count arguments */
    uint64_t total_ns;
    struct fm_extreme min, max, second; /* second: the second longest event; event == 0 if absent */
    uint64_t bytes;                     /* payload (doc/BYTES.md): what reports show as bytes */
    uint64_t bytes_sent, bytes_received;
    uint64_t messages;
    struct fm_histogram histogram;
};

/* min, max and sum over ranks of a per-rank value. */
struct fm_spread {
    uint64_t min, max, sum;
    uint32_t min_rank, max_rank;
    uint32_t ranks; /* number of ranks with a value */
};

/* Of equal values, the lowest rank is kept, then the lowest event number. */
void fm_extreme_keep_longer(struct fm_extreme *into, const struct fm_extreme *from);
void fm_extreme_keep_shorter(struct fm_extreme *into, const struct fm_extreme *from);
void fm_stats_merge(struct fm_stats *into, const struct fm_stats *from);
void fm_spread_add(struct fm_spread *spread, uint64_t value, uint32_t rank);
void fm_spread_merge(struct fm_spread *into, const struct fm_spread *from);

#endif
