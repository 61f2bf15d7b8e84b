/* SPDX-License-Identifier: BSD-3-Clause */
/* A cache of the stacks that a thread was recently sampled in: a stack that is found here is not unwound again, and its
 * nodes in the tree are known. A stack is the same if the caller of the interrupted function is, with its stack pointer
 * (and frame pointer, where it matters), and so are all words that unwinding it had read: unwind rules depend on code
 * alone. Belongs to one thread. */
#ifndef FM_RUNTIME_SIGNAL_STACK_CACHE_H
#define FM_RUNTIME_SIGNAL_STACK_CACHE_H

#include "runtime/signal/context_tree.h"
#include "runtime/signal/unwind.h"

enum { FM_STACK_CACHE_SETS = 8, FM_STACK_CACHE_WAYS = 6, FM_STACK_CACHE_DEPTH = 64, FM_STACK_CACHE_WORDS = 80 };
enum { FM_STACK_CACHE_CALLERS = 16, FM_STACK_CACHE_PEEKS = 8 };

struct fm_cached_stack {
    uintptr_t pc, sp, fp; /* of the caller; pc 0: empty */
    uintptr_t stack_end;
    bool fp_matters;
    uint32_t n, n_words;
    uint64_t calls[FM_STACK_CACHE_DEPTH]; /* as in fm_stack */
    struct fm_stack_word words[FM_STACK_CACHE_WORDS];
    struct fm_path_memory memory;
    uint32_t nodes[FM_STACK_CACHE_DEPTH];
};

/* Stacks with the same caller differ further out: the words at these places select the set of a stack. */
struct fm_cached_caller {
    uintptr_t pc, sp, stack_end;
    uintptr_t peeks[FM_STACK_CACHE_PEEKS];
};

struct fm_stack_cache {
    struct fm_cached_stack stacks[FM_STACK_CACHE_SETS][FM_STACK_CACHE_WAYS];
    struct fm_cached_caller callers[FM_STACK_CACHE_CALLERS];
    uint8_t next[FM_STACK_CACHE_SETS]; /* next to be replaced */
    uint32_t missed;                   /* since the last hit */
};

/* Called at the caller of the interrupted function. Returns the cached stack that is the same from there on, or
 * NULL. */
struct fm_cached_stack *fm_stack_cache_find(struct fm_stack_cache *stack_cache, const struct fm_unwind *u);
/* Called after unwinding from there. A signal handler of the program may longjmp out of this: an incomplete entry
 * counts as empty. */
void fm_stack_cache_keep(struct fm_stack_cache *stack_cache, const struct fm_unwind *u);
/* Called when load modules have changed, or after other samples. */
void fm_stack_cache_forget(struct fm_stack_cache *stack_cache);

#endif
