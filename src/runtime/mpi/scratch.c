/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/mpi/scratch.h"

bool fm_scratch_take(struct fm_call *call, int64_t count, void **statuses)
{
    uintptr_t none = 0;
    if (count > FM_LARGE_SCRATCH ||
        !__atomic_compare_exchange_n(&fm_rt.mpi.scratch.owner, &none, (uintptr_t)&fm_local.guard, false,
                                     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return false;
    call->large_scratch = true;
    call->found.items = fm_rt.mpi.scratch.found;
    *statuses = fm_rt.mpi.scratch.statuses;
    return true;
}

void fm_scratch_give_back(void)
{
    __atomic_store_n(&fm_rt.mpi.scratch.owner, 0, __ATOMIC_RELEASE);
}

bool fm_scratch_holds(fm_word statuses)
{
    return statuses == (fm_word)fm_rt.mpi.scratch.statuses;
}

void fm_scratch_abandoned(void)
{
    if (__atomic_load_n(&fm_rt.mpi.scratch.owner, __ATOMIC_RELAXED) == (uintptr_t)&fm_local.guard)
        fm_scratch_give_back();
}
