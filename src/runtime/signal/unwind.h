/* SPDX-License-Identifier: BSD-3-Clause */
/* Unwinds the stack of a thread from where a signal has interrupted it. Runs in the signal handler, on that thread:
 * reads only memory between the stack pointer (or the red zone below it) and the end of the stack, and takes no lock.
 * The walk ends where the stack is unchanged since the last sample.
 *
 * Stack pointer and frame pointer are tracked from frame to frame. A frame that is found by another register is rare
 * (the loader's resolver on x86-64): then that register is looked up in all frames inside of it. */
#ifndef FM_RUNTIME_SIGNAL_UNWIND_H
#define FM_RUNTIME_SIGNAL_UNWIND_H

#include "base/ucontext.h"
#include "runtime/signal/rules.h"

/* A stack as it was walked the last time, from the outermost frame on, and the words that were read. The rules depend
 * on code alone. So if a frame is unchanged, and so are all words that were read from there outwards, its callers are
 * unchanged and need not be walked again. Belongs to one thread. */
enum { FM_STACK_DEPTH = 512, FM_STACK_WORDS = 3 * FM_STACK_DEPTH };

struct fm_stack_frame {
    uintptr_t sp, fp;
    uint32_t words; /* number of words read for this frame and those outside of it */
    uint32_t fp_use;
};

struct fm_stack_word {
    uintptr_t at, value;
};

struct fm_stack {
    uint32_t n;     /* callers: all frames but the interrupted one */
    uint32_t same;  /* outer ones with the same addresses as last time */
    uint32_t early; /* outer ones that were proved unchanged, and not walked */
    uint32_t known; /* outer ones whose words are kept; 0 during a walk */
    enum fm_unwind_result {
        FM_UNWIND_CALLER,
        FM_UNWIND_END, /* the outermost frame was reached */
        FM_UNWIND_LOST /* there is a caller that cannot be reached, or there are too many */
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
    const ucontext_t *registers; /* all registers of the function that was interrupted last */
    uint32_t callers;            /* its callers are frames below this index */
    uintptr_t stack_end;         /* exclusive */
    struct fm_unwind_cache *cache;
    struct fm_stack *stack;
    enum fm_unwind_result last; /* result of the first step */
    struct {
        uintptr_t pc, sp, fp;
    } caller; /* of the interrupted function, after that step; pc 0: none, or a signal handler of the program */
    uint32_t next_frame, next_word; /* new ones are first put at the end of the buffer, downwards */
    uint32_t odd_frames;            /* from here on, not everything that the frames depend on was recorded */
    uint32_t unchanged;             /* outer frames of last time that this walk may still reach */
};

/* Starts at the registers of `context`. The contents of `stack` must come from the same code (see
 * fm_unwind_cache.generation). */
void fm_unwind_start(struct fm_unwind *u, const ucontext_t *context, uintptr_t stack_end, struct fm_unwind_cache *cache,
                     struct fm_stack *stack);
/* The first step, to the caller of the interrupted function. */
void fm_unwind_leave(struct fm_unwind *u);
/* The other steps. The result is in the stack. */
void fm_unwind_walk(struct fm_unwind *u);

/* After a walk: an upper bound of the number of words that it depends on from the first caller on, or UINT32_MAX if it
 * did not reach the outermost frame, or depends on other things as well. fm_unwind_copy_words copies those that matter,
 * the outermost first, and returns their number. For stacks that fill no more than a quarter of the buffer. */
uint32_t fm_unwind_words(const struct fm_unwind *u);
uint32_t fm_unwind_copy_words(const struct fm_unwind *u, struct fm_stack_word *words, bool *fp_matters);

#endif
