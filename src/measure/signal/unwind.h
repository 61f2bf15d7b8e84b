/* Follows a thread's stack outwards from where a signal has interrupted it. Runs in the handler, on the thread itself:
 * reads only memory between the stack pointer and the stack's end, and takes no lock. What is learnt of an address is
 * kept in a table of the thread's own, so that a frame costs a few loads from its second visit on; and where a stack is as
 * it was at the last sample, the walk ends. */
#ifndef FM_MEASURE_SIGNAL_UNWIND_H
#define FM_MEASURE_SIGNAL_UNWIND_H

#include "base/context.h"
#include "measure/signal/cfi.h"

enum { FM_RULE_SLOTS = 2048 }; /* a power of two; an address may be in either of two */

enum fm_fp_use { /* what a frame does with the frame pointer: bits */
                 FM_FP_READ = 1,
                 FM_FP_SAVED = 2,  /* its caller's value is in the stack */
                 FM_FP_MATTERS = 4 /* it is read here, or further out before it changes */
};

/* What is known of an address. Most frames are plain: everything lies at a constant distance from the stack pointer or
 * the frame pointer, and inside the frame. */
struct fm_rule_slot {
    uintptr_t address; /* 0 = empty */
    struct fm_cfi_rule rule;
    bool plain;
    bool from_fp;
    bool guessed; /* the code has no tables */
    bool strange; /* and is in no module: made while the program runs, or no code at all */
    uint8_t fp_use;
};

struct fm_unwind_cache {
    uint32_t generation; /* of the load modules: with another one everything is forgotten */
    struct fm_cfi_memory tables;
    struct fm_rule_slot slots[FM_RULE_SLOTS];
};

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
    bool interrupted;          /* pc is the instruction itself, not a return address */
    const ucontext_t *context; /* all registers of this frame, or NULL */
    uintptr_t stack_end;       /* exclusive */
    struct fm_unwind_cache *cache;
    struct fm_stack *stack;
    uint32_t next_frame, next_word; /* new ones are put at the end of the memory first, downwards */
    uint32_t odd_frames;            /* from here on not all was noted that they depend on */
    uint32_t unchanged;             /* outer frames of the last time that this walk may still meet */
};

/* The walk starts at the registers of `context`. What `stack` knows must come from the same code (see
 * fm_unwind_cache.generation). */
void fm_unwind_start(struct fm_unwind *u, const ucontext_t *context, uintptr_t stack_end, struct fm_unwind_cache *cache,
                     struct fm_stack *stack);
/* Finds the callers of the frame that the walk starts at; all is left in the stack. */
void fm_unwind_walk(struct fm_unwind *u);

#endif
