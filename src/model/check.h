/* SPDX-License-Identifier: BSD-3-Clause */
/* Invariants of a profile: arrays are sorted by their keys, numbers are within their bounds. Checked after decoding. */
#ifndef FM_MODEL_CHECK_H
#define FM_MODEL_CHECK_H

#include "model/profile.h"

/* Returns NULL if valid, else a description of the problem ("edges out of order"). */
const char *fm_profile_check(const struct fm_profile *profile);

bool fm_edges_sorted(const struct fm_edge *edges, size_t n);

#endif
