/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/process_index.h"

#include "base/search.h"

size_t fm_process_index(const struct fm_profile *profile, uint32_t rank)
{
    return FM_FIRST_AT_LEAST(profile->processes, profile->n_processes, rank, rank);
}
