/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/mpi/lifecycle.h"

#include "runtime/job.h"
#include "runtime/mpi/abi.h"
#include "runtime/runtime.h"
#include "runtime/segment_make.h"

bool fm_lifecycle_may_measure(void)
{
    return atomic_load(&fm_rt.state) != FM_RT_OFF && fm_abi_find();
}

void fm_lifecycle_join_job(void)
{
    struct fm_segment_header *h = fm_rt.segment;
    if (!(h->flags & FM_FLAG_NO_MPI))
        return;
    struct fm_job_place place;
    fm_job_find(&place, false);
    fm_segment_rekey(place.key);
    h->local_size = place.local_size;
    h->rank = place.rank;
    h->world_size = place.world_size;
    h->flags = (h->flags & ~FM_FLAG_NO_MPI & ~FM_FLAG_SINGLE_NODE) | (place.single_node ? FM_FLAG_SINGLE_NODE : 0);
}
