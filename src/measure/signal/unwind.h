/* Follows a thread's stack outwards from where a signal has interrupted it. Runs in the handler, on the thread itself:
 * reads only memory between the stack pointer and the stack's end, and takes no lock. What is learnt of an address is
 * kept in a table of the thread's own, so that a frame costs a few loads from its second visit on. */
#ifndef FM_MEASURE_SIGNAL_UNWIND_H
#define FM_MEASURE_SIGNAL_UNWIND_H

#include "base/context.h"
#include "measure/signal/cfi.h"

enum { FM_RULE_SLOTS = 2048 }; /* a power of two; an address may be in either of two */

/* What is known of an address. Most frames are plain: everything lies at a constant distance from the stack pointer or
 * the frame pointer, and inside the frame. */
struct fm_rule_slot {
    uintptr_t address; /* 0 = empty */
    struct fm_cfi_rule rule;
    bool plain;
    bool from_fp;
};

struct fm_unwind_cache {
    uint32_t generation; /* of the load modules: with another one everything is forgotten */
    struct fm_cfi_memory tables;
    struct fm_rule_slot slots[FM_RULE_SLOTS];
};

struct fm_unwind {
    uintptr_t pc, sp, fp;
    bool interrupted;          /* pc is the instruction itself, not a return address */
    const ucontext_t *context; /* all registers of this frame, or NULL */
    uintptr_t stack_end;       /* exclusive */
    struct fm_unwind_cache *cache;
};

void fm_unwind_start(struct fm_unwind *u, const ucontext_t *context, uintptr_t stack_end,
                     struct fm_unwind_cache *cache);

enum fm_unwind_result {
    FM_UNWIND_CALLER,
    FM_UNWIND_END, /* the outermost frame was reached */
    FM_UNWIND_LOST /* there is a caller, but it cannot be reached; or there are more than asked for */
};
/* The program counters of at most so many frames, the innermost first, then return addresses; how many. */
unsigned fm_unwind_walk(struct fm_unwind *u, uint64_t *frames, unsigned most, enum fm_unwind_result *end);

#endif
