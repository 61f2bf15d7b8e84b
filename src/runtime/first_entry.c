/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/first_entry.h"

#include "runtime/runtime.h"

void fm_first_entry_note(struct fm_segment_first *first)
{
    const struct fm_segment_header *h = fm_rt.segment;
    uint64_t now = fm_runtime_ns(), mpi_ns = 0;
    uint32_t n = __atomic_load_n(&h->n_entries, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n; i++)
        mpi_ns += fm_rt.entries[i].total_ns;
    first->mpi_ns = mpi_ns;
    __atomic_store_n(&first->since_ns, now > h->started_mono_ns ? now - h->started_mono_ns : 1, __ATOMIC_RELEASE);
}
