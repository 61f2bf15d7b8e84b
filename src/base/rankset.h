/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of ranks as sorted, disjoint, non-adjacent ranges. Union is associative
 * and commutative; the text form is "0-3,7". Memory comes from the caller's arena. */
#ifndef FM_BASE_RANKSET_H
#define FM_BASE_RANKSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct fm_range {
    uint32_t first, last; /* inclusive */
};

struct fm_rankset {
    struct fm_range *ranges;
    size_t n, capacity;
};

bool fm_rankset_add(struct fm_rankset *set, struct fm_arena *arena, uint32_t first,
                    uint32_t last); /* false if out of memory */
bool fm_rankset_union(struct fm_rankset *set, struct fm_arena *arena, const struct fm_rankset *other);
uint64_t fm_rankset_count(const struct fm_rankset *set);
bool fm_rankset_has(const struct fm_rankset *set, uint32_t rank);
size_t fm_rankset_range(const struct fm_rankset *set, uint32_t rank); /* the one that contains it; set->n if none */
/* *common = the ranks that are in both; false if out of memory. */
bool fm_rankset_common(const struct fm_rankset *a, const struct fm_rankset *b, struct fm_arena *arena,
                       struct fm_rankset *common);
uint64_t fm_rankset_count_common(const struct fm_rankset *a, const struct fm_rankset *b);
/* "0-3,7" in the arena; with max_chars > 0 a longer text is cut after a range and ends in ",... (N ranks)". */
const char *fm_rankset_text(const struct fm_rankset *set, struct fm_arena *arena, size_t max_chars);

#endif
