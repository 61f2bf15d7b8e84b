#define _GNU_SOURCE
#include "runtime/io/extents.h"

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <ucontext.h>

#include "tap.h"

/* ---- a handler that adds parts at every instruction of adding one ---- */

#if defined __x86_64__
static struct fm_extents *stepped; /* on the heap: the sanitizer sees accesses beyond it */
static uint64_t seed = 1;
static long steps, wrong;

static uint64_t add_random(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    uint64_t from = seed >> 50, bytes = 1 + (seed >> 40 & 15);
    return fm_extents_add(stepped, from, from + bytes);
}

/* The sanitizer's report of an error is not stepped through to its end. */
static void add_in_handler(int signal, siginfo_t *info, void *context)
{
    enum { MAX_STEPS = 1000000, TRAP_FLAG = 0x100 };
    (void)signal;
    (void)info;
    if (++steps > MAX_STEPS)
        ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
    for (int i = 0; i < 3; i++)
        add_random();
    wrong += stepped->n > FM_EXTENTS || stepped->last >= FM_EXTENTS;
}

/* The processor traps after every instruction while the trap flag is set. */
static __attribute__((noinline)) void add_in_steps(void)
{
    __asm__ volatile("sub $128, %%rsp; pushfq; orq $0x100, (%%rsp); popfq; add $128, %%rsp" ::: "memory", "cc");
    add_random();
    __asm__ volatile("sub $128, %%rsp; pushfq; andq $~0x100, (%%rsp); popfq; add $128, %%rsp" ::: "memory", "cc");
}

static void check_interrupted(void)
{
    stepped = calloc(1, sizeof *stepped);
    sigaction(SIGTRAP, &(struct sigaction){.sa_sigaction = add_in_handler, .sa_flags = SA_SIGINFO}, NULL);
    for (int i = 0; i < 50; i++)
        add_in_steps();
    tap_ok(steps > 50 && wrong == 0, "a handler may add parts at any instruction: %ld steps, %ld wrong", steps, wrong);
    free(stepped);
}
#endif

int main(void)
{
    struct fm_extents e = {.n = 0};
    uint64_t before = 0;
    for (uint64_t i = 0; i < 1000; i++)
        before += fm_extents_add(&e, i * 10, i * 10 + 10);
    tap_ok(before == 0 && e.n == 1 && e.items[0].to == 10000, "writing on and on is one extent");
    tap_ok(fm_extents_add(&e, 0, 10) == 10 && fm_extents_add(&e, 9995, 10005) == 5, "what is written again is found");
    tap_ok(fm_extents_add(&e, 100, 200) == 100 && e.n == 1, "in the middle, too");
    tap_ok(fm_extents_add(&e, 10005, 10010) == 0 && e.n == 1, "and writing goes on after it");
    e = (struct fm_extents){.n = 0};
    for (uint64_t i = 10; i > 0; i--)
        before += fm_extents_add(&e, i * 10, i * 10 + 10);
    tap_ok(before == 0 && e.n == 1, "from the end to the beginning, nothing is written again");
    e = (struct fm_extents){.n = 0};
    for (uint64_t i = 0; i < 100; i++)
        before += fm_extents_add(&e, i * 20, i * 20 + 10);
    tap_ok(before == 0 && e.n == FM_EXTENTS, "more gaps than there is space for");
    for (uint64_t i = 0; i < 100; i++)
        before += fm_extents_add(&e, i * 20 + 10, i * 20 + 20);
    tap_ok(before == 0, "filling the gaps writes nothing again");
    e = (struct fm_extents){.n = 0};
    fm_extents_add(&e, 0, 10);
    fm_extents_add(&e, 20, 30);
    fm_extents_add(&e, 40, 50);
    tap_ok(fm_extents_add(&e, 5, 45) == 20 && e.n == 1 && e.items[0].from == 0 && e.items[0].to == 50,
           "one that covers several");
    bool sorted = true;
    uint64_t state = 1;
    e = (struct fm_extents){.n = 0};
    for (int i = 0; i < 10000; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        uint64_t from = state >> 54, bytes = 1 + (state >> 40 & 15);
        sorted &= fm_extents_add(&e, from, from + bytes) <= bytes && e.n <= FM_EXTENTS && e.last < e.n;
        for (uint32_t k = 0; k < e.n; k++)
            sorted &= e.items[k].from < e.items[k].to && (k == 0 || e.items[k - 1].to < e.items[k].from);
    }
    tap_ok(sorted, "they stay sorted, disjoint and not adjacent");
#if defined __x86_64__
    check_interrupted();
#endif
    return tap_done();
}
