/* SPDX-License-Identifier: BSD-3-Clause */
/* The processes of a profile by rank. */
#ifndef FM_MODEL_PROCESS_INDEX_H
#define FM_MODEL_PROCESS_INDEX_H

#include "model/profile.h"

/* Index of the first process with this rank or a higher one; the number of processes if there is none. A rank has several
 * processes if it was replaced by another program (exec). */
size_t fm_process_index(const struct fm_profile *profile, uint32_t rank);

#endif
