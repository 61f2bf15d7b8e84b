/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/signal/recent.h"

#include <stdatomic.h>
#include <string.h>

static const uint64_t mixer = 0x9e3779b97f4a7c15u;

static struct fm_recent_caller *caller_of(struct fm_recents *recents, const struct fm_unwind *u)
{
    return &recents->callers[(((u->caller.pc ^ u->caller.sp << 7) * mixer) >> 32) % FM_RECENT_CALLERS];
}

static bool is_known(const struct fm_recent_caller *caller, const struct fm_unwind *u)
{
    return caller->pc == u->caller.pc && caller->sp == u->caller.sp && caller->stack_end == u->stack_end;
}

static unsigned set_of(const struct fm_recent_caller *caller)
{
    uint64_t mixed = caller->pc ^ caller->sp << 7;
    for (unsigned i = 0; i < FM_RECENT_PEEKS; i++)
        mixed = 31 * mixed + *(const uintptr_t *)caller->peeks[i];
    return (unsigned)(mixed * mixer >> 32) % FM_RECENT_SETS;
}

/* Another caller is forgotten: its stacks are not found any more. */
static void learn_caller(struct fm_recent_caller *caller, const struct fm_unwind *u)
{
    struct fm_stack_word words[FM_RECENT_WORDS];
    bool fp_matters;
    uint32_t n = fm_unwind_copy_words(u, words, &fp_matters);
    caller->pc = 0;
    atomic_signal_fence(memory_order_seq_cst);
    for (unsigned i = 0; i < FM_RECENT_PEEKS; i++)
        caller->peeks[i] = words[i * n / FM_RECENT_PEEKS].at;
    caller->sp = u->caller.sp;
    caller->stack_end = u->stack_end;
    atomic_signal_fence(memory_order_seq_cst);
    caller->pc = u->caller.pc;
}

/* The inner words first: those change most. */
static bool is_unchanged(const struct fm_recent *recent)
{
    const struct fm_stack_word *word = recent->words + recent->n_words;
    while (word > recent->words) {
        word--;
        if (*(const uintptr_t *)word->at != word->value)
            return false;
    }
    return true;
}

struct fm_recent *fm_recent_find(struct fm_recents *recents, const struct fm_unwind *u)
{
    const struct fm_recent_caller *caller = caller_of(recents, u);
    if (!u->caller.pc || !is_known(caller, u))
        return NULL;
    struct fm_recent *set = recents->stacks[set_of(caller)];
    for (struct fm_recent *recent = set; recent < set + FM_RECENT_WAYS; recent++)
        if (recent->pc == u->caller.pc && recent->sp == u->caller.sp && recent->stack_end == u->stack_end &&
            (recent->fp == u->caller.fp || !recent->fp_matters) && is_unchanged(recent)) {
            recents->missed = 0;
            return recent;
        }
    return NULL;
}

/* Where stacks do not repeat, only some are kept, because that takes time. */
static bool is_in_vain(struct fm_recents *recents)
{
    enum { PATIENCE = 2 * FM_RECENT_SETS * FM_RECENT_WAYS, SOME = 16 };
    return recents->missed++ >= PATIENCE && recents->missed % SOME;
}

void fm_recent_keep(struct fm_recents *recents, const struct fm_unwind *u)
{
    const struct fm_stack *stack = u->stack;
    struct fm_recent_caller *caller = caller_of(recents, u);
    uint32_t most_words = fm_unwind_words(u);
    if (stack->n > FM_RECENT_DEPTH || most_words > FM_RECENT_WORDS || !most_words || is_in_vain(recents))
        return;
    if (!is_known(caller, u))
        learn_caller(caller, u);
    unsigned set = set_of(caller);
    struct fm_recent *recent = &recents->stacks[set][recents->next[set]++ % FM_RECENT_WAYS];
    recent->pc = 0;
    atomic_signal_fence(memory_order_seq_cst);
    recent->n_words = fm_unwind_copy_words(u, recent->words, &recent->fp_matters);
    recent->n = stack->n;
    memcpy(recent->calls, stack->calls, stack->n * sizeof *stack->calls);
    recent->memory = (struct fm_path_memory){.nodes = recent->nodes};
    recent->sp = u->caller.sp;
    recent->fp = u->caller.fp;
    recent->stack_end = u->stack_end;
    atomic_signal_fence(memory_order_seq_cst);
    recent->pc = u->caller.pc;
}

void fm_recent_forget(struct fm_recents *recents)
{
    for (unsigned i = 0; i < FM_RECENT_CALLERS; i++)
        if (recents->callers[i].pc)
            recents->callers[i].pc = 0;
    for (unsigned i = 0; i < FM_RECENT_SETS * FM_RECENT_WAYS; i++) {
        struct fm_recent *recent = &recents->stacks[i / FM_RECENT_WAYS][i % FM_RECENT_WAYS];
        if (recent->pc) /* memory that was never used stays so */
            recent->pc = 0;
    }
}
