/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks that a thread was found in lately, whole: where one is met again, it is not walked, and its nodes in the tree are
 * known. A stack is the same if the caller of the interrupted function is, with its stack pointer (and frame pointer, if
 * that matters), and so are all words that the walk outwards had read: rules depend on code alone. Belongs to one thread. */
#ifndef FM_RUNTIME_SIGNAL_RECENT_H
#define FM_RUNTIME_SIGNAL_RECENT_H

#include "runtime/signal/contexts.h"
#include "runtime/signal/unwind.h"

enum { FM_RECENT_SETS = 8, FM_RECENT_WAYS = 6, FM_RECENT_DEPTH = 64, FM_RECENT_WORDS = 80 };
enum { FM_RECENT_CALLERS = 16, FM_RECENT_PEEKS = 8 };

struct fm_recent {
    uintptr_t pc, sp, fp; /* of the caller; pc 0: empty */
    uintptr_t stack_end;
    bool fp_matters;
    uint32_t n, n_words;
    uint64_t calls[FM_RECENT_DEPTH]; /* as in fm_stack */
    struct fm_stack_word words[FM_RECENT_WORDS];
    struct fm_path_memory memory;
    uint32_t nodes[FM_RECENT_DEPTH];
};

/* Stacks that have a caller in common differ further out: at some places where one of them has a word, the set of a stack
 * is told by what is there now. */
struct fm_recent_caller {
    uintptr_t pc, sp, stack_end;
    uintptr_t peeks[FM_RECENT_PEEKS];
};

struct fm_recents {
    struct fm_recent stacks[FM_RECENT_SETS][FM_RECENT_WAYS];
    struct fm_recent_caller callers[FM_RECENT_CALLERS];
    uint8_t next[FM_RECENT_SETS]; /* to be replaced */
    uint32_t missed;              /* since a stack was met again */
};

/* At the caller of the interrupted function: the stack, if it is the same as one of these from there on; else NULL. */
struct fm_recent *fm_recent_find(struct fm_recents *recents, const struct fm_unwind *u);
/* After the walk from there. A handler of the program may jump out of this: what is half kept is empty. */
void fm_recent_keep(struct fm_recents *recents, const struct fm_unwind *u);
/* With other modules, or when samples have come in between. */
void fm_recent_forget(struct fm_recents *recents);

#endif
