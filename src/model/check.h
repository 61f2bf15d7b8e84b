/* SPDX-License-Identifier: BSD-3-Clause */
/* What every profile promises: arrays sorted by their keys, numbers within their bounds. Decoding asks. */
#ifndef FM_MODEL_CHECK_H
#define FM_MODEL_CHECK_H

#include "model/profile.h"

/* NULL when all is well, else what is wrong ("edges out of order"). */
const char *fm_profile_check(const struct fm_profile *profile);

bool fm_edges_sorted(const struct fm_edge *edges, size_t n);

#endif
