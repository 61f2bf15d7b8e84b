/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/signal/stack_cache.h"

#include <stdatomic.h>
#include <string.h>

static const uint64_t mixer = 0x9e3779b97f4a7c15u;

static struct fm_cached_caller *caller_of(struct fm_stack_cache *stack_cache, const struct fm_unwind *u)
{
    return &stack_cache->callers[(((u->caller.pc ^ u->caller.sp << 7) * mixer) >> 32) % FM_STACK_CACHE_CALLERS];
}

static bool is_known(const struct fm_cached_caller *caller, const struct fm_unwind *u)
{
    return caller->pc == u->caller.pc && caller->sp == u->caller.sp && caller->stack_end == u->stack_end;
}

static unsigned set_of(const struct fm_cached_caller *caller)
{
    uint64_t mixed = caller->pc ^ caller->sp << 7;
    for (unsigned i = 0; i < FM_STACK_CACHE_PEEKS; i++)
        mixed = 31 * mixed + *(const uintptr_t *)caller->peeks[i];
    return (unsigned)(mixed * mixer >> 32) % FM_STACK_CACHE_SETS;
}

/* Replaces another caller, whose stacks are not found any more. */
static void learn_caller(struct fm_cached_caller *caller, const struct fm_unwind *u)
{
    struct fm_stack_word words[FM_STACK_CACHE_WORDS];
    bool fp_matters;
    uint32_t n = fm_unwind_copy_words(u, words, &fp_matters);
    caller->pc = 0;
    atomic_signal_fence(memory_order_seq_cst);
    for (unsigned i = 0; i < FM_STACK_CACHE_PEEKS; i++)
        caller->peeks[i] = words[i * n / FM_STACK_CACHE_PEEKS].at;
    caller->sp = u->caller.sp;
    caller->stack_end = u->stack_end;
    atomic_signal_fence(memory_order_seq_cst);
    caller->pc = u->caller.pc;
}

/* The inner words first: they change most often. */
static bool is_unchanged(const struct fm_cached_stack *recent)
{
    const struct fm_stack_word *word = recent->words + recent->n_words;
    while (word > recent->words) {
        word--;
        if (*(const uintptr_t *)word->at != word->value)
            return false;
    }
    return true;
}

struct fm_cached_stack *fm_stack_cache_find(struct fm_stack_cache *stack_cache, const struct fm_unwind *u)
{
    const struct fm_cached_caller *caller = caller_of(stack_cache, u);
    if (!u->caller.pc || !is_known(caller, u))
        return NULL;
    struct fm_cached_stack *set = stack_cache->stacks[set_of(caller)];
    for (struct fm_cached_stack *recent = set; recent < set + FM_STACK_CACHE_WAYS; recent++)
        if (recent->pc == u->caller.pc && recent->sp == u->caller.sp && recent->stack_end == u->stack_end &&
            (recent->fp == u->caller.fp || !recent->fp_matters) && is_unchanged(recent)) {
            stack_cache->missed = 0;
            return recent;
        }
    return NULL;
}

/* If stacks do not repeat, only some are kept, because keeping them takes time. */
static bool is_rarely_hit(struct fm_stack_cache *stack_cache)
{
    enum { PATIENCE = 2 * FM_STACK_CACHE_SETS * FM_STACK_CACHE_WAYS, KEEP_EVERY = 16 };
    return stack_cache->missed++ >= PATIENCE && stack_cache->missed % KEEP_EVERY;
}

void fm_stack_cache_keep(struct fm_stack_cache *stack_cache, const struct fm_unwind *u)
{
    const struct fm_stack *stack = u->stack;
    struct fm_cached_caller *caller = caller_of(stack_cache, u);
    uint32_t max_words = fm_unwind_words(u);
    if (stack->n > FM_STACK_CACHE_DEPTH || max_words > FM_STACK_CACHE_WORDS || !max_words || is_rarely_hit(stack_cache))
        return;
    if (!is_known(caller, u))
        learn_caller(caller, u);
    unsigned set = set_of(caller);
    struct fm_cached_stack *recent = &stack_cache->stacks[set][stack_cache->next[set]++ % FM_STACK_CACHE_WAYS];
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

void fm_stack_cache_forget(struct fm_stack_cache *stack_cache)
{
    for (unsigned i = 0; i < FM_STACK_CACHE_CALLERS; i++)
        if (stack_cache->callers[i].pc)
            stack_cache->callers[i].pc = 0;
    for (unsigned i = 0; i < FM_STACK_CACHE_SETS * FM_STACK_CACHE_WAYS; i++) {
        struct fm_cached_stack *recent = &stack_cache->stacks[i / FM_STACK_CACHE_WAYS][i % FM_STACK_CACHE_WAYS];
        if (recent->pc) /* does not touch memory that was never used */
            recent->pc = 0;
    }
}
