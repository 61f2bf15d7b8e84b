#include "runtime/mpi/scratch.h"

enum { LARGE = 16384 };
static struct {
    uintptr_t owner;
    struct fm_found found[LARGE];
    _Alignas(8) char statuses[LARGE][FM_STATUS_BYTES];
} large;

bool fm_scratch_take(struct fm_call *call, int64_t count, void **statuses)
{
    uintptr_t nobody = 0;
    if (count > LARGE || !__atomic_compare_exchange_n(&large.owner, &nobody, (uintptr_t)&fm_local.guard, false,
                                                      __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return false;
    call->large_scratch = true;
    call->found.items = large.found;
    *statuses = large.statuses;
    return true;
}

void fm_scratch_give_back(void)
{
    __atomic_store_n(&large.owner, 0, __ATOMIC_RELEASE);
}

bool fm_scratch_holds(fm_word statuses)
{
    return statuses == (fm_word)large.statuses;
}

void fm_scratch_abandoned(void)
{
    if (__atomic_load_n(&large.owner, __ATOMIC_RELAXED) == (uintptr_t)&fm_local.guard)
        fm_scratch_give_back();
}
