/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/process_index.h"

size_t fm_process_index(const struct fm_profile *profile, uint32_t rank)
{
    size_t low = 0, high = profile->n_processes;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (profile->processes[middle].rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
