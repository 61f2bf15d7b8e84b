#include "runtime/signal/stacks.h"

enum { MOST = 512 };
static struct {
    uintptr_t low, end;
} stacks[MOST];
static unsigned n_stacks;

bool fm_stacks_add(uintptr_t low, uintptr_t end)
{
    if (n_stacks == MOST)
        return false;
    stacks[n_stacks].low = low;
    stacks[n_stacks].end = end;
    n_stacks++;
    return true;
}

uintptr_t fm_stacks_low(uintptr_t address)
{
    for (unsigned i = 0; i < n_stacks; i++)
        if (address >= stacks[i].low && address < stacks[i].end)
            return stacks[i].low;
    return 0;
}
