/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/signal/stacks.h"

#include "runtime/signal/state.h"

bool fm_stacks_add(uintptr_t low, uintptr_t end)
{
    if (fm_sampling.n_stacks == FM_KNOWN_STACKS)
        return false;
    fm_sampling.stacks[fm_sampling.n_stacks].low = low;
    fm_sampling.stacks[fm_sampling.n_stacks].end = end;
    fm_sampling.n_stacks++;
    return true;
}

uintptr_t fm_stacks_low(uintptr_t address)
{
    for (unsigned i = 0; i < fm_sampling.n_stacks; i++)
        if (address >= fm_sampling.stacks[i].low && address < fm_sampling.stacks[i].end)
            return fm_sampling.stacks[i].low;
    return 0;
}
