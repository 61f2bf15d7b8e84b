/* SPDX-License-Identifier: BSD-3-Clause */
/* Follows a thread's stack outwards from where a signal has interrupted it. Runs in the handler, on the thread itself:
 * reads only memory between the stack pointer (or the red zone below it) and the stack's end, and takes no lock. Where a
 * stack is as it was at the last sample, the walk ends.
 *
 * Stack pointer and frame pointer are followed from frame to frame. A frame that is found by another register is rare
 * (the loader's resolver on x86-64): then that register is looked for in all frames inside of it. */
#ifndef FM_RUNTIME_SIGNAL_UNWIND_H
#define FM_RUNTIME_SIGNAL_UNWIND_H

#include "base/ucontext.h"
#include "runtime/signal/rules.h"

/* A stack as it was walked the last time, from the outermost frame on, and what the walk had read. The rules depend on
 * code alone; so where a frame is as it was, and so are all words that were read from there on, the callers are as they
 * were: the next walk need not go there again. Belongs to one thread. */
enum { FM_STACK_DEPTH = 512, FM_STACK_WORDS = 3 * FM_STACK_DEPTH };

struct fm_stack_frame {
    uintptr_t sp, fp;
    uint32_t words; /* so many were read for this frame and those outside of it */
    uint32_t fp_use;
};

struct fm_stack_word {
    uintptr_t at, value;
};

struct fm_stack {
    uint32_t n;     /* callers: all frames but the interrupted one */
    uint32_t same;  /* of the outer ones have the same addresses as the last time */
    uint32_t early; /* of these it was proved, and they were not walked */
    uint32_t known; /* of the outer ones it is known from what they were read; 0 while a walk goes on */
    enum fm_unwind_result {
        FM_UNWIND_CALLER,
        FM_UNWIND_END, /* the outermost frame was reached */
        FM_UNWIND_LOST /* there is a caller, but it cannot be reached; or there are more than there is room for */
    } end;
    uintptr_t stack_end;
    uint64_t calls[FM_STACK_DEPTH]; /* return addresses */
    struct fm_stack_frame frames[FM_STACK_DEPTH];
    struct fm_stack_word words[FM_STACK_WORDS];
};

struct fm_unwind {
    uintptr_t pc, sp, fp;
    bool interrupted;            /* pc is the instruction itself, not a return address */
    const ucontext_t *context;   /* all registers of this frame, or NULL */
    const ucontext_t *registers; /* of the function that was interrupted last: all of them */
    uint32_t callers;            /* its callers are frames below this number */
    uintptr_t stack_end;         /* exclusive */
    struct fm_unwind_cache *cache;
    struct fm_stack *stack;
    enum fm_unwind_result last; /* what the first step came to */
    struct {
        uintptr_t pc, sp, fp;
    } caller; /* of the interrupted function, after that; pc 0: none, or a handler of the program */
    uint32_t next_frame, next_word; /* new ones are put at the end of the memory first, downwards */
    uint32_t odd_frames;            /* from here on not all was noted that they depend on */
    uint32_t unchanged;             /* outer frames of the last time that this walk may still meet */
};

/* The walk starts at the registers of `context`. What `stack` knows must come from the same code (see
 * fm_unwind_cache.generation). */
void fm_unwind_start(struct fm_unwind *u, const ucontext_t *context, uintptr_t stack_end, struct fm_unwind_cache *cache,
                     struct fm_stack *stack);
/* The first step, to the caller of the interrupted function. */
void fm_unwind_leave(struct fm_unwind *u);
/* Then the others; all is left in the stack. */
void fm_unwind_walk(struct fm_unwind *u);

/* After a walk: at most how many words it has depended on from the first caller on, or UINT32_MAX if it was not to the end,
 * or not on words alone. And a copy of those that matter, the outermost first; how many. For stacks that fill no more than
 * a quarter of the memory. */
uint32_t fm_unwind_words(const struct fm_unwind *u);
uint32_t fm_unwind_copy_words(const struct fm_unwind *u, struct fm_stack_word *words, bool *fp_matters);

#endif
